// Offsets and positions in a text, as documents and VS Code count them. Lines end with LF. An offset counts UTF-16 code
// units. A position has a line and a character, both counted from 0. If an editor uses CR LF, its positions stay the
// same, but its offsets differ.
'use strict'

function withLineFeeds(text) {
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** The offsets at which the lines of a text begin. */
function lineStarts(text) {
    const starts = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    return starts
}

/** The offset of a position. A position outside of the text becomes the nearest one in it. */
function offsetAt(text, starts, { line, character }) {
    if (line >= starts.length) return text.length
    const end = line + 1 < starts.length ? starts[line + 1] - 1 : text.length
    return Math.min(starts[line] + character, end)
}

function positionAt(starts, offset) {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
        const middle = (low + high) >> 1
        if (starts[middle] <= offset) low = middle
        else high = middle
    }
    return { line: low, character: offset - starts[low] }
}

/** Applies edits in ascending order. All ranges refer to the text before the edits. */
function applying(text, edits) {
    const pieces = []
    let end = 0
    for (const { range, text: inserted } of edits) {
        pieces.push(text.slice(end, range[0]), inserted)
        end = range[1]
    }
    return pieces.join('') + text.slice(end)
}

const isHigh = (unit) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit) => unit >= 0xdc00 && unit < 0xe000

/** Whether an offset is between the two halves of a character. */
function splitsCharacter(text, offset) {
    return offset > 0 && isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset))
}

/** One edit that turns `old` into `next`, and splits no character. */
function difference(old, next) {
    const most = Math.min(old.length, next.length)
    let start = 0
    while (start < most && old.charCodeAt(start) === next.charCodeAt(start)) start++
    if (splitsCharacter(old, start) || splitsCharacter(next, start)) start--
    let end = 0
    while (end < most - start && old.charCodeAt(old.length - 1 - end) === next.charCodeAt(next.length - 1 - end)) end++
    if (splitsCharacter(old, old.length - end) || splitsCharacter(next, next.length - end)) end--
    return { range: [start, old.length - end], text: next.slice(start, next.length - end) }
}

/** Edits moved over one other edit of the same text. All that they insert stays. */
function movedOver(edits, other) {
    const [start, end] = other.range
    const growth = other.text.length - (end - start)
    return edits.map(({ range, text }) => {
        const first = range[0] <= start ? range[0] : Math.max(range[0], end) + growth
        const last = range[1] <= start ? range[1] : range[1] < end ? Math.max(first, start) : range[1] + growth
        return { range: [first, last], text }
    })
}

module.exports = {
    withLineFeeds, lineStarts, offsetAt, positionAt, applying, splitsCharacter, difference, movedOver,
}
