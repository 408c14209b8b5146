// A program in JavaScript that people write together in CodeMirror 5.
import { Caret } from 'http://127.0.0.1:22738/caret.js'
import { guest, showStatus } from '../shared/example.js'
import { CodeMirrorSurface } from './code-mirror-surface.js'

const caret = await Caret.connect('http://127.0.0.1:22738', guest)
const program = caret.open('examples/code-editor', { create: true })
const editor = globalThis.CodeMirror(document.querySelector('#editor'), {
    mode: 'javascript', lineNumbers: true, lineWrapping: true, indentUnit: 4, screenReaderLabel: 'Program',
    // The Tab key moves the focus on, as on other pages.
    extraKeys: { Tab: false, 'Shift-Tab': false },
})
program.bind(new CodeMirrorSurface(editor))
showStatus(caret, [program])
