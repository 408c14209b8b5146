// One open document, as a program uses it.
import { Binding } from './binding.js'
import { CaretError } from './errors.js'

/** An event of a client or of a document, with the fields that caret.d.ts lists. */
export class CaretEvent extends Event {
    constructor(type, fields = {}) {
        super(type)
        Object.assign(this, fields)
    }
}

/** A target of events that knows to which of them the program has listened. */
export class Announcer extends EventTarget {
    heard = new Set()

    /** A listener of this library has the option `isInternal`. */
    addEventListener(type, listener, options) {
        if (!options?.isInternal) this.heard.add(type)
        super.addEventListener(type, listener, options)
    }

    /** Calls `warn` with warnings.js if this is a page and the program has listened to none of these events. */
    warnUnless(types, warn) {
        if (globalThis.document && !types.some((type) => this.heard.has(type))) import('./warnings.js').then(warn)
    }
}

/**
 * A document that a client has open. Events: 'change', 'saving', 'peers', 'rights', 'renamed' and 'gone'.
 *
 * A view that starts with `text` and applies the edits of all 'change' events in order shows `text` again.
 */
export class CaretDocument extends Announcer {
    #client
    #state
    #since = new Date()
    #waiters = []
    #isClosed = false
    /** How many calls of `open` have no call of `close` yet. */
    #users = 1
    /** The last close, which may have ended: { promise, isCancelled }; null if the document is in use. */
    #closing = null
    /** For each bound field, what to call when messages wait, and when the document is closed. */
    #bindings = new Set()

    /**
     * Use `Caret.open`. `client` has the methods `change`, `handleMessages` and `closeDocument`, `error`: why the
     * client has ended, or null, and `isKept`, which is undefined if nothing is stored. `core` has the rules for edits.
     */
    constructor(client, state) {
        super()
        this.#client = client
        this.#state = state
    }

