// The interface of codemirror.js, the extension for CodeMirror 6.

import type { Extension } from '@codemirror/state'
import type { BindOptions, CaretDocument } from './caret.js'

/**
 * An extension that shows a document in each view that has it. The text of the document replaces that of the
 * view. Destroying the view, or giving it a state without the extension, ends this.
 */
export function caret(document: CaretDocument, options?: BindOptions): Extension
