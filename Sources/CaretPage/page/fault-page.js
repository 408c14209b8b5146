// What the page shows if it cannot start: why, and the text of the document, which needs no module.
import { visibleName } from './document-name.js'
import { element, fill } from './dom.js'
import { rest } from './rest.js'
import { addressOf } from './route.js'

/** Shows why the page cannot start. `route` is that of the address, and `token` that of the user, or a function. */
export function showFault(error, { route, token }) {
    const reason = typeof WebAssembly === 'undefined' ? 'This browser has no WebAssembly, which the page needs.' : error.message
    const text = element('div', { class: 'fault-text' })
    fill(document.body, element('div', { class: 'plain', role: 'main' },
        element('h1', {}, 'This page cannot start'), element('p', {}, reason), text,
        element('p', {}, element('button', { type: 'button', class: 'quiet', onclick: () => location.reload() }, 'Reload'))))
    if (!route.name) return
    const address = addressOf({ ...route, screen: 'editor' }).replace('/d/', '/docs/')
    import('./fault-text.js').then(({ showText }) =>
        showText(text, { address, name: visibleName(route.name), token }, { element, fill, rest }), () => {})
}
