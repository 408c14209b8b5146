// The notes of one document, as a client has them: what is saved, and what waits for the server. It uses no DOM.
import { Outbox } from './notes-outbox.js'
import { insertedRanges, notesName, parseNotes, writeNote } from './notes-text.js'

/** How often to look whether somebody has written the first note, in milliseconds. */
const lookInterval = 15_000

/** For each client, the channels that are in use or have unsaved notes. */
const channels = new WeakMap()

/**
 * The channel for the notes of a document. There is one for each name. `store` has `read()` and `write(value)`, for
 * what must survive a reload.
 */
export function notesChannel(caret, name, store) {
    if (!channels.has(caret)) channels.set(caret, new Map())
    const open = channels.get(caret)
    if (!open.has(name)) open.set(name, new NotesChannel(caret, name, store, () => open.delete(name)))
    return open.get(name)
}

/** Whether a client has notes that the server has not saved, of any document. */
export function hasUnsavedNotes(caret) {
    return [...channels.get(caret)?.values() ?? []].some((channel) => channel.hasUnsaved)
}

/** Emits 'change' whenever what it shows may be different. */
export class NotesChannel extends EventTarget {
    /** 'looking' until it is known whether there are notes, then 'none' or 'open'. */
    state = 'looking'
    #caret
    #name
    #store
    #forget
    #outbox
    #document = null
    #listeners = new AbortController()
    /** Why the server does not open the document, as a CaretError; null if it does. */
    #refusal = null
    /** The notes that were sent from here, as blocks. */
    #sent = new Set()
    #users = 0
    #timer = null

