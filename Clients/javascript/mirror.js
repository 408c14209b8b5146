// An invisible copy of a textarea, line by line, to measure where its text is. A textarea itself cannot tell.
import { findOwnEdit } from './field-text.js'

/** Everything that decides where the browser breaks lines, and how high they are. */
const metrics = [
    'direction', 'font-family', 'font-size', 'font-style', 'font-weight', 'font-stretch', 'font-variant',
    'font-feature-settings', 'font-kerning', 'font-optical-sizing', 'font-size-adjust', 'font-variation-settings',
    'hyphens', 'letter-spacing', 'line-break', 'line-height', 'overflow-wrap', 'padding-bottom', 'padding-left',
    'padding-right', 'padding-top', 'tab-size', 'text-align', 'text-indent', 'text-rendering', 'text-transform',
    'unicode-bidi', 'white-space', 'word-break', 'word-spacing',
]

const sheet = `
    /* Styles of the page must not change the copy. */
    :host {
        all: initial !important; contain: strict !important; display: block !important; position: absolute !important;
        left: var(--caret-left, 0px) !important; top: var(--caret-top, 0px) !important; width: var(--caret-width, 0px) !important;
        height: var(--caret-height, 0px) !important; overflow: hidden !important; pointer-events: none !important;
    }
    .text { position: absolute; left: 0; top: 0; box-sizing: content-box; visibility: hidden; }
    /* Each line has a direction of its own if the field has dir="auto". */
    .text > * { unicode-bidi: inherit; }
`

export class Mirror {
    /** The element beside the field, which has everything else in its shadow tree. */
    host = null
    #field
    #text = null
    #lines = []

