// Copies and downloads texts.
import { element } from './dom.js'
import { notify } from './notices.js'
import { openSheet } from './sheet.js'

/** Copies a text. `what` begins the sentence that says so, such as 'The link'. */
export async function copyText(text, what) {
    try {
        await navigator.clipboard.writeText(text)
        notify(`${what} is copied.`)
    } catch {
        // Pages without TLS have no clipboard. The user copies the selected text.
        await openSheet('Copy this', () => selectedText(text, what))
    }
}

function selectedText(text, what) {
    const field = element('textarea', { class: 'to-copy', readonly: true, rows: 6, 'aria-label': what, autofocus: true })
    field.value = text
    field.addEventListener('focus', () => field.select())
    return field
}

/** Shows a text of the user after somebody else has deleted the document and created it again. Both texts stay. */
export function showEarlierText(text) {
    const field = element('textarea', { class: 'to-copy', readonly: true, rows: 8, 'aria-label': 'The earlier text' })
    field.value = text
    return openSheet('The document has another text', (close) => [
        element('p', {}, 'This is the text that you had before:'), field,
        element('div', { class: 'actions' }, element('button', {
            type: 'button',
            class: 'primary',
            onclick: () => {
                close()
                copyText(text, 'The earlier text')
            },
        }, 'Copy')),
    ])
}

/** Saves a text as a file. */
export function downloadText(text, name) {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
    element('a', { href: url, download: name }).click()
    // The browser needs the address until it has begun to write.
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
