// The interface of monaco.js, the adapter for Monaco.

import type { editor } from 'monaco-editor'
import type { BindOptions, CaretDocument, SurfaceBinding } from './caret.js'

/**
 * Shows a document in an editor with its present model. The text of the document replaces that of the model. This ends
 * with `release`, and when the editor is disposed of or shows another model.
 */
export function bindMonaco(editor: editor.ICodeEditor, document: CaretDocument, options?: BindOptions): SurfaceBinding
