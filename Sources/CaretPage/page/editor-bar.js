// The bar above the editor: the way back, the name, what is saved, who is here, and the menu.
import { peerName } from '../../../Clients/javascript/peer-look.js'
import { avatar, element, fill, icon, iconButton } from './dom.js'
import { partsOf, visibleName } from './document-name.js'
import { namesWords } from './people-words.js'

/** How many people have a face in the bar. The others are a number. */
const mostFaces = 3

export class EditorBar {
    #name = element('button', { type: 'button', class: 'plain-button name', 'aria-haspopup': 'dialog' })
    #mark = element('span', { class: 'mark' })
    #words = element('span', { class: 'words' })
    #state = element('span', { class: 'state' }, this.#mark, element('span', { class: 'words-box' }, this.#words))
    #faces = element('button', { type: 'button', class: 'plain-button faces', 'aria-haspopup': 'dialog' })
    #shown = ''
    #shownFaces = null

    /** `actions` has `openName`, `openPeople` and `openMenu`. */
    constructor({ openName, openPeople, openMenu }) {
        this.#name.addEventListener('click', openName)
        this.#faces.addEventListener('click', openPeople)
        this.menu = iconButton('more', 'More', openMenu, { class: 'round more', 'aria-haspopup': 'dialog' })
        this.node = element('header', { class: 'bar above' },
            element('a', { class: 'round back', href: '/', 'aria-label': 'Documents', title: 'Documents' }, icon('back')),
            element('div', { class: 'heading' }, element('h1', {}, this.#name), this.#state),
            this.#faces, this.menu)
        this.showPeople([])
    }

    showName(name) {
        const { folder, title } = partsOf(name)
        this.#name.title = visibleName(name)
        fill(this.#name, folder && element('span', { class: 'folder' }, visibleName(folder)),
            folder && element('span', { class: 'slash' }, '/'),
            element('span', { class: 'leaf' }, visibleName(title)), icon('down'))
    }

    /** Adds controls before the people. */
    add(node) { this.#faces.before(node) }

    /** Without a document, there is nothing to rename, and nobody to meet. */
    set isEmpty(isEmpty) {
        this.#name.disabled = isEmpty
        this.#faces.hidden = isEmpty
        this.menu.hidden = isEmpty
    }

    /** Shows a status of `SavingDisplay`. */
    showStatus(status) {
        const key = JSON.stringify(status)
        if (key === this.#shown) return
        this.#shown = key
        this.#state.className = `state ${status.tone} ${status.isQuiet ? 'quiet-state' : ''}`
        this.#state.title = status.words
        fill(this.#mark, icon(status.mark))
        this.#mark.className = `mark ${status.mark}`
        this.#words.textContent = status.words
    }

    /** Shows the other people. */
    showPeople(peers) {
        const key = JSON.stringify(peers.map(({ session, name, user, color, client }) => [session, name, user, color, client]))
        if (key === this.#shownFaces) return
        this.#shownFaces = key
        const faces = peers.slice(0, peers.length > mostFaces ? mostFaces - 1 : mostFaces)
        const rest = peers.length - faces.length
        const words = peers.length === 0 ? 'People: only you' : `People: ${namesWords(peers.map(peerName))}`
        this.#faces.setAttribute('aria-label', words)
        this.#faces.title = words
        fill(this.#faces, faces.length === 0 && icon('people'), faces.map((peer) => avatar(peer, { label: false })),
            rest > 0 && element('span', { class: 'avatar more-faces', 'aria-hidden': 'true' }, rest > 99 ? '99+' : `+${rest}`))
    }
}