    constructor(field) { this.#field = field }

    remove() {
        this.host?.remove()
        this.host = null
        this.#lines = []
    }

    /** How high the text is, with the padding of the field. */
    get height() { return this.#text.getBoundingClientRect().height }

    /** Shows this text as the field would. Does not measure anything yet. */
    show(text) {
        if (!this.host) this.#build()
        this.#copyMetrics()
        const lines = text.split('\n')
        const shorter = Math.min(lines.length, this.#lines.length)
        let start = 0
        while (start < shorter && lines[start] === this.#lines[start]) start++
        let end = 0
        while (end < shorter - start && lines.at(-1 - end) === this.#lines.at(-1 - end)) end++
        this.#replaceLines(start, this.#lines.length - end, lines.slice(start, lines.length - end))
        this.#lines = lines
    }

    /** The first offset of the text whose character ends below `top`, in pixels from the start of the field. */
    offsetAt(top) {
        const { children } = this.#text
        const origin = this.#origin.top
        const below = (rect) => rect.bottom - origin > top
        const line = search(children.length - 1, (index) => below(children[index].getBoundingClientRect()))
        const column = search(this.#lines[line].length, (index) => below(this.#rect(line, index)))
        return this.#start(line) + column
    }

    /** How many pixels the line with this offset is below the start of the field. */
    topOf(offset) {
        const [line, column] = this.#position(offset)
        return this.#rect(line, column).top - this.#origin.top
    }

    /** The offsets of the first and the last character of the lines between two heights. */
    offsetsBetween(top, bottom) {
        const { children } = this.#text
        const origin = this.#origin.top
        const edge = (index, side) => children[index].getBoundingClientRect()[side] - origin
        const first = search(children.length - 1, (index) => edge(index, 'bottom') > top)
        const next = search(children.length, (index) => edge(index, 'top') >= bottom)
        return [this.#start(first), this.#start(Math.max(first, next - 1)) + this.#lines[Math.max(first, next - 1)].length]
    }

    /** The rectangles that a selection covers, from the start of the field. */
    rectanglesOf(start, end) {
        const [[first, startColumn], [last, endColumn]] = [this.#position(start), this.#position(end)]
        const rects = []
        // A range over several lines would also have the rectangles of whole blocks.
        for (let line = first; line <= last; line++) {
            const columns = [line === first ? startColumn : 0, line === last ? endColumn : this.#lines[line].length]
            rects.push(...this.#range(line, ...columns).getClientRects())
        }
        return rects.filter(({ width }) => width > 0).map((rect) => this.#fromOrigin(rect))
    }

    /** The rectangle of a caret, which has no width, from the start of the field. */
    caretAt(offset) {
        const [line, column] = this.#position(offset)
        const [rect] = this.#range(line, column, column).getClientRects()
        // Before a line end, some engines have no rectangle.
        const { left, top, height } = this.#fromOrigin(rect ?? this.#rect(line, column))
        return { left, top, width: 0, height }
    }

    #range(line, startColumn, endColumn) {
        const range = this.#field.ownerDocument.createRange()
        const { firstChild } = this.#text.children[line]
        range.setStart(firstChild, startColumn)
        range.setEnd(firstChild, endColumn)
        return range
    }

    #fromOrigin({ left, top, width, height }) {
        const origin = this.#origin
        return { left: left - origin.left, top: top - origin.top, width, height }
    }

    get #origin() { return this.#text.getBoundingClientRect() }

    #build() {
        const { ownerDocument } = this.#field
        this.host = ownerDocument.createElement('div')
        this.host.setAttribute('aria-hidden', 'true')
        const root = this.host.attachShadow({ mode: 'open' })
        const styles = new (ownerDocument.defaultView.CSSStyleSheet)()
        styles.replaceSync(sheet)
        root.adoptedStyleSheets = [styles]
        this.#text = ownerDocument.createElement('div')
        this.#text.className = 'text'
        root.append(this.#text)
        this.#lines = []
        this.#field.after(this.host)
    }

    #copyMetrics() {
        const field = this.#field
        const style = field.ownerDocument.defaultView.getComputedStyle(field)
        for (const name of metrics) this.#text.style.setProperty(name, style.getPropertyValue(name))
        // Chromium rounds a line height in pixels differently from a factor, and over many lines the difference adds up.
        const height = field.computedStyleMap?.().get('line-height')
        if (height?.unit === 'number') this.#text.style.setProperty('line-height', height.value)
        const pixels = (name) => parseFloat(style.getPropertyValue(name)) || 0
        // `clientWidth` is a whole number, but a field may be wider by a fraction. Only the scrollbar is whole.
        const borders = pixels('border-left-width') + pixels('border-right-width')
        const scrollbar = Math.max(0, Math.round(field.offsetWidth - field.clientWidth - borders))
        const padding = pixels('padding-left') + pixels('padding-right')
        const width = field.getBoundingClientRect().width - borders - scrollbar - padding
        this.#text.style.setProperty('width', `${Math.max(0, width)}px`)
    }

    #replaceLines(start, end, lines) {
        const { children } = this.#text
        // Typing changes one line. A browser lays out a changed text node faster than a new one.
        if (lines.length === 1 && end - start === 1) return changeText(children[start].firstChild, this.#lines[start], lines[0])
        const divs = lines.map((line) => {
            const div = this.#field.ownerDocument.createElement('div')
            // Without a line end, an empty line would have no height.
            div.textContent = line + '\n'
            return div
        })
        const next = children[end] ?? null
        for (let index = end - 1; index >= start; index--) children[index].remove()
        for (const div of divs) this.#text.insertBefore(div, next)
    }

    #position(offset) {
        let [line, rest] = [0, offset]
        while (line < this.#lines.length - 1 && rest > this.#lines[line].length) rest -= this.#lines[line++].length + 1
        return [line, Math.min(rest, this.#lines[line].length)]
    }

    #start(line) {
        let offset = 0
        for (let index = 0; index < line; index++) offset += this.#lines[index].length + 1
        return offset
    }

    /** The rectangle of the character in this column. After the last one, that of the line end. */
    #rect(line, column) {
        const rects = this.#range(line, column, column + 1).getClientRects()
        return rects[rects.length - 1] ?? this.#text.children[line].getBoundingClientRect()
    }
}

/** Replaces only what differs at the start of a text node: `before`, which becomes `after`. */
function changeText(node, before, after) {
    const edit = findOwnEdit(before, after, after.length)
    if (!edit) return
    const { range: [start, end], text } = edit
    node.replaceData(start, end - start, text)
}

/** The first index below `count` for which `holds` is true, or `count`. From there on, it must be true for all. */
function search(count, holds) {
    let [low, high] = [0, count]
    while (low < high) {
        const middle = (low + high) >> 1
        if (holds(middle)) high = middle
        else low = middle + 1
    }
    return low
}
