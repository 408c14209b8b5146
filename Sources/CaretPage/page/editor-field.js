// The text field of the editor, before a document is bound to it.
import { element } from './dom.js'
import { rest } from './rest.js'

/** Makes a field. `leave` is called for Escape, the way out for those who have no pointer. `signal` ends everything. */
export function makeField({ leave, signal }) {
    const field = element('textarea', {
        class: 'text', dir: 'auto', 'aria-label': 'Text', spellcheck: 'true', autocapitalize: 'sentences',
    })
    field.addEventListener('keydown', (event) => {
        if (event.key === 'Escape' && !event.isComposing) leave()
    }, { signal })
    keepCaretInView(field, signal)
    return field
}

/** Shows in an empty field what the user can do in a situation. */
export function showPlaceholder(field, situation) {
    const words = { opening: '', reading: 'This document is empty.', deleted: '', damaged: '' }[situation] ?? 'Write something\u2026'
    if (field.placeholder !== words) field.placeholder = words
}

/** The keyboard of a phone makes the field smaller. Browsers do not scroll to the caret then. */
function keepCaretInView(field, signal) {
    let height = 0
    const sizes = new ResizeObserver(() => {
        const before = height
        height = field.clientHeight
        if (height >= before || document.activeElement !== field) return
        const { selectionStart, selectionEnd, selectionDirection } = field
        const caret = selectionDirection === 'backward' ? selectionStart : selectionEnd
        // If the rest cannot be loaded, the user scrolls.
        rest().then(({ reveal }) => reveal(field, caret, { earlierHeight: before }), () => {})
    })
    sizes.observe(field)
    signal.addEventListener('abort', () => sizes.disconnect())
}
