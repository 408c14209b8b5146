// The headings, code, links and marks of Markdown in a text. Without a page.
//
// Each line is read on its own, so after a change only the changed lines are read again. Only fenced code continues from
// line to line. Code, links and emphasis that end in another line have no color, and neither have underlined headings.
//
// The time is linear in the length of a line: no search returns to characters that it has passed. That is why regular
// expressions test only single characters.

/** How many ranges a line may have, because the browser makes a node for each. The rest of the line stays plain. */
export const mostRanges = 1_000

const isSpaceOrEnd = (sign) => sign === undefined || sign <= ' '
/** What is beside a run of emphasis marks: a space or an end, punctuation, or a letter. */
const [space, punctuation, letter] = [0, 1, 2]
function classOf(sign) {
    if (sign === undefined || /\s/.test(sign)) return space
    return /[\p{P}\p{S}]/u.test(sign) ? punctuation : letter
}

/**
 * Reads a line. `fence` is what the line before it has returned: the fence of code that is open, such as '```', or ''.
 * Returns { ranges, fence }. The ranges are [start, end, kind], in order and without overlaps. A kind is 'heading',
 * 'code', 'link' or 'mark'.
 */
export function readLine(line, fence = '') { return new LineReader(line).read(fence) }

class LineReader {
    #line
    /** The kind of each code unit, '' if it has none. */
    #kinds
    /** Where the definition of a link would begin. */
    #definition = -1
    /** Where the open brackets are. */
    #brackets = []
    /** Where the last pair of brackets begins and ends. */
    #pair = [-1, -1]
    /** For each link, where it begins and ends. */
    #links = new Map()
    /** The open runs of emphasis marks: { start, end } each. */
    #open = { '*': [], '_': [] }
    /** For each length of a run of backticks, where such runs begin, the last one first. Null until it is needed. */
    #ticks = null
    /** For each parenthesis, where the one is that closes it. Null until it is needed. */
    #parens = null

    constructor(line) {
        this.#line = line
        this.#kinds = new Array(line.length).fill('')
    }

