// A page with a Monaco that shows a document. `editing` is what all pages with an editor have.
import { e as monacoEditor } from '/editors/monaco/assets/monaco-core.js'
import { bindMonaco } from '/caret/monaco.js'
import { openShared } from './editor-page.js'

await openShared()
globalThis.MonacoEnvironment = { getWorkerUrl: () => '/editors/monaco/monacoeditorwork/editor.worker..bundle.js' }
const editor = monacoEditor.create(document.querySelector('#editor'), {
    value: 'a text before\r\nthe document', language: 'plaintext', autoClosingBrackets: 'never', minimap: { enabled: false }, wordWrap: 'on',
    quickSuggestions: false, wordBasedSuggestions: 'off', fixedOverflowWidgets: true,
})
const model = editor.getModel()
const position = (offset) => model.getPositionAt(offset)
const offset = (lineNumber, column) => model.getOffsetAt({ lineNumber, column })
let binding = bindMonaco(editor, shared)
globalThis.editor = editor
globalThis.editing = {
    text: () => model.getValue(1),
    focus: () => editor.focus(),
    select: (selections) => editor.setSelections(selections.map(([anchor, head]) => ({
        selectionStartLineNumber: position(anchor).lineNumber, selectionStartColumn: position(anchor).column,
        positionLineNumber: position(head).lineNumber, positionColumn: position(head).column,
    }))),
    selections: () => editor.getSelections().map((one) => [
        offset(one.selectionStartLineNumber, one.selectionStartColumn), offset(one.positionLineNumber, one.positionColumn),
    ]),
    /** What a script of the page does. */
    replace: (start, end, text) => editor.executeEdits('page', [{
        range: {
            startLineNumber: position(start).lineNumber, startColumn: position(start).column,
            endLineNumber: position(end).lineNumber, endColumn: position(end).column,
        }, text,
    }]),
    isReadOnly: () => editor.getRawOptions().readOnly ?? false,
    description: () => editor.getDomNode().querySelector('[role=textbox]').getAttribute('aria-description'),
    scrollTo: (top) => editor.setScrollTop(top),
    show: (document) => {
        binding.release()
        binding = bindMonaco(editor, document)
    },
    release: () => binding.release(),
    destroy: () => editor.dispose(),
    marks: { caret: '.caret-head', name: '.caret-name', selection: '.caret-selection' },
}
await shared.opened()
document.title = 'ready'
