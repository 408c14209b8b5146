// The difference between two texts as rows of lines. It uses no page.

/** How many equal lines are shown around a change. */
const around = 3
/** A line longer than this is shown only around its changes. */
const longestLine = 2000
const aroundInLine = 200

/** The lines of a text, by their numbers, which begin with 0. The line break is not a part of a line. */
class Lines {
    constructor(text) {
        this.text = text
        this.starts = [0]
        for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1)
        // After the last line break there is a line only if it has text.
        this.count = this.starts.at(-1) === text.length ? this.starts.length - 1 : this.starts.length
    }

    start(line) { return line < this.starts.length ? this.starts[line] : this.text.length }
    end(line) { return line + 1 < this.starts.length ? this.starts[line + 1] - 1 : this.text.length }
    line(number) { return this.text.slice(this.start(number), this.end(number)) }
    /** Whether a line has a line break at its end. Only the last one may have none. */
    isEnded(line) { return line + 1 < this.starts.length }

    /** The line that has an offset. */
    at(offset) {
        let [low, high] = [0, this.starts.length - 1]
        while (low < high) {
            const middle = (low + high + 1) >> 1
            if (this.starts[middle] <= offset) low = middle
            else high = middle - 1
        }
        return low
    }
}

/**
 * The difference between two texts. `edits` change `oldText` into `newText`.
 *
 * `rows` are { kind: 'change', removed, added } and { kind: 'fold', old, new, count } and { kind: 'same', old, new,
 * count }, where `old` and `new` are the numbers of the first lines. `removed` and `added` are lists of lines:
 * { number, pieces, isUnended }, and a piece is { text, isChanged }. All numbers begin with 1.
 */
export class Difference {
    rows
    #old
    #new

    constructor(oldText, newText, edits) {
        this.#old = new Lines(oldText)
        this.#new = new Lines(newText)
        this.rows = this.#fold(this.#hunks(edits))
        const changes = this.rows.filter(({ kind }) => kind === 'change')
        this.counts = {
            changes: changes.length,
            removed: changes.reduce((sum, { removed }) => sum + removed.length, 0),
            added: changes.reduce((sum, { added }) => sum + added.length, 0),
        }
    }

