// What all examples have in common: a name for the visitor, and a line that says how things are.

/** What the others see of this visitor. Your own page has the real name. */
export const guest = { name: `Guest ${1 + Math.floor(Math.random() * 99)}` }

/** Keeps the line below the heading up to date. */
export function showStatus(caret, documents) {
    const show = () => { document.querySelector('#status').textContent = describe(caret, documents) }
    caret.addEventListener('link', show)
    for (const one of documents) {
        one.addEventListener('saving', show)
        one.addEventListener('peers', show)
    }
    show()
}

function describe(caret, documents) {
    const others = new Set(documents.flatMap(({ peers }) => peers.map(({ client }) => client))).size
    return `${describeSaving(caret, documents)} ${describePeople(others)}`
}

function describeSaving({ link }, documents) {
    if (link.state !== 'online') return 'There is no connection. Your changes are kept, and will be saved.'
    const states = documents.map(({ saving }) => saving.state)
    if (states.includes('refused')) return `Not saved: ${documents.find(({ saving }) => saving.code).saving.code}.`
    return states.every((state) => state === 'saved') ? 'Saved.' : 'Saving…'
}

function describePeople(others) {
    if (others === 0) return 'Nobody else is here.'
    return others === 1 ? 'One other is here.' : `${others} others are here.`
}