    read(before) {
        const fence = before === '' ? this.#readBlock() : this.#readFenced(before)
        return { ranges: this.#ranges(), fence }
    }

    #ranges() {
        const [kinds, ranges] = [this.#kinds, []]
        for (let start = 0, end = 0; start < kinds.length && ranges.length < mostRanges; start = end) {
            while (end < kinds.length && kinds[end] === kinds[start]) end++
            if (kinds[start] !== '') ranges.push([start, end, kinds[start]])
        }
        return ranges
    }

    #paint(kind, start, end = this.#line.length) { this.#kinds.fill(kind, start, end) }

    #afterSpaces(at) {
        while (this.#line[at] <= ' ') at++
        return at
    }

    #afterRun(at, sign) {
        while (this.#line[at] === sign) at++
        return at
    }

    // Blocks. The first two methods return the fence that is open after the line.

    /** Reads a line of code. The fence that ends it may be in a quote, as the one that began it. */
    #readFenced(fence) {
        this.#paint('code', 0)
        let start = this.#afterSpaces(0)
        while (this.#line[start] === '>') start = this.#afterSpaces(start + 1)
        const end = this.#afterRun(start, fence[0])
        return end - start >= fence.length && this.#afterSpaces(end) === this.#line.length ? '' : fence
    }

    #readBlock() {
        const start = this.#readPrefix()
        const fence = this.#fenceAt(start)
        if (fence !== '') {
            this.#paint('code', start)
            return fence
        }
        let at = this.#afterRun(start, '#')
        if (at > start && at - start <= 6 && isSpaceOrEnd(this.#line[at])) {
            this.#paint('mark', start, at)
            this.#paint('heading', this.#afterSpaces(at))
        } else {
            this.#definition = start
        }
        while (at < this.#line.length) at = this.#readInline(at)
        return ''
    }

    /** Reads the marks of quotes and lists. Returns where the text after them begins. */
    #readPrefix() {
        for (let start = this.#afterSpaces(0); ;) {
            const end = this.#markerEnd(start)
            if (end === start) return start
            this.#paint('mark', start, end)
            start = this.#afterSpaces(end)
        }
    }

    /** Where the mark that begins here ends. */
    #markerEnd(start) {
        if (this.#line[start] === '>') return start + 1
        let end = start
        while (end - start < 9 && /\d/.test(this.#line[end])) end++
        const signs = end === start ? '-+*' : '.)'
        return signs.includes(this.#line[end]) && isSpaceOrEnd(this.#line[end + 1]) ? end + 1 : start
    }

    #fenceAt(start) {
        const sign = this.#line[start]
        if (sign !== '`' && sign !== '~') return ''
        const end = this.#afterRun(start, sign)
        if (end - start < 3) return ''
        // With another backtick, this is code in a line.
        if (sign === '`') for (let at = end; at < this.#line.length; at++) if (this.#line[at] === sign) return ''
        return sign.repeat(end - start)
    }

    // What is inside of a line. These methods return where to go on.

    #readInline(at) {
        const sign = this.#line[at]
        switch (sign) {
        case '\\': return at + 2
        case '`': return this.#readCode(at)
        case '*': case '_': return this.#readEmphasis(at, sign)
        case '[':
            this.#brackets.push(at)
            return at + 1
        case ']': return this.#readBracket(at)
        case 'h': case 'H': return this.#readAddress(at)
        default: return at + 1
        }
    }

    #readCode(start) {
        const end = this.#afterRun(start, '`')
        const closing = this.#nextTicks(end, end - start)
        if (closing === undefined) return end
        this.#paint('code', start, closing + end - start)
        return closing + end - start
    }

    /** Where the next run of exactly so many backticks begins. */
    #nextTicks(from, count) {
        this.#ticks ??= this.#findTicks()
        const starts = this.#ticks.get(count) ?? []
        while (starts.at(-1) < from) starts.pop()
        return starts.at(-1)
    }

    #findTicks() {
        const found = new Map()
        for (let end = this.#line.length, start; end > 0; end = start - 1) {
            start = end
            while (this.#line[start - 1] === '`') start--
            if (start === end) continue
            if (!found.has(end - start)) found.set(end - start, [])
            found.get(end - start).push(start)
        }
        return found
    }

    #readEmphasis(start, sign) {
        const end = this.#afterRun(start, sign)
        const [before, after] = [classOf(this.#line[start - 1]), classOf(this.#line[end])]
        const isLeft = after === letter || (after === punctuation && before !== letter)
        const isRight = before === letter || (before === punctuation && after !== letter)
        // Names such as snake_case have no emphasis.
        const closes = isRight && (sign === '*' || !isLeft || after === punctuation)
        const opens = isLeft && (sign === '*' || !isRight || before === punctuation)
        const rest = closes ? this.#closeEmphasis(start, end, sign) : start
        if (opens && rest < end) this.#open[sign].push({ start: rest, end })
        return end
    }

    /** Marks the pairs that a run of marks closes. Returns where the marks begin that close nothing. */
    #closeEmphasis(start, end, sign) {
        const [same, others] = [this.#open[sign], this.#open[sign === '*' ? '_' : '*']]
        while (start < end && same.length > 0) {
            const opener = same.at(-1)
            const count = Math.min(opener.end - opener.start, end - start)
            this.#paint('mark', opener.end - count, opener.end)
            this.#paint('mark', start, start + count)
            start += count
            opener.end -= count
            if (opener.end === opener.start) same.pop()
            while (others.at(-1)?.start > opener.start) others.pop()
        }
        return start
    }

    /** Reads the end of brackets: [text](address), [text][label], or [label]: address. */
    #readBracket(at) {
        const start = this.#brackets.pop()
        if (start === undefined) return at + 1
        const [[textStart, textEnd], end] = [this.#pair, at + 1]
        this.#pair = [start, end]
        if (this.#line[end] === '(') {
            this.#parens ??= this.#findParens()
            const closing = this.#parens.get(end)
            return closing === undefined ? end : this.#paintLink(start, closing + 1)
        }
        // A footnote is a text.
        const isDefinition = this.#line[end] === ':' && start === this.#definition && this.#line[start + 1] !== '^'
        if (isDefinition) return this.#paintLink(start, this.#line.length)
        return textEnd === start ? this.#paintLink(textStart, end) : end
    }

    #findParens() {
        const [closings, open] = [new Map(), []]
        for (let at = 0; at < this.#line.length; at++) {
            const sign = this.#line[at]
            if (sign === '\\') at++
            else if (sign === '(') open.push(at)
            else if (sign === ')' && open.length > 0) closings.set(open.pop(), at)
        }
        return closings
    }

    /** Links may have images inside, but no links. */
    #paintLink(first, end) {
        const isImage = this.#line[first - 1] === '!'
        const start = isImage ? first - 1 : first
        for (let at = start; at < end;) {
            const inner = this.#links.get(at)
            if (inner === undefined) this.#kinds[at] = 'link'
            at = inner ?? at + 1
        }
        this.#links.set(start, end)
        if (!isImage) this.#brackets = []
        for (const open of Object.values(this.#open)) while (open.at(-1)?.start >= start) open.pop()
        return end
    }

    /** Reads an address such as https://example.org without anything around it. */
    #readAddress(start) {
        const least = ['https://', 'http://'].map((one) => this.#afterWord(start, one)).find((end) => end > start)
        if (!least || classOf(this.#line[start - 1]) === letter) return start + 1
        let [end, hasParen] = [least, false]
        while (!isSpaceOrEnd(this.#line[end]) && !'<>[]`'.includes(this.#line[end])) {
            if (this.#line[end++] === '(') hasParen = true
        }
        const notAtEnd = `.,;:!?'"*_~${hasParen ? '' : ')'}`
        while (end > least && notAtEnd.includes(this.#line[end - 1])) end--
        return end === least ? end : this.#paintLink(start, end)
    }

    /** Where this word ends, in any letter case; `start` if it is not here. */
    #afterWord(start, word) {
        for (let index = 0; index < word.length; index++) {
            if (this.#line[start + index]?.toLowerCase() !== word[index]) return start
        }
        return start + word.length
    }
}

/** A text with Markdown that changes. */
export class MarkdownText {
    #lines = []
    /** The fence that is open after each line. */
    #fences = []

    /**
     * Reads the text as it is now. Returns { start, end, lines }: the lines from `start` to `end`, as they were counted
     * before, are replaced by these: { line, ranges } each.
     */
    read(text) {
        const [lines, old, fences] = [text.split('\n'), this.#lines, this.#fences]
        const shorter = Math.min(lines.length, old.length)
        let [start, same] = [0, 0]
        while (start < shorter && lines[start] === old[start]) start++
        while (same < shorter - start && lines.at(-1 - same) === old.at(-1 - same)) same++
        const removed = old.length - lines.length
        const read = []
        let [next, fence] = [start, fences[start - 1] ?? '']
        // A fence that is new or missing also changes the lines after it.
        while (next < lines.length - same || (next < lines.length && fence !== (fences[next + removed - 1] ?? ''))) {
            const { ranges, fence: after } = readLine(lines[next], fence)
            read.push({ line: lines[next++], ranges, fence: fence = after })
        }
        const end = next + removed
        this.#lines = lines
        this.#fences = [...fences.slice(0, start), ...read.map((one) => one.fence), ...fences.slice(end)]
        return { start, end, lines: read }
    }
}