    /** How many lines the longer text has. */
    get lineCount() { return Math.max(this.#old.count, this.#new.count) }

    /** The equal lines of a row: { old, new, text }. */
    linesOf({ old, new: first, count }) {
        return Array.from({ length: count }, (_, index) => {
            const line = this.#new.line(first - 1 + index)
            const text = line.length > longestLine ? `${cut(line, 0, longestLine)}\u2026` : line
            return { old: old + index, new: first + index, text }
        })
    }

    /** Shows up to `most` lines of a fold. The rows change. */
    unfold(row, most) {
        const at = this.rows.indexOf(row)
        const count = Math.min(most, row.count)
        const rest = { ...row, old: row.old + count, new: row.new + count, count: row.count - count }
        const shown = { ...row, kind: 'same', count }
        this.rows.splice(at, 1, shown, ...(rest.count > 0 ? [rest] : []))
    }

    // A hunk is a range of old lines that became a range of new lines, and the edits in it, with both offsets.
    #hunks(change) {
        const edits = change.flatMap((edit) => splitAtLines(edit, this.#old.text))
        const hunks = []
        let shift = 0
        let room = 0
        for (const [index, one] of edits.entries()) {
            const next = edits[index + 1]?.range[0] ?? this.#old.text.length
            const { range: [start, end], text } = slid(one, this.#old.text, [room, next])
            room = end
            const edit = { old: [start, end], new: [start + shift, start + shift + text.length] }
            shift += text.length - (end - start)
            const hunk = {
                old: [this.#old.at(start), this.#old.at(end) + 1], new: [this.#new.at(edit.new[0]), this.#new.at(edit.new[1]) + 1],
                edits: [edit],
            }
            const last = hunks.at(-1)
            if (last && (last.old[1] >= hunk.old[0] || last.new[1] >= hunk.new[0])) {
                last.old[1] = hunk.old[1]
                last.new[1] = hunk.new[1]
                last.edits.push(edit)
            } else {
                hunks.push(hunk)
            }
        }
        return hunks.flatMap((hunk) => this.#withoutEqualEnds(hunk))
    }

    // An edit may touch a line that is equal before and after, such as the line before an added one. A hunk with only
    // such lines is left out.
    #withoutEqualEnds({ old: [oldStart, oldEnd], new: [newStart, newEnd], edits }) {
        [oldEnd, newEnd] = [Math.min(oldEnd, this.#old.count), Math.min(newEnd, this.#new.count)]
        while (oldStart < oldEnd && newStart < newEnd && this.#isEqual(oldStart, newStart)) [oldStart, newStart] = [oldStart + 1, newStart + 1]
        while (oldStart < oldEnd && newStart < newEnd && this.#isEqual(oldEnd - 1, newEnd - 1)) [oldEnd, newEnd] = [oldEnd - 1, newEnd - 1]
        if (oldStart === oldEnd && newStart === newEnd) return []
        const words = edits.map((edit) => this.#widened(edit))
        const isPaired = oldEnd > oldStart && newEnd > newStart
        return [{
            old: [oldStart, oldEnd], new: [newStart, newEnd],
            removed: changedLines(this.#old, [oldStart, oldEnd], isPaired ? words.map((word) => word.old) : []),
            added: changedLines(this.#new, [newStart, newEnd], isPaired ? words.map((word) => word.new) : []),
        }]
    }

    #isEqual(oldLine, newLine) {
        return this.#old.line(oldLine) === this.#new.line(newLine) && this.#old.isEnded(oldLine) === this.#new.isEnded(newLine)
    }

    // Marks whole words, because single letters are hard to read.
    #widened({ old: [oldStart, oldEnd], new: [newStart, newEnd] }) {
        const [oldText, newText] = [this.#old.text, this.#new.text]
        const touchesAtStart = [oldStart < oldEnd && oldText[oldStart], newStart < newEnd && newText[newStart]].some(isWord)
        const touchesAtEnd = [oldStart < oldEnd && oldText[oldEnd - 1], newStart < newEnd && newText[newEnd - 1]].some(isWord)
        let [before, after] = [0, 0]
        if (touchesAtStart) while (before < 100 && isWord(oldText[oldStart - before - 1])) before++
        if (touchesAtEnd) while (after < 100 && isWord(oldText[oldEnd + after])) after++
        return { old: [oldStart - before, oldEnd + after], new: [newStart - before, newEnd + after] }
    }

    #fold(hunks) {
        const rows = []
        let [old, fresh] = [0, 0]
        hunks.forEach((hunk, index) => {
            this.#addEqual(rows, old, fresh, hunk.old[0] - old, { isFirst: index === 0 })
            rows.push({ kind: 'change', removed: hunk.removed, added: hunk.added })
            old = hunk.old[1]
            fresh = hunk.new[1]
        })
        if (hunks.length > 0) this.#addEqual(rows, old, fresh, this.#old.count - old, { isLast: true })
        return rows
    }

    #addEqual(rows, old, fresh, count, { isFirst = false, isLast = false }) {
        const [head, tail] = [isFirst ? 0 : around, isLast ? 0 : around]
        const add = (kind, offset, length) => {
            if (length > 0) rows.push({ kind, old: old + offset + 1, new: fresh + offset + 1, count: length })
        }
        // A fold of a single line would take as much room as the line.
        if (count <= head + tail + 1) return add('same', 0, count)
        add('same', 0, head)
        add('fold', head, count - head - tail)
        add('same', count - tail, tail)
    }
}

/**
 * An edit for each line, without what is equal at its ends, if a replacement has as many lines as what it replaces.
 * Otherwise, equal words at the ends of lines would be marked too.
 */
function splitAtLines({ range: [start, end], text }, oldText) {
    const [before, after] = [oldText.slice(start, end).split('\n'), text.split('\n')]
    if (before.length === 1 || before.length !== after.length) return [{ range: [start, end], text }]
    let at = start
    return before.flatMap((line, index) => {
        const edit = trimmed(at, line, after[index])
        at += line.length + 1
        return edit
    })
}

/** The edit from one line to another, without what is equal at both ends. None if they are equal. */
function trimmed(at, before, after) {
    if (before === after) return []
    const most = Math.min(before.length, after.length)
    let [head, tail] = [0, 0]
    while (head < most && before[head] === after[head]) head++
    if (/[\ud800-\udbff]/.test(before[head - 1])) head--
    while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
    if (tail > 0 && /[\udc00-\udfff]/.test(before.at(-tail))) tail--
    return [{ range: [at + head, at + before.length - tail], text: after.slice(head, after.length - tail) }]
}

/** How far an edit is moved, in characters. */
const longestSlide = 500

/**
 * The same edit at another place, if whole lines are inserted or removed. 'not[.\n- beans].' and 'not.[\n- beans.]'
 * are the same insertion, and only the second one leaves the line before it as it was. `first` and `last` are where
 * the edits beside it are.
 */
function slid({ range: [start, end], text }, oldText, [first, last]) {
    if ((start < end) === (text.length > 0)) return { range: [start, end], text }
    const moving = text || oldText.slice(start, end)
    const isAtLine = (at) => at === 0 || at === oldText.length || oldText[at] === '\n' || oldText[at - 1] === '\n'
    if (isAtLine(start) || !moving.includes('\n')) return { range: [start, end], text }
    for (let by = 1; by <= longestSlide && end + by <= last; by++) {
        if (oldText[end + by - 1] !== moving[(by - 1) % moving.length]) break
        if (isAtLine(start + by)) return moved(start, end, text, by)
    }
    for (let by = 1; by <= longestSlide && start - by >= first; by++) {
        if (oldText[start - by] !== moving.at(-1 - ((by - 1) % moving.length))) break
        if (isAtLine(start - by)) return moved(start, end, text, -by)
    }
    return { range: [start, end], text }
}

function moved(start, end, text, by) {
    const turn = text.length > 0 ? ((by % text.length) + text.length) % text.length : 0
    return { range: [start + by, end + by], text: text.slice(turn) + text.slice(0, turn) }
}

function isWord(character) { return Boolean(character) && /[\p{L}\p{N}\p{M}_\ud800-\udfff]/u.test(character) }

/** The lines of a range as pieces. `ranges` are the offsets of what has changed, in ascending order. */
function changedLines(lines, [first, end], ranges) {
    let next = 0
    return Array.from({ length: end - first }, (_, index) => {
        const line = first + index
        const [start, stop] = [lines.start(line), lines.end(line)]
        while (next < ranges.length && ranges[next][1] < start) next++
        const marks = []
        for (let at = next; at < ranges.length && ranges[at][0] < stop; at++) {
            const mark = [Math.max(ranges[at][0], start, marks.at(-1)?.[1] ?? 0), Math.min(ranges[at][1], stop)]
            if (mark[0] < mark[1]) marks.push(mark)
        }
        return { number: line + 1, pieces: linePieces(lines.text, start, stop, marks), isUnended: !lines.isEnded(line) }
    })
}

function linePieces(text, start, stop, marks) {
    const isLong = stop - start > longestLine
    const pieces = []
    let at = start
    for (const [from, to] of [...marks, [stop, stop]]) {
        if (from > at) pieces.push({ text: isLong ? middleCut(text, at, from, at > start, from < stop) : text.slice(at, from), isChanged: false })
        if (to > from) pieces.push({ text: isLong ? middleCut(text, from, to, true, true) : text.slice(from, to), isChanged: true })
        at = to
    }
    // If all of a line has changed, marking its words says nothing.
    const isWhole = pieces.every((piece) => piece.isChanged || !piece.text.trim())
    const visible = isWhole ? pieces.map((piece) => ({ ...piece, isChanged: false })) : pieces
    return visible.length > 60 ? [...visible.slice(0, 60), { text: '\u2026', isChanged: false }] : visible
}

/** A long range with only what is beside a change: at its start, at its end or both. */
function middleCut(text, start, end, keepsStart, keepsEnd) {
    const most = keepsStart && keepsEnd ? 2 * aroundInLine : aroundInLine
    if (!keepsStart && !keepsEnd) return `${cut(text, start, Math.min(end, start + longestLine))}\u2026`
    if (end - start <= most) return text.slice(start, end)
    const head = keepsStart ? cut(text, start, start + aroundInLine) : ''
    const tail = keepsEnd ? cut(text, end - aroundInLine, end) : ''
    return `${head}\u2026${tail}`
}

/** A range of a text without half characters at its ends. */
function cut(text, start, end) {
    const isLow = (at) => at > 0 && at < text.length && /^[\udc00-\udfff]/.test(text[at])
    return text.slice(isLow(start) ? start + 1 : start, isLow(end) ? end - 1 : end)
}

/** Lines beside each other: [removed, added], where one of both may be missing. */
export function pairsOf({ removed, added }) {
    return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => [removed[index], added[index]])
}

/** How many rows a change has below each other. */
export function sizeOf(row) {
    return row.kind === 'change' ? row.removed.length + row.added.length : row.kind === 'fold' ? 1 : row.count
}
