// The notes of a document: a bar with a field, and above it a panel with all notes.
import { nobody, peerName } from '../../../Clients/javascript/peer-look.js'
import { avatar, element, fill, icon, iconButton } from './dom.js'
import { mayWrite } from './document-sheets.js'
import { GrowingField } from './growing-field.js'
import { askBeforeLoss } from './may-lose.js'
import { hasUnsavedNotes, notesChannel } from './notes-channel.js'
import { NotesList } from './notes-list.js'
import { canHaveNotes, cleanAuthor, cleanNote, excess, notesName } from './notes-text.js'
import { ownLook } from './own-look.js'
import { addressOf } from './route.js'
import { count, errorWords } from './words.js'

/**
 * The notes of the document `name`. `node` is the bar at the lower end of a screen.
 *
 * If somebody renames the document, `draft` of the old notes goes into the new ones, so that it is not lost.
 */
export class Notes {
    node = element('section', { class: 'notes', 'aria-label': 'Notes' })
    #app
    #name
    #channel = null
    #store
    #list
    #field
    #growing
    #panel
    #badge
    #toggle
    #button
    /** Shows the field. Until the user wants it, the bar has only this button. */
    #add
    #isFieldWanted = false
    #readOnly
    #bar
    #listeners = new AbortController()
    #frame = null
    /** How many notes the user has seen; null until the notes have arrived. */
    #seen = null

    constructor(app, name, { draft = '' } = {}) {
        this.#app = app
        this.#name = name
        // A link opens only the document itself. Notes that this tab has stored may be those of a user.
        this.node.hidden = !canHaveNotes(name) || Boolean(app.settings.link)
        if (this.node.hidden) return
        this.#store = storeOf(name)
        if (draft) this.#store.write({ draft })
        this.#build()
        this.#channel = channelOf(app.caret, name)
        this.#channel.use()
        this.#listen()
        this.#render()
    }

