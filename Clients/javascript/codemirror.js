// An extension for CodeMirror 6: the editor shows a document that other people edit too.
import { Compartment, EditorSelection, EditorState, Prec, Text, Transaction } from '@codemirror/state'
import { EditorView, keymap, ViewPlugin } from '@codemirror/view'
import { changePeople, showPeople } from './codemirror-people.js'
import { Surface } from './surface.js'

/** An extension that shows a document in each view that has it. The options are those of `CaretDocument.bind`. */
export function caret(document, options) {
    const access = new Compartment()
    return ViewPlugin.define((view) => new EditorSurface(view, access, document, options), {
        // The history of the editor would undo what others have typed, so the document undoes.
        provide: (plugin) => [Prec.highest(historyOf(plugin)), access.of([]), showPeople],
    })
}

/** The keys and the menu of the browser, which undo and redo. */
function historyOf(plugin) {
    const run = (command) => (view) => (view.plugin(plugin)[command](), true)
    const [undo, redo] = [run('undo'), run('redo')]
    const commands = { historyUndo: undo, historyRedo: redo }
    return [
        keymap.of([{ key: 'Mod-z', run: undo, shift: redo }, { win: 'Ctrl-y', linux: 'Ctrl-y', run: redo }]),
        EditorView.domEventHandlers({ beforeinput: ({ inputType }, view) => commands[inputType]?.(view) ?? false }),
    ]
}

/** The adapter of a view, which is also the value of its plugin. */
class EditorSurface extends Surface {
    #view
    /** Where the state has the reason for which the user may not write. */
    #access
    #binding
    #listeners = new AbortController()
    #isUpdating = false
    #isDestroyed = false

    constructor(view, access, document, options) {
        super()
        this.#view = view
        this.#access = access
        // A view cannot be changed while it is made.
        queueMicrotask(() => { if (!this.#isDestroyed) this.#bind(document, options) })
    }

    #bind(document, options) {
        this.#binding = document.bind(this, options)
        const { contentDOM } = this.#view
        // On Android, CodeMirror gets the events of an input method from this object.
        const input = contentDOM.editContext ?? contentDOM
        for (const type of ['compositionstart', 'compositionupdate', 'compositionend']) {
            input.addEventListener(type, () => this.composing(type !== 'compositionend'), this.#listeners)
        }
    }

    // CodeMirror calls these methods.

    update(update) {
        this.#isUpdating = true
        if (update.docChanged) this.edited(editsOf(update.changes))
        this.#isUpdating = false
        if ((update.selectionSet || update.focusChanged) && this.#view.hasFocus) this.selected()
    }

    destroy() {
        this.#isDestroyed = true
        this.#binding?.release()
    }

    // The binding calls these methods.

    read() { return this.#view.state.doc.toString() }

    selections() { return this.#view.state.selection.ranges.map(({ anchor, head }) => [anchor, head]) }

    apply(edits, selections) {
        // The binding repairs a text that is not valid Unicode, but a view cannot be changed while it is updated.
        if (this.#isUpdating) return this.#compareLater()
        const { state } = this.#view
        const changes = state.changes(edits.map(({ range: [from, to], text }) => (
            { from, to, insert: Text.of(text.split('\n')) }
        )))
        const transaction = state.update({
            changes, selection: selectionAfter(state.selection, changes, selections),
            annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
            // Filters of the app are for what the user types.
            filter: false,
        })
        this.#view.dispatch(transaction)
        // A listener of the app may have changed the text meanwhile.
        if (this.#view.state.doc !== transaction.newDoc) this.#compareLater()
    }

    setReadOnly(reason) {
        const extension = reason === null ? [] : Prec.highest([
            EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-description': reason }),
        ])
        this.#dispatch(this.#access.reconfigure(extension))
    }

    paint(people) { this.#dispatch(changePeople(this.#view.state, people)) }

    released() { this.#listeners.abort() }

    #dispatch(effects) {
        // A view that is destroyed, or that gets another document, has neither people nor a reason any more.
        if (!this.#isDestroyed) this.#view.dispatch({ effects })
    }

    #compareLater() { queueMicrotask(() => this.edited()) }
}

/** The changes of CodeMirror as edits. All offsets refer to the text before them. */
function editsOf(changes) {
    const edits = []
    changes.iterChanges((start, end, _from, _to, inserted) => {
        edits.push({ range: [start, end], text: inserted.toString() })
    })
    return edits
}

/** What to select after changes; undefined if CodeMirror selects it anyway, so that its tooltips stay. */
function selectionAfter(selection, changes, selections) {
    const ranges = selections.map(([anchor, head]) => EditorSelection.range(anchor, head))
    const wanted = EditorSelection.create(ranges, Math.min(selection.mainIndex, ranges.length - 1))
    return selection.map(changes).eq(wanted) ? undefined : wanted
}
