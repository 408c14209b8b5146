// Unsaved texts on this device that this page cannot open: those that may be of another user, and those that cannot be
// read.
import { shortName } from './document-name.js'
import { element, fill } from './dom.js'
import { adviceFor, isForeign, isUnclaimed } from './kept-words.js'
import { notify } from './notices.js'
import { confirm } from './sheet.js'
import { errorWords } from './words.js'

/** A part of the settings that lists these texts, and what can be done with them. It is empty if there are none. */
export function keptTexts(app) {
    const node = element('div', { class: 'kept-texts' })
    showTexts(app, node)
    return node
}

async function showTexts(app, node) {
    let texts = []
    try {
        texts = (await app.caret.kept()).filter(isForeign)
    } catch (error) {
        return void fill(node, element('p', { class: 'problem' }, errorWords(error)))
    }
    fill(node, ...(texts.length === 0 ? [] : [
        element('h3', {}, 'Unsaved texts on this device'),
        element('ul', {}, texts.map((text) => element('li', {},
            element('span', { class: 'who' }, element('b', { dir: 'auto' }, shortName(text.name)),
                element('span', { class: 'quiet-text' }, adviceFor(text, new Date()))),
            isUnclaimed(text) && element('button', { type: 'button', class: 'quiet', 'aria-label': `Save ${shortName(text.name)}`, onclick: () => claim(app, node, text) }, 'Save'),
            element('button', { type: 'button', class: 'quiet', 'aria-label': `Remove ${shortName(text.name)}`, onclick: () => remove(app, node, text) }, 'Remove')))),
    ]))
}

async function claim(app, node, text) {
    const isClaimed = await app.caret.claim(text).catch(() => false)
    if (!isClaimed) notify('This text cannot be saved now. Try again when the page is connected, and close other tabs with it.')
    showTexts(app, node)
}

async function remove(app, node, text) {
    const question = 'These changes are only on this device. Nobody can restore them.'
    if (!await confirm(`Remove the changes of \u201c${shortName(text.name)}\u201d?`, question, 'Remove')) return
    const isRemoved = await app.caret.forget(text).catch(() => false)
    if (!isRemoved) notify('Another tab uses this text. Close it first.')
    showTexts(app, node)
}

/** Removes all unsaved edits from this device, also those of documents that this page has open. */
export async function forgetKept(caret, kept) {
    for (const entry of kept) {
        if (await caret.forget(entry)) continue
        if (entry.state === 'here') {
            const document = caret.open(entry.name)
            document.discard()
            document.close()
        } else notify(`Another tab still has changes of \u201c${shortName(entry.name)}\u201d.`)
    }
}