    /** What the user has typed and not sent. */
    get draft() { return this.#field?.value ?? '' }

    close() {
        this.#listeners.abort()
        cancelAnimationFrame(this.#frame)
        this.#channel?.leave()
    }

    // What is on the screen.

    #build() {
        this.#panel = this.#makePanel()
        this.#badge = element('span', { class: 'notes-count', 'aria-hidden': 'true' })
        this.#toggle = element('button', {
            type: 'button', class: 'round notes-toggle', 'aria-expanded': 'false', 'aria-controls': 'notes-panel',
            title: 'Notes', onclick: () => this.#setOpen(this.#panel.hidden),
        }, icon('note'), this.#badge)
        this.#field = element('textarea', {
            class: 'field notes-field', rows: '1', 'aria-label': 'Your note', enterkeyhint: isTouch() ? 'enter' : 'send',
            autocapitalize: 'sentences', oninput: () => this.#typed(), onkeydown: (event) => this.#pressed(event),
        })
        this.#field.value = this.#store.read().draft
        this.#growing = new GrowingField(this.#field)
        this.#button = element('button', {
            type: 'button', class: 'primary notes-send', onclick: () => this.#send(),
            // A press must not take the focus from the field, because the keyboard of a phone would go away.
            onmousedown: (event) => event.preventDefault(),
        }, 'Send')
        this.#add = element('button', { type: 'button', class: 'plain-button', onclick: () => this.#openField() }, 'Add a note')
        this.#readOnly = element('p', { class: 'quiet-text', hidden: true }, 'You may only read the notes')
        this.#bar = element('div', { class: 'bar below notes-bar' }, this.#toggle, this.#add, this.#field, this.#readOnly, this.#button)
        this.node.append(this.#panel, this.#bar)
        this.node.addEventListener('keydown', (event) => this.#escaped(event))
    }

    #makePanel() {
        this.#list = new NotesList({ markOf: (note) => this.#markOf(note), statusOf: (note) => this.#statusNodes(note) })
        const address = addressOf({ screen: 'editor', name: notesName(this.#name) })
        const header = element('header', {}, element('h2', {}, 'Notes'),
            element('a', { class: 'round', href: address, 'aria-label': 'Open the notes as a text', title: 'Open the notes as a text' },
                icon('text')),
            iconButton('down', 'Close the notes', () => this.#setOpen(false, { focus: true })))
        return element('div', { class: 'notes-panel', id: 'notes-panel', hidden: true }, header, this.#list.node)
    }

    #listen() {
        const { signal } = this.#listeners
        this.#channel.addEventListener('change', () => this.#schedule(), { signal })
        document.addEventListener('visibilitychange', () => {
            if (!document.hidden) this.#channel.look()
        }, { signal })
        matchMedia('(max-width: 599.9px)').addEventListener('change', () => this.#describeField(), { signal })
        this.#describeField()
    }

    /** Renders with the next frame: several messages may arrive at once. */
    #schedule() {
        this.#frame ??= requestAnimationFrame(() => {
            this.#frame = null
            this.#render()
        })
    }

    #render() {
        const { notes } = this.#channel
        const isOpen = !this.#panel.hidden
        if (this.#channel.state !== 'looking') this.#seen ??= notes.length
        if (isOpen && !document.hidden) this.#seen = notes.length
        // Own notes are not news, and somebody may delete notes.
        const unread = notes.slice(this.#seen ?? notes.length).filter((note) => !this.#isOwn(note)).length
        if (unread === 0 && this.#seen !== null) this.#seen = notes.length
        this.#showCount(notes.length, unread)
        this.#showRights(notes.length)
        if (isOpen) {
            const isLooking = this.#channel.state === 'looking'
            this.#list.show(notes, { isOwn: (note) => this.#isOwn(note), isLooking, isOnline: this.#app.caret.link.state === 'online' })
        }
        this.#showButton()
    }

    #showCount(number, unread) {
        fill(this.#badge, number === 0 ? null : number > 99 ? '99+' : `${number}`)
        this.#badge.classList.toggle('unread', unread > 0)
        const words = number === 0 ? 'Notes' : `Notes: ${number}${unread > 0 ? `, ${unread} new` : ''}`
        this.#toggle.setAttribute('aria-label', words)
    }

    #showRights(number) {
        const canWrite = this.#channel.canWrite && mayWrite(this.#app, notesName(this.#name))
        const isWanted = this.#isFieldWanted || !this.#panel.hidden || this.#field.value !== ''
        this.#field.hidden = this.#button.hidden = !canWrite || !isWanted
        this.#add.hidden = !canWrite || isWanted
        this.#readOnly.hidden = canWrite
        this.node.hidden = !canWrite && number === 0
    }

    /** A phone has no room for more words. */
    #describeField() {
        const isNarrow = matchMedia('(max-width: 599.9px)').matches
        this.#field.placeholder = isNarrow ? 'Add a note' : 'Say something about this text'
    }

    #openField() {
        this.#isFieldWanted = true
        this.#render()
        this.#growing.update({ moves: false })
        this.#field.focus()
    }

    #setOpen(isOpen, { focus = false } = {}) {
        this.#panel.hidden = !isOpen
        this.#toggle.setAttribute('aria-expanded', `${isOpen}`)
        if (isOpen) {
            this.#channel.look()
            this.#render()
            this.#list.scrollToEnd()
        } else {
            this.#list.clear()
            this.#render()
            if (focus) this.#toggle.focus()
        }
    }

    // The user's own note.

    get #author() {
        return cleanAuthor(peerName(ownLook(this.#app)))
    }

    #isOwn(note) {
        if (!note.time) return false
        return note.author === nobody ? this.#channel.isSentFromHere(note) : note.author === this.#author
    }

    #typed() {
        this.#store.write({ draft: this.#field.value })
        this.#showButton()
    }

    #showButton() {
        const tooMany = excess(this.#field.value)
        this.#button.disabled = tooMany > 0 || cleanNote(this.#field.value) === ''
        this.#button.classList.toggle('danger', tooMany > 0)
        this.#button.textContent = tooMany > 0 ? `${tooMany.toLocaleString('en')} too many` : 'Send'
        this.#button.setAttribute('aria-label', tooMany > 0
            ? `The note has ${count(tooMany, 'character')} too many` : 'Send the note')
    }

    #pressed(event) {
        // A key that ends the composition of a character sends nothing. Safari reports it with the code 229.
        if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229 || event.shiftKey || event.altKey) return
        const isCommand = event.metaKey || event.ctrlKey
        if (isTouch() && !isCommand) return
        event.preventDefault()
        this.#send()
    }

    #escaped(event) {
        if (event.key !== 'Escape' || event.isComposing || (this.#panel.hidden && this.#field.hidden)) return
        event.preventDefault()
        if (!this.#panel.hidden) return this.#setOpen(false, { focus: this.#panel.contains(document.activeElement) })
        // A draft stays where it is.
        this.#isFieldWanted = false
        this.#render()
        this.#toggle.focus()
    }

    #send() {
        const text = cleanNote(this.#field.value)
        if (text === '' || excess(this.#field.value) > 0) return
        this.#channel.send({ time: new Date(), author: this.#author, text })
        this.#setText('')
        if (this.#panel.hidden) this.#setOpen(true)
        this.#render()
        this.#list.scrollToEnd()
        this.#field.focus()
    }

    #setText(text) {
        this.#field.value = text
        this.#growing.update()
        this.#typed()
    }

    // What a note shows besides its text.

    #markOf({ author }) {
        const peer = this.#channel.peers.find((peer) => cleanAuthor(peerName(peer)) === author)
        return avatar({ name: author, client: author, color: peer?.color }, { label: false })
    }

    #statusNodes({ status }) {
        if (status === 'sending') return [element('span', { class: 'spoken' }, 'Sending')]
        if (status === 'offline') return [icon('offline'), 'Not sent yet. It is kept in this tab.']
        const problem = this.#channel.problem ?? { message: 'The server refused the note.' }
        const words = problem.code === 'forbidden' ? 'You may not write notes here.' : errorWords(problem)
        return [icon('alert'), element('span', {}, `Not sent. ${words}`),
            element('button', { type: 'button', class: 'plain-button', onclick: () => this.#channel.retry() }, 'Try again'),
            element('button', { type: 'button', class: 'plain-button', onclick: () => this.#takeBack() }, 'Edit')]
    }

    /** Puts the refused notes back into the field. */
    #takeBack() {
        this.#setText([...this.#channel.takeBack(), this.#field.value].filter(Boolean).join('\n\n'))
        this.#field.focus()
    }
}

/** Sends the notes that a reload has interrupted, and asks before the page ends with unsaved ones. Call this once. */
export function keepNotes({ caret, settings }) {
    if (settings.link) return
    for (const name of storedNames()) if (storeOf(name).read().outbox.length > 0) channelOf(caret, name)
    askBeforeLoss(() => hasUnsavedNotes(caret))
}

function channelOf(caret, name) {
    const store = storeOf(name)
    return notesChannel(caret, name, { read: () => store.read().outbox, write: (outbox) => store.write({ outbox }) })
}

function isTouch() { return matchMedia('(pointer: coarse)').matches }

const keyPrefix = 'caret.notes.'

/** The documents that have stored notes. */
function storedNames() {
    try {
        return Object.keys(sessionStorage).filter((key) => key.startsWith(keyPrefix)).map((key) => key.slice(keyPrefix.length))
    } catch {
        return []
    }
}

/** What a reload must not lose: { draft, outbox }. It is kept in this tab only. */
function storeOf(name) {
    const key = keyPrefix + name
    const read = () => {
        try {
            const { draft, outbox } = JSON.parse(sessionStorage.getItem(key)) ?? {}
            return { draft: typeof draft === 'string' ? draft : '', outbox: Array.isArray(outbox) ? outbox : [] }
        } catch {
            return { draft: '', outbox: [] }
        }
    }
    const write = (values) => {
        try {
            const { draft, outbox } = { ...read(), ...values }
            if (draft === '' && outbox.length === 0) sessionStorage.removeItem(key)
            else sessionStorage.setItem(key, JSON.stringify({ draft, outbox }))
        } catch {
            // A full or forbidden storage keeps nothing. The notes are still in the page.
        }
    }
    return { read, write }
}
