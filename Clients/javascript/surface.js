// For editors that are no textarea, such as a code editor: a program writes an adapter for its editor, as a subclass of
// Surface, and passes it to `CaretDocument.bind`.
import { SurfaceBinding } from './surface-binding.js'

/**
 * An adapter of an editor. Offsets count UTF-16 code units, and line ends are '\n'.
 *
 * A subclass has `read`, `apply`, `selections` and `setReadOnly`, and calls `edited`, `selected`, `undo`, `redo` and
 * `composing` when the user does these things. While the editor is not bound, these calls do nothing.
 */
export class Surface {
    #binding = null

    /** The text that the editor shows. */
    read() { throw missing('read') }

    /** Changes the text, and then selects. The calls of `edited` and `selected` that this causes do nothing. */
    apply(_edits, _selections) { throw missing('apply') }

    /** What the user has selected: [anchor, head] each. */
    selections() { throw missing('selections') }

    /** `reason` says why the user may not write. It is null if they may. */
    setReadOnly(_reason) { throw missing('setReadOnly') }

    /** Shows the carets and selections of others: { session, name, color, textColor, selections } each. */
    paint(_people) {}

    /** The binding has ended. */
    released() {}

    /** The user has changed the text. The offsets of `edits` refer to the text before. Without them, they are found. */
    edited(edits) { this.#binding?.edited(edits) }

    /** The user has moved the caret or the selection. */
    selected() { this.#binding?.selected() }

    undo() { this.#binding?.runHistory('undo') }
    redo() { this.#binding?.runHistory('redo') }

    /** An input method composes a character, or has ended. Meanwhile, changes by others wait. */
    composing(isComposing) { this.#binding?.composing(isComposing) }

    /** Use `CaretDocument.bind`. */
    connect(document, options) {
        if (this.#binding?.isClosed) this.#binding.release()
        if (this.#binding) throw new TypeError('this editor is bound already')
        const release = () => { this.#binding = null }
        this.#binding = new SurfaceBinding(document, this, { ...options, release })
        return this.#binding
    }
}

function missing(name) { return new TypeError(`a subclass of Surface needs the method ${name}`) }
