// One open document for all components that show it. react.js and vue.js use it; it knows neither.
//
// It is open while a component uses it, and then until the server has saved its edits, however long this takes. If the
// server refuses them, it stays open, so that a component that is mounted later shows them again.
import { BoundField } from './bound-field.js'
import { CaretError } from './errors.js'
import { SharedClient } from './shared-client.js'
import { Users } from './users.js'

/** The methods of a document that components may call at any time. */
const methods = ['edit', 'replaceText', 'append', 'select', 'undo', 'redo', 'retry', 'discard']
const types = ['change', 'saving', 'peers', 'rights', 'renamed']

export class SharedDocument {
    /** What components show before the document is there, and what a server renders. */
    initialValue
    #source
    #name
    #creates = false
    #client = null
    #releaseClient = null
    #document = null
    #events = null
    #fields = new Set()
    #listeners = new Set()
    #users = new Users(() => this.#begin(), () => this.#end())
    #calls = Object.fromEntries(methods.map((method) => [method, (...args) => this.#opened[method](...args)]))
    /** The value, until something changes. */
    #value
    #initialState
    /** The last state that could be read. */
    #state

    constructor(source, name) {
        this.#source = source
        this.#name = name
        this.#initialState = {
            name, text: '', people: [], saving: { state: 'opening', since: new Date() }, rights: 'none',
            canUndo: false, canRedo: false, document: null,
        }
        this.#state = this.#initialState
        this.initialValue = this.#makeValue({ state: 'connecting' })
        this.#value = this.initialValue
    }

    /** All that components show. It is another object after each change. */
    get value() { return (this.#value ??= this.#makeValue(this.#client.link)) }

    /** Uses the document, and calls `listener` after each change. Returns a function that ends both. */
    subscribe(listener, creates) {
        this.#listeners.add(listener)
        const release = this.#use(creates)
        return () => {
            this.#listeners.delete(listener)
            release()
        }
    }

    /** Uses the document, and shows it in a textarea or a Surface. Returns a function that ends both. */
    bind(field, creates) {
        const release = this.#use(creates)
        const bound = new BoundField(field, this.#document)
        this.#fields.add(bound)
        return () => {
            this.#fields.delete(bound)
            bound.release()
            release()
        }
    }

    #use(creates) {
        const isNew = creates && !this.#creates
        this.#creates ||= creates
        // Another component has opened the document without `create`. `open` counts its calls.
        if (isNew && this.#document) {
            this.#client.caret.open(this.#document.name, { create: true })
            this.#document.close()
        }
        return this.#users.add()
    }

    get #opened() {
        if (this.#document) return this.#document
        throw new CaretError('closed', `${this.#name} is not open: no component shows it, or there is no client yet`)
    }

    #begin() {
        this.#client = SharedClient.of(this.#source)
        this.#releaseClient ??= this.#client.use(() => this.#clientChanged())
        this.#clientChanged()
    }

    #clientChanged() {
        const { caret } = this.#client
        if (caret && !this.#document && !this.#users.isUnused) this.#open(caret)
        this.#changed()
    }

    #open(caret) {
        this.#document = caret.open(this.#name, { create: this.#creates })
        this.#events = new AbortController()
        const options = { signal: this.#events.signal, isInternal: true }
        for (const type of types) this.#document.addEventListener(type, () => this.#changed(), options)
        for (const field of this.#fields) field.bind(this.#document)
    }

    async #end() {
        const document = this.#document
        // It fails if the server refuses the edits, or if the client has ended.
        await document?.saved().catch(() => {})
        if (!this.#users.isUnused || this.#document !== document || this.#hasRefusedEdits) return
        this.#events?.abort()
        this.#document = null
        this.#state = this.#initialState
        this.#value = null
        // After a fault of the module, there is nothing to close.
        document?.close().catch(() => {})
        this.#releaseClient?.()
        this.#releaseClient = null
    }

    get #hasRefusedEdits() {
        try {
            return this.#document?.saving.state === 'refused' && this.#document.unsaved.length > 0
        } catch {
            // The app has closed the client, or its module has a fault.
            return false
        }
    }

    #changed() {
        this.#value = null
        for (const listener of [...this.#listeners]) listener()
    }

    #makeValue(link) {
        this.#state = this.#readDocument()
        return Object.freeze({ ...this.#state, link, ...this.#calls })
    }

    /** If the app has closed the client, or its module has a fault, the last state stays. */
    #readDocument() {
        const document = this.#document
        if (!document) return this.#state
        try {
            const { name, text, peers: people, saving, rights, canUndo, canRedo } = document
            return { name, text, people, saving, rights, canUndo, canRedo, document }
        } catch {
            return this.#state
        }
    }
}

/** The documents of a provider, by their names. */
export class SharedDocuments {
    #source
    #documents = new Map()

    constructor(source) {
        if (!['function', 'object'].includes(typeof source) || source === null) {
            throw new TypeError('the client must be a Caret, a promise of one, or a function that returns one of them')
        }
        this.#source = source
    }

    get(name) {
        if (!this.#documents.has(name)) this.#documents.set(name, new SharedDocument(this.#source, name))
        return this.#documents.get(name)
    }

    /** Connects. Returns a function that ends the connection, if nothing else uses it. */
    use() { return SharedClient.of(this.#source).use(() => {}) }
}
