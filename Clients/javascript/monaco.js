// The adapter for Monaco, the editor of VS Code: an editor shows a document that other people edit too.
//
// It uses only the methods of the editor and its model, so it imports nothing of Monaco.
import { applyEdits, offsetBefore, replaceLoneSurrogates } from './field-text.js'
import { MonacoPeople } from './monaco-people.js'
import { Surface } from './surface.js'

/** Monaco's constants: line ends in a model, in a text that is read, and scrolling without an animation. */
const [lineFeedEnds, lineFeeds, atOnce] = [0, 1, 1]

/** Shows a document in an editor with its present model. The options are those of `CaretDocument.bind`. */
export function bindMonaco(editor, document, options) {
    const surface = new MonacoSurface(editor)
    const binding = document.bind(surface, options)
    surface.whenGone(() => binding.release())
    return binding
}

class MonacoSurface extends Surface {
    #editor
    #model
    #people
    #listeners = []
    #isComposing = false
    /** What the app has set. */
    #wasReadOnly
    #isGone = false

    constructor(editor) {
        super()
        this.#editor = editor
        this.#model = editor.getModel()
        this.#people = new MonacoPeople(editor, this.#model)
        this.#wasReadOnly = editor.getRawOptions().readOnly ?? false
        this.#model.setEOL(lineFeedEnds)
        // The history of the model would undo what others have typed, so the document undoes.
        this.#model.undo = () => this.undo()
        this.#model.redo = () => this.redo()
        this.#listen()
    }

    #listen() {
        const editor = this.#editor
        const composes = (isComposing) => () => this.composing(this.#isComposing = isComposing)
        const selected = () => { if (editor.hasTextFocus()) this.selected() }
        this.#listeners.push(
            this.#model.onDidChangeContent((event) => this.#changed(event)),
            editor.onDidChangeCursorSelection(selected), editor.onDidFocusEditorText(selected),
            editor.onDidCompositionStart(composes(true)), editor.onDidCompositionEnd(composes(false)),
        )
    }

    /** Calls a function when the editor is disposed of, or shows another model. */
    whenGone(release) {
        const end = () => {
            this.#isGone = true
            release()
        }
        // Not among the listeners that `released` ends: a document may be closed first.
        this.#editor.onDidDispose(end)
        this.#editor.onDidChangeModel(end)
    }

    // The binding calls these methods.

    read() { return this.#model.getValue(lineFeeds) }

    selections() {
        return (this.#editor.getSelections() ?? []).map((one) => [
            this.#offset(one.selectionStartLineNumber, one.selectionStartColumn),
            this.#offset(one.positionLineNumber, one.positionColumn),
        ])
    }

    apply(edits, selections) {
        const keepView = this.#keepView(edits)
        this.#change(edits)
        this.#editor.setSelections(selections.map(([anchor, head]) => this.#selection(anchor, head)))
        keepView()
    }

    #change(edits) {
        const text = this.read()
        // Monaco moves the ends of a range away from half an emoji, so it gets such a text as a whole.
        if (replaceLoneSurrogates(text) !== text) return this.#model.setValue(applyEdits(text, edits))
        // Unlike `executeEdits`, this is not for the history of the model.
        this.#model.applyEdits(edits.map(({ range, text }) => ({ range: this.#people.rangeOf(...range), text })))
    }

    setReadOnly(reason) {
        if (this.#isGone) return
        this.#editor.updateOptions({
            readOnly: reason !== null || this.#wasReadOnly,
            readOnlyMessage: reason === null ? undefined : { value: reason },
        })
        for (const input of this.#editor.getDomNode()?.querySelectorAll('[role=textbox]') ?? []) {
            if (reason === null) input.removeAttribute('aria-description')
            else input.setAttribute('aria-description', reason)
        }
    }

    paint(people) { if (!this.#isGone) this.#people.show(people) }

    released() {
        for (const listener of this.#listeners) listener.dispose()
        delete this.#model.undo
        delete this.#model.redo
        this.#people.remove()
        if (!this.#isGone) this.#forgetHistory()
    }

    /** The history of the model does not know the edits of others, so it would undo at wrong places. */
    #forgetHistory() {
        const selections = this.#editor.getSelections()
        const top = this.#editor.getScrollTop()
        this.#model.setValue(this.read())
        this.#editor.setSelections(selections)
        this.#editor.setScrollTop(top, atOnce)
    }

    #changed({ changes, isFlush }) {
        // Offsets are those of the document only with these line ends.
        if (this.#model.getEOL() !== '\n') return this.#model.setEOL(lineFeedEnds)
        if (this.#isComposing) this.composing(true)
        this.edited(isFlush ? undefined : editsOf(changes))
    }

    /** Remembers the line at the top of the view. The result scrolls there again. */
    #keepView(edits) {
        const editor = this.#editor
        const top = editor.getScrollTop()
        const [first] = editor.getVisibleRanges()
        if (top === 0 || !first) return () => {}
        const offset = this.#offset(first.startLineNumber, first.startColumn)
        const hidden = top - editor.getTopForPosition(first.startLineNumber, first.startColumn)
        return () => {
            const { lineNumber, column } = this.#model.getPositionAt(offsetBefore(offset, edits))
            editor.setScrollTop(editor.getTopForPosition(lineNumber, column) + hidden, atOnce)
        }
    }

    #offset(lineNumber, column) { return this.#model.getOffsetAt({ lineNumber, column }) }

    #selection(anchor, head) {
        const [start, end] = [this.#model.getPositionAt(anchor), this.#model.getPositionAt(head)]
        return {
            selectionStartLineNumber: start.lineNumber, selectionStartColumn: start.column,
            positionLineNumber: end.lineNumber, positionColumn: end.column,
        }
    }
}

/** The changes of Monaco as edits. All offsets refer to the text before them. */
export function editsOf(changes) {
    return changes
        .map(({ rangeOffset, rangeLength, text }) => ({ range: [rangeOffset, rangeOffset + rangeLength], text }))
        .sort((one, other) => one.range[0] - other.range[0])
}