    constructor(caret, name, store, forget = () => {}) {
        super()
        this.#caret = caret
        this.#name = notesName(name)
        this.#store = store
        this.#forget = forget
        this.#outbox = new Outbox(store.read())
        caret.addEventListener('link', () => this.#changed(), { signal: this.#listeners.signal })
        this.look()
    }

    // A channel without users stays until all notes are saved.

    use() { this.#users++ }

    leave() {
        this.#users--
        this.#endIfUnused()
    }

    get canWrite() { return this.#refusal !== null || this.#readable?.rights !== 'read' }
    get hasUnsaved() { return !this.#outbox.isEmpty }
    get isRefused() { return this.#refusal !== null || this.#readable?.saving.state === 'refused' }

    /** The document; null if there is none, and after a fault of the module, when nothing can be read from it. */
    get #readable() { return this.#caret.link.reason === 'trapped' ? null : this.#document }

    /** Why the server refuses the notes: { code, message }; null if it does not. */
    get problem() {
        if (this.#refusal) return this.#refusal
        const { state, code } = this.#readable?.saving ?? {}
        return state === 'refused' ? { code, message: `The server refused the note (${code}).` } : null
    }

    /** Who else reads these notes now. */
    get peers() { return this.#readable?.peers ?? [] }

    /** All notes, as `parseNotes` returns them. Unsaved ones have `status`: 'sending', 'offline' or 'refused'. */
    get notes() {
        const status = this.#status
        const document = this.#readable
        const unsaved = document ? insertedRanges(document.unsaved) : []
        const notes = parseNotes(document?.text ?? '').map((note) =>
            unsaved.some(([start, end]) => note.start < end && start < note.end) ? { ...note, status } : note)
        return [...notes, ...this.#outbox.waiting.map((note) => ({ ...note, status }))]
    }

    get #status() {
        if (this.isRefused) return 'refused'
        const { state, reason } = this.#caret.link
        // While a page connects for the first time, nobody knows whether it is offline.
        return state === 'online' || (state === 'connecting' && !reason) ? 'sending' : 'offline'
    }

    isSentFromHere(note) { return note.status !== undefined || this.#sent.has(writeNote(note)) }

    /** Sends a note, now or as soon as there is a connection. Creates the document if there is none. */
    send(note) {
        this.#outbox.add(note)
        this.#sent.add(writeNote(note))
        if (!this.#document) this.#open({ create: true })
        else this.#handOver()
        this.#save()
    }

    /** Sends refused notes again. */
    async retry() {
        if (!this.#refusal) return void this.#document?.retry()
        await this.#drop()
        // Meanwhile, the user may have taken the notes back.
        await this.look()
        this.#changed()
    }

    /** Gives up the unsaved notes, and returns their texts. */
    takeBack() {
        const texts = this.#outbox.takeAll()
        // Edits that were never pushed cannot be discarded while the document is not open.
        if (this.#document?.unsaved.length > 0) this.#document.discard()
        if (this.#refusal) this.#drop().then(() => this.look())
        this.#save()
        return texts
    }

    /** Looks whether there are notes, unless this is known. */
    async look() {
        clearTimeout(this.#timer)
        if (this.#document || this.#listeners.signal.aborted) return
        if (!this.#outbox.isEmpty) return this.#open({ create: true })
        // Nobody sees the notes.
        if (globalThis.document?.hidden) return this.#lookLater()
        try {
            const { docs } = await this.#caret.list({ prefix: this.#name, limit: 1 })
            if (this.#document || this.#listeners.signal.aborted) return
            if (docs[0]?.name === this.#name) return this.#open()
            this.#becomeEmpty()
        } catch {
            // Without an answer, the next look may get one.
        }
        this.#lookLater()
    }

    #lookLater() {
        clearTimeout(this.#timer)
        if (this.#listeners.signal.aborted || this.#document) return
        this.#timer = setTimeout(() => this.look(), lookInterval)
        // Node would wait for the timer before it ends.
        this.#timer.unref?.()
    }

    #open({ create = false } = {}) {
        const document = this.#caret.open(this.#name, { create })
        this.#document = document
        this.state = 'looking'
        document.addEventListener('change', () => this.#changed())
        document.addEventListener('peers', () => this.#changed())
        document.addEventListener('rights', () => this.#changed())
        document.addEventListener('saving', () => this.#checkSaved())
        for (const event of ['gone', 'renamed']) document.addEventListener(event, () => this.#lost(document))
        document.opened().then(() => this.#opened(document), (error) => this.#openFailed(document, error))
    }

    #opened(document) {
        if (this.#document !== document) return
        this.state = 'open'
        this.#handOver()
        this.#checkSaved()
    }

    #handOver() {
        if (this.state !== 'open' || !this.#document || this.#refusal) return
        const text = this.#outbox.handOver(this.#document.text)
        if (text) this.#document.append(text)
        this.#changed()
    }

    async #openFailed(document, error) {
        if (this.#document !== document || error.code === 'closed') return
        if (error.code !== 'not_found') {
            this.#refusal = error
            return this.#changed()
        }
        await this.#drop()
        if (this.#outbox.isEmpty) this.#becomeEmpty()
        this.look()
    }

    /** Somebody has deleted the document, or has given it another name. */
    async #lost(document) {
        if (this.#document !== document) return
        this.#outbox.textLost()
        await this.#drop()
        this.#becomeEmpty()
        this.look()
    }

    /** Closes the document. What is unsaved stays in the outbox. */
    async #drop() {
        const document = this.#document
        if (!document) return
        this.#document = null
        this.#refusal = null
        this.#outbox.textLost()
        if (document.unsaved.length > 0) document.discard()
        await document.close()
    }

    #becomeEmpty() {
        this.state = 'none'
        this.#changed()
    }

    #checkSaved() {
        const document = this.#document
        if (this.state === 'open' && document?.saving.state === 'saved' && document.unsaved.length === 0) {
            this.#outbox.saved()
            this.#save()
            this.#endIfUnused()
        }
        this.#changed()
    }

    #endIfUnused() {
        if (this.#users > 0 || !this.#outbox.isEmpty || this.#listeners.signal.aborted) return
        clearTimeout(this.#timer)
        this.#listeners.abort()
        this.#forget()
        this.#document?.close()
        this.#document = null
    }

    #save() {
        this.#store.write(this.#outbox.toJSON())
        this.#changed()
    }

    #changed() { this.dispatchEvent(new Event('change')) }
}
