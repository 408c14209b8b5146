// The adapter between CodeMirror 5 and a document.
import { Surface } from 'http://127.0.0.1:22738/caret.js'

export class CodeMirrorSurface extends Surface {
    #editor
    #listeners = {
        changes: (_, changes) => this.#changed(changes),
        cursorActivity: () => { if (this.#editor.hasFocus()) this.selected() },
        focus: () => this.selected(),
    }
    #composition = () => this.composing(true)
    #compositionEnd = () => this.composing(false)
    #keys = {
        'Ctrl-Z': () => this.undo(), 'Cmd-Z': () => this.undo(), 'Ctrl-Y': () => this.redo(),
        'Shift-Ctrl-Z': () => this.redo(), 'Shift-Cmd-Z': () => this.redo(),
    }
    /** The carets and selections of others. */
    #marks = []

    constructor(editor) {
        super()
        this.#editor = editor
        // The history of the editor would undo what others have typed, so the document undoes.
        editor.setOption('undoDepth', 0)
        editor.addKeyMap(this.#keys)
        for (const [type, listener] of Object.entries(this.#listeners)) editor.on(type, listener)
        const input = editor.getInputField()
        input.addEventListener('compositionstart', this.#composition)
        input.addEventListener('compositionupdate', this.#composition)
        input.addEventListener('compositionend', this.#compositionEnd)
    }

    read() { return this.#editor.getValue('\n') }

    selections() {
        return this.#editor.listSelections().map(({ anchor, head }) => [this.#offset(anchor), this.#offset(head)])
    }

    apply(edits, selections) {
        const editor = this.#editor
        const keepView = this.#topLine()
        editor.operation(() => {
            // From the last edit to the first, so that the offsets of the others stay valid.
            for (const { range: [start, end], text } of [...edits].reverse()) {
                editor.replaceRange(text, this.#position(start), this.#position(end), 'caret')
            }
            editor.setSelections(selections.map((one) => this.#range(one)), undefined, { scroll: false })
        })
        keepView()
    }

    setReadOnly(reason) {
        this.#editor.setOption('readOnly', reason !== null)
        this.#editor.getInputField().setAttribute('aria-description', reason ?? '')
    }

    paint(people) {
        this.#editor.operation(() => {
            for (const mark of this.#marks.splice(0)) mark.clear()
            for (const { name, color, textColor, selections } of people) {
                for (const [anchor, head] of selections) this.#paintSelection(anchor, head, color)
                const widget = caretOf(name, color, textColor)
                this.#marks.push(this.#editor.setBookmark(this.#position(selections[0][1]), { widget, insertLeft: true }))
            }
        })
    }

    released() {
        const input = this.#editor.getInputField()
        input.removeEventListener('compositionstart', this.#composition)
        input.removeEventListener('compositionupdate', this.#composition)
        input.removeEventListener('compositionend', this.#compositionEnd)
        for (const [type, listener] of Object.entries(this.#listeners)) this.#editor.off(type, listener)
        this.#editor.removeKeyMap(this.#keys)
        this.#editor.setOption('undoDepth', 200)
    }

    #changed(changes) {
        const own = changes.filter(({ origin }) => origin !== 'caret')
        if (own.length === 0) return
        // The places of a change refer to the text after those before it. One change is exact, and several are compared.
        const [{ from, removed, text, origin }] = own
        if (changes.length > 1 || origin === 'setValue') return this.edited()
        const start = this.#offset(from)
        this.edited([{ range: [start, start + removed.join('\n').length], text: text.join('\n') }])
    }

    #paintSelection(anchor, head, color) {
        if (anchor === head) return
        const [start, end] = [this.#position(Math.min(anchor, head)), this.#position(Math.max(anchor, head))]
        const css = `background-color: color-mix(in srgb, ${color} 25%, transparent)`
        this.#marks.push(this.#editor.markText(start, end, { css }))
    }

    /** Remembers the line at the top of the view. The result scrolls there again. */
    #topLine() {
        const editor = this.#editor
        const { top } = editor.getScrollInfo()
        if (top === 0) return () => {}
        const line = editor.lineAtHeight(top, 'local')
        const hidden = top - editor.heightAtLine(line, 'local')
        const mark = editor.setBookmark({ line, ch: 0 })
        return () => {
            const place = mark.find()
            if (place) editor.scrollTo(null, editor.heightAtLine(place.line, 'local') + hidden)
            mark.clear()
        }
    }

    #offset(position) { return this.#editor.indexFromPos(position) }
    #position(offset) { return this.#editor.posFromIndex(offset) }
    #range([anchor, head]) { return { anchor: this.#position(anchor), head: this.#position(head) } }
}

function caretOf(name, color, textColor) {
    const caret = document.createElement('span')
    caret.className = 'other-caret'
    caret.style.setProperty('--color', color)
    caret.style.setProperty('--text-color', textColor)
    caret.dataset.name = name
    return caret
}
