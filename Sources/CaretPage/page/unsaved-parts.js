// The parts of a text around its unsaved edits, for the sheet that shows them. Plain values.

/** How much unchanged text stays on each side of an edit, in UTF-16 code units. */
const context = 80
/** More edits than these would make the sheet too slow. */
export const mostEdits = 200

/**
 * The parts in order: { kind: 'same' | 'inserted' | 'removed' | 'skipped', text }.
 *
 * `view` is the text with the edits. `saved` is the text before them; null if nobody knows it now. Then a removed
 * part has no text, but `length`.
 */
export function unsavedParts(edits, view, saved) {
    const parts = []
    const add = (kind, text, fields) => {
        if (text !== '' || fields) parts.push({ kind, text, ...fields })
    }
    let [at, shift] = [0, 0]
    for (const [index, { range: [start, end], text }] of edits.slice(0, mostEdits).entries()) {
        addUnchanged(add, view.slice(at, start + shift), { isFirst: index === 0, isLast: false })
        if (end > start) add('removed', saved === null ? '' : saved.slice(start, end), { length: end - start })
        add('inserted', text)
        shift += text.length - (end - start)
        at = end + shift
    }
    const rest = view.slice(at)
    if (edits.length > 0) addUnchanged(add, rest, { isFirst: false, isLast: true })
    return parts
}

/** Adds a text without changes, of which only the ends next to changes stay. */
function addUnchanged(add, text, { isFirst, isLast }) {
    const kept = (isFirst ? 0 : context) + (isLast ? 0 : context)
    if (text.length <= kept + 1) return add('same', text)
    if (!isFirst) add('same', wholeEnd(text.slice(0, context)))
    add('skipped', '\u2026')
    if (!isLast) add('same', wholeStart(text.slice(-context)))
}

// A cut must not leave half of an emoji.
function wholeEnd(text) { return text.replace(/[\ud800-\udbff]$/, '') }
function wholeStart(text) { return text.replace(/^[\udc00-\udfff]/, '') }
