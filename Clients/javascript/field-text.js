// What a binding computes from texts and offsets, without a field. Offsets count UTF-16 code units.

const isHigh = (text, index) => (text.charCodeAt(index) & 0xfc00) === 0xd800
const isLow = (text, index) => (text.charCodeAt(index) & 0xfc00) === 0xdc00

/** The nearest offset in `text`, at or before `offset`, that is not between the halves of a surrogate pair. */
export function clampOffset(text, offset) {
    const inside = Math.max(0, Math.min(offset, text.length))
    return isLow(text, inside) && isHigh(text, inside - 1) ? inside - 1 : inside
}

/**
 * The edit that the user has just made, from the text before and after it; null if both are equal. `caret` is
 * where the user's caret is now.
 *
 * If someone types 'a' in 'aaa', the texts do not show where. The caret does: nothing after it has changed. So
 * the equal end is searched first, and not beyond the caret.
 */
export function findOwnEdit(before, after, caret) {
    if (before === after) return null
    const shorter = Math.min(before.length, after.length)
    const longestEnd = Math.min(shorter, after.length - Math.min(caret, after.length))
    let end = 0
    while (end < longestEnd && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end++
    // A pair may keep one half when an emoji replaces another. An edit must replace the whole pair. `before`
    // has no lone surrogates, so a half at the border shows a pair.
    if (end > 0 && isLow(before, before.length - end)) end--
    let start = 0
    while (start < shorter - end && before.charCodeAt(start) === after.charCodeAt(start)) start++
    if (start > 0 && isHigh(before, start - 1)) start--
    return { range: [start, before.length - end], text: after.slice(start, after.length - end) }
}

/** The text with U+FFFD for each lone surrogate, which a document cannot contain. The length stays. */
export function replaceLoneSurrogates(text) {
    return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}

/** Whether the text before `caret` ends with the first half of a surrogate pair, without the second. */
export function endsWithHalf(text, caret) {
    return isHigh(text, caret - 1) && !isLow(text, caret)
}

/** The text after the edits. All offsets refer to the text before them. */
export function applyEdits(text, edits) {
    let result = ''
    let rest = 0
    for (const { range: [start, end], text: inserted } of edits) {
        result += text.slice(rest, start) + inserted
        rest = end
    }
    return result + text.slice(rest)
}

/** Where the inserted texts end, in the text after the edits. */
export function endsOf(edits) {
    let shift = 0
    return edits.map(({ range: [start, end], text }) => {
        const place = start + shift + text.length
        shift += text.length - (end - start)
        return place
    })
}

/** Where an offset is after the edits, if what they insert there comes after it. */
export function offsetBefore(offset, edits) {
    let shift = 0
    for (const { range: [start, end], text } of edits) {
        if (start >= offset) break
        if (end > offset) return start + shift
        shift += text.length - (end - start)
    }
    return offset + shift
}

/** The selection of a field as [anchor, head], between whole scalars. */
export function toSelection(text, { start, end, direction }) {
    const ends = [clampOffset(text, start), clampOffset(text, end)]
    return direction === 'backward' ? ends.reverse() : ends
}

/** A selection for `setSelectionRange`. `direction` is what the field had before. */
export function fromSelection([anchor, head], direction) {
    const isBackward = head < anchor || (head === anchor && direction === 'backward')
    return {
        start: Math.min(anchor, head), end: Math.max(anchor, head),
        // On some systems, a selection made with the mouse has no direction until it is extended.
        direction: isBackward ? 'backward' : direction === 'backward' ? 'forward' : direction,
    }
}

/** What a pressed key asks for: 'undo', 'redo' or null. */
export function historyKey({ key, ctrlKey, metaKey, altKey, shiftKey }, isApple) {
    if (altKey || (isApple ? !metaKey || ctrlKey : !ctrlKey || metaKey)) return null
    switch (key.toLowerCase()) {
    case 'z': return shiftKey ? 'redo' : 'undo'
    case 'y': return isApple || shiftKey ? null : 'redo'
    default: return null
    }
}

/**
 * Where to scroll so that a line stays where it is in the view. `top` is where the field is scrolled to. The
 * line was `before` pixels below the start of the text, and is `after` pixels below it now.
 */
export function keptScroll(top, before, after) {
    return Math.max(0, top + after - before)
}
