// A sheet with the changes that are not saved, in the text around them.
import { element, fill } from './dom.js'
import { openSheet } from './sheet.js'
import { mostEdits, unsavedParts } from './unsaved-parts.js'
import { count } from './words.js'

/** Shows the unsaved edits of a document. The text before them comes from the server, if it can be reached. */
export async function showUnsaved(caret, document) {
    const { name, revision, unsaved, text } = document
    const body = element('div', { class: 'difference', tabindex: '0', role: 'group', 'aria-label': 'Changes in the text' })
    const show = (saved) => fill(body, unsavedParts(unsaved, text, saved).map(partNode),
        unsaved.length > mostEdits && element('p', { class: 'quiet-text' }, `The first ${mostEdits} changes are shown.`))
    show(null)
    // Without a connection, the removed parts stay unknown.
    if (caret.link.state === 'online') caret.read(name, { rev: revision }).then((snapshot) => show(snapshot.text), () => {})
    await openSheet('Changes that are not saved', () => [
        element('p', { class: 'quiet-text legend' },
            element('span', {}, element('ins', {}, 'Inserted')), element('span', {}, element('del', {}, 'Removed'))),
        body,
    ], { className: 'wide' })
}

function partNode({ kind, text, length }) {
    switch (kind) {
    case 'inserted': return element('ins', {}, visibleLineEnds(text))
    case 'removed': return element('del', {}, text === '' ? `\u2212${count(length, 'character')}` : visibleLineEnds(text))
    case 'skipped': return element('span', { class: 'skipped', role: 'img', 'aria-label': 'text without changes' }, text)
    default: return text
    }
}

/** A line end alone has no width, so that nobody would see that it was inserted or removed. */
function visibleLineEnds(text) { return text.replace(/^\n+$/, (ends) => '\u21b5\n'.repeat(ends.length)) }
