// A page with a CodeMirror that shows a document. `editing` is what all pages with an editor have.
import { basicSetup, Compartment, EditorSelection, EditorState, EditorView } from '/editors/codemirror/index.js'
import { caret as caretExtension } from '/caret/codemirror.js'
import { openShared } from './editor-page.js'

await openShared()
const shown = new Compartment()
const view = new EditorView({
    doc: 'a text before the document',
    extensions: [
        basicSetup, EditorView.lineWrapping, EditorView.cspNonce.of('editor'),
        EditorState.allowMultipleSelections.of(true), shown.of(caretExtension(shared)),
    ],
    parent: document.querySelector('#editor'),
})
globalThis.view = view
globalThis.editing = {
    text: () => view.state.doc.toString(),
    focus: () => view.focus(),
    select: (selections) => view.dispatch({
        selection: EditorSelection.create(selections.map(([anchor, head]) => EditorSelection.range(anchor, head))),
    }),
    selections: () => view.state.selection.ranges.map(({ anchor, head }) => [anchor, head]),
    /** What a script of the page does. */
    replace: (start, end, text) => view.dispatch({ changes: { from: start, to: end, insert: text } }),
    isReadOnly: () => view.state.readOnly,
    description: () => view.contentDOM.getAttribute('aria-description'),
    scrollTo: (top) => { view.scrollDOM.scrollTop = top },
    show: (document) => view.dispatch({ effects: shown.reconfigure(document ? caretExtension(document) : []) }),
    destroy: () => view.destroy(),
    marks: { caret: '.cm-personCaret', name: '.cm-personName', selection: '.cm-personSelection' },
}
await shared.opened()
document.title = 'ready'
