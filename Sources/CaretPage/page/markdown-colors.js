// The colors of Markdown in the text of the editor.
//
// A textarea can show its text in only one color. So there is a layer with the same text behind the textarea. The layer
// has a colored background for each heading, piece of code, link and mark. The textarea is drawn over it with a blend mode,
// which gives each letter the color behind it and leaves the space between letters unchanged. The user sees only letters
// of the textarea, so selection, spell checking and input methods work as usual. A fault in the layer can only make a color
// wrong.
import { element } from './dom.js'
import { MarkdownText } from './markdown.js'

/** In UTF-16 code units. A longer text has no colors, because the browser lays it out twice for them. */
const longestColored = 100 * 1024

/** Emoji keep their own colors. */
const emoji = /([\p{RI}\p{Extended_Pictographic}][\p{RI}\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]*)/u

export class MarkdownColors {
    #editor
    #layer = null
    #text = null
    #isPlanned = false

    /** `editor` has `document`, `field` and `stage`. */
    constructor(editor) {
        this.#editor = editor
        // These events do not bubble.
        editor.stage.addEventListener('scroll', () => this.#align(), { capture: true, passive: true })
    }

    /** The text has changed, or the name of the document, or whether the text is on the page. */
    update() {
        if (this.#isPlanned) return
        this.#isPlanned = true
        // The field may get a change only after this call, but in the same task, so no frame comes before that.
        queueMicrotask(() => {
            this.#isPlanned = false
            this.#show()
        })
    }

    #show() {
        const { document, field, stage } = this.#editor
        const isMarkdown = /\.md$/i.test(document.name) && field.textLength <= longestColored
        const isColored = isMarkdown && field.parentNode === stage
        stage.classList.toggle('colored', isColored)
        if (!isColored) {
            this.#layer?.remove()
            this.#layer = null
            return
        }
        if (this.#layer?.parentNode !== stage) {
            // It has the class of the field, and so the same layout and the same scrolling.
            this.#layer = element('div', { class: 'text colors', 'aria-hidden': 'true', inert: true, translate: 'no' })
            this.#text = new MarkdownText()
            stage.append(this.#layer)
        }
        // With 'auto', the browser would look for the first letter of the copy again after each line that is added.
        const { direction } = getComputedStyle(field)
        if (this.#layer.dir !== direction) this.#layer.dir = direction
        this.#replaceLines(this.#text.read(field.value))
        this.#align()
    }

    #replaceLines({ start, end, lines }) {
        let next = this.#layer.children[start] ?? null
        for (let count = end - start; count > 0; count--) {
            const old = next
            next = old.nextSibling
            old.remove()
        }
        for (const { line, ranges } of lines) this.#layer.insertBefore(lineNode(line, ranges), next)
    }

    /** Scrolls like the field. If the layer has another height than the field, the colors are hidden. */
    #align() {
        if (!this.#layer) return
        const { field } = this.#editor
        const layer = this.#layer
        layer.classList.toggle('different', layer.scrollHeight !== field.scrollHeight)
        layer.scrollTop = field.scrollTop
        layer.scrollLeft = field.scrollLeft
    }
}

function lineNode(line, ranges) {
    const node = element('div')
    let rest = 0
    for (const [start, end, kind] of ranges) {
        node.append(line.slice(rest, start))
        for (const [index, part] of line.slice(start, end).split(emoji).entries()) {
            // The letters of the copy are never visible.
            node.append(index % 2 === 1 ? part : element('span', { 'data-kind': kind }, element('span', {}, part)))
        }
        rest = end
    }
    // Without a line end, an empty line would have no height.
    node.append(`${line.slice(rest)}\n`)
    return node
}
