// Which screen an address of the page shows.
//
//     /                       the documents
//     /d/NAME                 the editor
//     /d/NAME?rev=N           the history, at revision N
//     /d/NAME?from=A&to=B     the difference between two revisions. An empty `from` is the first one that is kept, and
//                             without `to`, it is the difference to the newest one.

/** The route of an address: { screen, name, rev, from, to }. */
export function routeOf({ pathname, search }) {
    if (!pathname.startsWith('/d/')) return { screen: 'documents' }
    const name = decodeName(pathname.slice('/d/'.length))
    if (!name) return { screen: 'documents' }
    const query = new URLSearchParams(search)
    const [rev, from, to] = ['rev', 'from', 'to'].map((key) => wholeNumber(query.get(key)))
    if (query.has('from') || to !== undefined) return { screen: 'compare', name, from, to }
    if (query.has('rev')) return { screen: 'history', name, rev }
    return { screen: 'editor', name }
}

/** The address of a route. */
export function addressOf({ screen, name, rev, from, to }) {
    if (screen === 'documents') return '/'
    const path = `/d/${name.split('/').map(encodeURIComponent).join('/')}`
    if (screen === 'history') return `${path}?rev=${rev ?? ''}`
    if (screen !== 'compare') return path
    return `${path}?from=${from ?? ''}${to === undefined ? '' : `&to=${to}`}`
}

function decodeName(text) {
    try {
        return decodeURIComponent(text)
    } catch {
        return null
    }
}

function wholeNumber(text) {
    return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : undefined
}
