// A page with CodeMirror 6 and Monaco. It is only type-checked: types.mjs says how.
// Each line below '@ts-expect-error' is a mistake that the compiler must find.
/// <reference path="editor-types.d.ts" />
import type { Extension } from '@codemirror/state'
import type { editor } from 'monaco-editor'
import { Caret, SurfaceBinding } from '../../../Clients/javascript/caret.js'
import { caret as shows } from '../../../Clients/javascript/codemirror.js'
import { bindMonaco } from '../../../Clients/javascript/monaco.js'

const caret = await Caret.connect()
const document = caret.open('agenda')
const extensions: Extension[] = [shows(document), shows(document, { labels: false })]
extensions.length
// @ts-expect-error
shows('agenda')

declare const monaco: editor.ICodeEditor
const binding: SurfaceBinding = bindMonaco(monaco, document, { overlay: false })
binding.release()
// @ts-expect-error
bindMonaco(document)
