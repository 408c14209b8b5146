// Undo and redo in the bar of the editor. A narrow window has no room for them, and offers both in the menu.
import { element, iconButton } from './dom.js'

/** From this width on, the bar has the buttons. */
export const hasUndoButtons = () => matchMedia('(min-width: 600px)').matches

export class UndoButtons {
    #document = null
    #undo = this.#button('undo', 'Undo', () => this.#document.undo())
    #redo = this.#button('redo', 'Redo', () => this.#document.redo())
    node = element('div', { class: 'undo-buttons' }, this.#undo, this.#redo)

    /** Shows what can be undone in a document. `canEdit` is whether the user may write it now. */
    update(document, canEdit) {
        this.#document = document
        this.#undo.disabled = !canEdit || !document.canUndo
        this.#redo.disabled = !canEdit || !document.canRedo
    }

    #button(name, label, run) {
        // A press must not take the focus from the text.
        return iconButton(name, label, run, { onmousedown: (event) => event.preventDefault() })
    }
}
