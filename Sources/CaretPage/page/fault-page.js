// What the page shows if it cannot start: why, and the text of the document, which needs no module.
import { visibleName } from './document-name.js'
import { element, fill } from './dom.js'
import { rest } from './rest.js'
import { addressOf } from './route.js'

/** Shows why the page cannot start. `route` is that of the address, and `token` that of the user. */
export function showFault(error, { route, token }) {
    const reason = typeof WebAssembly === 'undefined' ? 'This browser has no WebAssembly, which the page needs.' : error.message
    const text = element('div', { class: 'fault-text' })
    fill(document.body, element('div', { class: 'plain' },
        element('h1', {}, 'This page cannot start'), element('p', {}, reason), text,
        element('p', {}, element('button', { type: 'button', class: 'quiet', onclick: () => location.reload() }, 'Reload'))))
    if (route.name) showText(text, route.name, token)
}

/** Shows the text of a document, which can only be read here. */
async function showText(node, name, token) {
    try {
        const text = await readText(name, token)
        const field = element('textarea', { class: 'to-copy', readonly: true, rows: 14, 'aria-label': 'Text' })
        field.value = text
        // If the rest of the page cannot be loaded, the user copies the selected text.
        const copy = () => rest().then(({ copyText }) => copyText(text, 'The text'), () => field.select())
        fill(node, element('h2', {}, visibleName(name)), element('p', { class: 'quiet-text' }, 'You can only read and copy this text here.'),
            field, element('p', {}, element('button', { type: 'button', onclick: copy }, 'Copy')))
    } catch (error) {
        fill(node, element('p', {}, `The text of \u201c${visibleName(name)}\u201d cannot be shown: ${error.message}.`))
    }
}

async function readText(name, token) {
    const address = addressOf({ screen: 'editor', name }).replace(/^\/d\//, '/docs/')
    const answer = await fetch(address, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } })
    if (answer.ok) return answer.text()
    const reasons = { 401: 'you need to sign in', 403: 'you may not read it', 404: 'there is no such document' }
    throw new Error(reasons[answer.status] ?? `the server answered with status ${answer.status}`)
}
