// An invisible copy of a textarea, line by line, to measure where its text is. A textarea itself cannot tell.

/** Everything that decides where the browser breaks lines, and how high they are. */
const metrics = [
    'direction', 'font-family', 'font-size', 'font-style', 'font-weight', 'font-stretch', 'font-variant',
    'font-feature-settings', 'font-kerning', 'font-optical-sizing', 'font-size-adjust', 'font-variation-settings',
    'hyphens', 'letter-spacing', 'line-break', 'line-height', 'overflow-wrap', 'padding-bottom', 'padding-left',
    'padding-right', 'padding-top', 'tab-size', 'text-align', 'text-indent', 'text-rendering', 'text-transform',
    'unicode-bidi', 'white-space', 'word-break', 'word-spacing',
]

const sheet = `
    :host {
        all: initial; contain: strict; display: block; position: absolute; left: 0; top: 0; width: 0; height: 0;
        overflow: hidden; pointer-events: none;
    }
    .text { position: absolute; left: 0; top: 0; box-sizing: content-box; visibility: hidden; }
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
        this.#field.after(this.host)
    }

    #copyMetrics() {
        const field = this.#field
        const style = field.ownerDocument.defaultView.getComputedStyle(field)
        for (const name of metrics) this.#text.style.setProperty(name, style.getPropertyValue(name))
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
        const div = this.#text.children[line]
        const range = this.#field.ownerDocument.createRange()
        range.setStart(div.firstChild, column)
        range.setEnd(div.firstChild, column + 1)
        const rects = range.getClientRects()
        return rects[rects.length - 1] ?? div.getBoundingClientRect()
    }
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
