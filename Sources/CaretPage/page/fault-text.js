// The text of a document on a page that cannot start: it needs no module.
//
// It imports nothing, but gets what it uses: modules that it shares with the page would be split into more files, which
// a first visit loads too.

/**
 * Shows the text of a document, which can only be read here. `address` is where the text is, and `name` is how the page
 * shows the name of the document. `page` has `element`, `fill` and `rest`.
 */
export async function showText(node, { address, name, token }, page) {
    const { element, fill, rest } = page
    // The styles are those of the rest of the page.
    rest().catch(() => {})
    try {
        const text = await readText(address, typeof token === 'function' ? await token() : token)
        const field = element('textarea', { class: 'to-copy', readonly: true, rows: 14, 'aria-label': 'Text' })
        field.value = text
        // If the rest of the page cannot be loaded, the user copies the selected text.
        const copy = () => rest().then(({ copyText }) => copyText(text, 'The text'), () => field.select())
        fill(node, element('h2', {}, name), element('p', { class: 'quiet-text' }, 'You can only read and copy this text here.'),
            field, element('p', {}, element('button', { type: 'button', class: 'primary', onclick: copy }, 'Copy')))
    } catch (error) {
        fill(node, element('p', {}, `The text of \u201c${name}\u201d cannot be shown: ${error.message}.`))
    }
}

async function readText(address, token) {
    const answer = await fetch(address, { headers: token ? { Authorization: `Bearer ${token}` } : {} })
    if (answer.ok) return answer.text()
    const reasons = { 401: 'you need to sign in', 403: 'you may not read it', 404: 'there is no such document' }
    throw new Error(reasons[answer.status] ?? `the server answered with status ${answer.status}`)
}
