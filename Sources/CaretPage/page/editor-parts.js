// What the text of the editor has from the rest of the page: the banner, undo, people, finding, colors, and notes.
import { Banner } from './editor-banner.js'
import { FindBar } from './find-bar.js'
import { MarkdownColors } from './markdown-colors.js'
import { Notes } from './notes.js'
import { People } from './people.js'
import { reveal } from './reveal.js'
import { bannerFor } from './saving-words.js'
import { UndoButtons } from './undo-buttons.js'

export class EditorParts {
    find
    #app
    #editor
    #banner
    #people
    #undo = new UndoButtons()
    #colors
    #notes = null

    /** `editor` has `node`, `body`, `stage`, `bar`, `document`, `field`, and `run(action)`. */
    constructor(app, editor) {
        [this.#app, this.#editor] = [app, editor]
        this.#banner = new Banner((action) => editor.run(action))
        this.#people = new People(app, {
            text: () => editor.field.value, goTo: (offset) => reveal(editor.field, offset, { isCentered: true }),
        })
        this.find = new FindBar(app, editor)
        this.#colors = new MarkdownColors(editor)
        editor.bar.add(this.#undo.node)
        editor.body.prepend(this.#banner.node, this.find.node)
        editor.body.after(this.#people.news)
    }

    close() {
        this.#notes?.close()
        this.#people.close()
        this.find.close()
    }

    /** The document has its name, or a new one. A renamed document has other notes, and the draft goes with it. */
    named() {
        this.#showNotes()
        this.#colors.update()
    }

    #showNotes() {
        const { node, document } = this.#editor
        const draft = this.#notes?.draft
        this.#notes?.close()
        this.#notes?.node.remove()
        this.#notes = new Notes(this.#app, document.name, { draft })
        node.append(this.#notes.node)
        // Notes are documents too, which have no notes of their own.
        node.classList.toggle('has-notes', !this.#notes.node.hidden && this.#notes.node.hasChildNodes())
    }

    /** The document has changed, or what the user may do with it. */
    update(situation, facts, now, canEdit) {
        this.#showBanner(bannerFor(situation, facts, now))
        // After a fault, and after the page has closed the connection, the document cannot be read.
        if (situation !== 'trapped' && facts.link.reason !== 'closed') this.edited(canEdit)
        this.#colors.update()
    }

    #showBanner(banner) {
        const { node } = this.#banner
        const hadFocus = node.contains(document.activeElement)
        this.#banner.show(banner)
        if (hadFocus && !node.contains(document.activeElement)) this.#editor.bar.menu.focus()
    }

    /** The text has changed. */
    edited(canEdit) {
        this.#undo.update(this.#editor.document, canEdit)
        this.find.update(canEdit)
        this.#colors.update()
    }

    /** Others have come, gone or moved their carets. */
    showPeople(peers, options) { this.#people.update(peers, options) }

    /** Somebody else has changed the text. */
    othersChanged(edits, peers) { this.#people.changed(edits, peers) }

    openPeople() { return this.#people.open() }
}