    get name() { return this.#state.name }
    /** The text with all edits, saved or not. */
    get text() { return this.#open.text }
    /** How long `text` is. Cheaper than `text.length`. */
    get length() { return this.#open.state.length }
    /** The newest revision that has arrived. */
    get revision() { return this.#open.state.position?.rev ?? 0 }
    get rights() { return this.#open.state.rights }
    get saving() { return { ...this.#open.saving, since: this.#since } }
    get peers() { return this.#open.peers }
    /** The user's own selections. They move with every change of the text. */
    get selections() { return this.#open.state.selections }
    /** The edits that the server has not saved. Their offsets refer to the text that the server has. */
    get unsaved() { return this.#open.replica.unsaved }
    /**
     * Whether the unsaved edits would survive if the page or the program ended now. If there are none, whether edits that
     * were undone or dropped stay away.
     */
    get isKept() {
        const { hasUnsaved } = this.#open.state
        return this.#client.isKept ?? !hasUnsaved
    }
    /** Whether the text comes from edits kept on this device, and the server has not opened the document yet. */
    get isRestored() { return this.#open.isRestored }
    get canUndo() { return this.#open.state.canUndo }
    get canRedo() { return this.#open.state.canRedo }

    /** The state. A closed document has none. */
    get #open() {
        if (this.#isClosed) throw this.#closedError
        return this.#state
    }

    get #closedError() { return new CaretError('closed', `${this.name} is closed`) }

    /** Changes the text. All offsets refer to the text before the call. */
    edit(edits) { this.#pass((state, now) => state.typed(edits, now)) }

    /** Replaces the whole text. Only the difference is sent, so selections and edits of others stay. */
    replaceText(text) { this.#pass((state, now) => state.replaced(text, now)) }

    append(text) { this.edit([{ range: [this.length, this.length], text }]) }

    /** Tells the others what the user has selected: a list of [anchor, head]. An empty list hides the caret. */
    select(selections) { this.#pass((state, now) => state.selected(selections, now)) }

    undo() { this.#pass((state, now) => state.undone(now)) }
    redo() { this.#pass((state, now) => state.redone(now)) }

    /** Sends refused edits again. */
    retry() { this.#pass((state, now) => state.retried(now)) }

    /** Drops all edits that are not saved. */
    discard() { this.#pass((state, now) => state.discarded(now)) }

    /**
     * Shows the document in a textarea or a Surface, and enters what the user types there. Messages of the server wait
     * until the next frame of the page. `overlay` shows the carets and selections of others, and `labels` their names.
     */
    bind(field, { overlay, labels } = {}) {
        if (this.#closing) throw this.#closedError
        const options = { core: this.#client.core, messages: this.#messages, overlay, labels }
        if (globalThis.HTMLTextAreaElement && field instanceof HTMLTextAreaElement) return new Binding(this, field, options)
        // The page of the server has no Surface, so this file does not import it.
        if (typeof field?.connect !== 'function') throw new TypeError('bind needs a textarea or a Surface')
        return field.connect(this, options)
    }

    /** How a binding makes messages wait, and handles them. */
    get #messages() {
        return {
            hold: (binding) => {
                this.#bindings.add(binding)
                this.#state.hold()
            },
            handle: () => this.#client.handleMessages(),
            release: (binding) => {
                this.#bindings.delete(binding)
                if (this.#bindings.size > 0) return
                if (!this.#client.error) this.#client.handleMessages()
                this.#state.endHold()
            },
        }
    }

    /** Waits until the text has arrived. Throws if the server does not open the document. */
    opened() { return this.#told('opened') }

    /** Waits until everything is saved. Throws if the server refuses some edits. */
    saved() { return this.#told('saved') }

    /** The program that waits is told of a refusal. */
    #told(goal) {
        this.heard.add('saving')
        return this.#wait(goal)
    }

    /**
     * Waits until everything is saved, but for at most 4 s. If each `open` has its `close` now, also closes the document:
     * bound fields are read-only at once. If the program opens the document again before all is saved, it stays open.
     */
    close() {
        if (this.#users > 1) {
            this.#users--
            return this.#savedSoon()
        }
        if (!this.#closing) {
            this.#closing = { isCancelled: false }
            for (const binding of [...this.#bindings]) binding.close()
            this.#closing.promise = this.#close(this.#closing)
        }
        return this.#closing.promise
    }

    async #close(closing) {
        await this.#savedSoon()
        if (closing.isCancelled) return
        this.#isClosed = true
        this.#client.closeDocument()
        this.endWaiting(this.#closedError)
        this.#state.replica.free()
    }

    async #savedSoon() {
        let timer
        const late = new Promise((resolve) => { timer = setTimeout(resolve, 4_000) })
        // Closing must go on, whether the edits are saved or not.
        await Promise.race([late, this.#wait('saved').catch(() => {})])
        clearTimeout(timer)
    }

    #pass(event) {
        if (this.#isClosed) throw this.#closedError
        this.#client.change(event)
    }

    #wait(goal) {
        return new Promise((resolve, reject) => {
            this.#waiters.push({ goal, resolve, reject })
            this.checkWaiters()
        })
    }

    // The rest is for `Caret`.

    /** Passes an update to the listeners. */
    notify(update) {
        const { type, ...fields } = update
        if (type === 'held') {
            for (const binding of this.#bindings) binding.messagesWait(update.size)
            return
        }
        if (type === 'saving') this.#since = new Date()
        if (fields.saving?.state === 'refused') this.warnUnless(['saving', 'gone'], ({ warnOfRefusal }) => warnOfRefusal(this.name, this.#state.refusal))
        const current = type === 'saving' ? { saving: this.saving } : type === 'peers' ? { peers: this.peers } : fields
        this.dispatchEvent(new CaretEvent(type, current))
    }

    /** The program has opened the document again. A close that runs does not close it any more. */
    keepOpen() {
        if (!this.#closing) return void this.#users++
        this.#closing.isCancelled = true
        this.#closing = null
    }

    /** Closes the document, although others may use it. */
    end() {
        this.#users = 1
        return this.close()
    }

    get watches() { return this.#state.watches }

    /** The program has opened a document with `create` that was open before. */
    create() { this.#pass((state, now) => state.created(now)) }

    checkWaiters() {
        if (this.#waiters.length === 0) return
        const waiting = this.#waiters
        this.#waiters = []
        for (const waiter of waiting) {
            const result = this.#result(waiter.goal)
            if (result === null) this.#waiters.push(waiter)
            else if (result === true) waiter.resolve()
            else waiter.reject(result)
        }
    }

    /** Ends all calls that wait, because the client or the document has ended. */
    endWaiting(error) {
        for (const { reject } of this.#waiters.splice(0)) reject(error)
    }

    /** True if a goal is reached, an error if it cannot be reached, null while the caller must wait. */
    #result(goal) {
        if (this.#isClosed) return this.#closedError
        // After a fault of the module, the state cannot be read.
        if (this.#client.error?.code === 'trapped') return this.#client.error
        const { saving, position, hasUnsaved } = this.#state.state
        if (saving.state === 'opening') return this.#client.error
        if (saving.state === 'refused' && (goal === 'saved' || !position)) {
            return this.#state.refusal ?? new CaretError(saving.code, `the server refused (${saving.code})`)
        }
        if (goal === 'opened') return true
        return saving.state === 'saved' && !hasUnsaved ? true : this.#client.error
    }
}
