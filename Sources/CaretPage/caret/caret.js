// The client of Caret for JavaScript: shared texts that everybody edits at the same time.
//
//     const caret = await Caret.connect('http://127.0.0.1:22738')
//     const agenda = caret.open('agenda', { create: true })
//     agenda.addEventListener('change', () => console.log(agenda.text))
//     agenda.append('Bring a pen.\n')
//
// caret.d.ts lists the whole interface, and docs/client-js.md explains it. This file has the sockets and the
// clock. The logic is in client.js, document-state.js and the WebAssembly module.
import { Binding } from './binding.js'
import { ClientState } from './client.js'
import { Core } from './core.js'
import { CaretDocument, CaretEvent } from './document.js'
import { CaretError } from './errors.js'
import { Module } from './module.js'
import { Replica } from './replica.js'
import { webSocket } from './web-socket.js'
import { decodeMessage, encodeMessage } from './wire.js'

export { Binding, CaretDocument, CaretError, CaretEvent }

/** A connection to a server. It reconnects by itself. Events: 'link' and 'signedOut'. */
export class Caret extends EventTarget {
    #url
    #module
    #state
    #makeTransport
    #transport = null
    #timer = null
    #timerAt = Infinity
    #queue = []
    #isRunning = false
    #requests = new Map()
    #documents = new Map()
    #followers = new Set()
    #lastSeq = 0
    /** The error of the module, after which the client cannot continue. */
    #fault = null
    /** Why the client has ended, as an error for callers that wait; null before that. */
    #endError = null

    /** Loads the module, and begins to connect. Does not wait for the connection. */
    static async connect(server = globalThis.location?.origin, options = {}) {
        const source = options.wasm ?? new URL('caret.wasm', import.meta.url)
        return new Caret(new URL(server), await Module.load(source), options)
    }

    /** Use `connect` instead. */
    constructor(url, module, { client = randomID(), token, name, color, transport = webSocket }) {
        super()
        this.#url = url
        this.#module = module
        this.#makeTransport = transport
        this.#state = new ClientState({ client, token, name, color })
        this.#pass((now) => this.#state.started(now))
    }

    /** { state, until, reason }: whether there is a connection, when the next attempt is, and what went wrong. */
    get link() {
        if (this.#fault) return { state: 'ended', reason: this.#fault.code }
        const { state, until, reason } = this.#state.link
        const link = { state: ['idle', 'greeting'].includes(state) ? 'connecting' : state, reason }
        return until === undefined ? link : { ...link, until: new Date(Date.now() + until - performance.now()) }
    }

    /** The user's name, as the server knows it. Undefined until the server has answered. */
    get user() { return this.#state.welcome?.user }
    get limits() { return this.#state.welcome?.limits }

    /** The rules of edits, in the same module: diff, apply, compose, invert and others. */
    get core() { return new Core(this.#module) }

    /** Tries to connect at once, if the client waits before its next attempt. */
    reconnect() { this.#pass((now) => this.#state.hurried(now)) }

    /** Opens a document, now or as soon as there is a connection. There is one object for each name. */
    open(name, { create = false, watch = false } = {}) {
        for (const open of this.#documents.values()) if (open.name === name) return open
        let document
        this.#pass((now) => {
            const replica = new Replica(this.#module, { watch })
            const [key, actions] = this.#state.opened(replica, name, { create, watch }, now)
            document = new CaretDocument(this.#documentOwner(key), this.#state.documents.get(key))
            this.#documents.set(key, document)
            return actions
        })
        return document
    }

    /** A page of the documents, sorted by name: { docs, more }. */
    async list({ prefix, after, limit } = {}) {
        const { docs, more = false } = await this.#request({ type: 'list', prefix, after, limit })
        return { docs: docs.map(entry), more }
    }

    /** The text of a document, now or at an earlier revision or time. */
    async read(name, { rev, at } = {}) {
        const found = await this.#request({ type: 'read', doc: name, rev, at: at?.getTime() })
        return { name: found.doc, epoch: found.epoch, revision: found.rev, text: found.text, newline: found.newline }
    }

    /** The revisions of a document, oldest first. Without `after`, from the first one that is kept. */
    async *history(name, { after, edits = false } = {}) {
        for (let more = true; more;) {
            const page = await this.#request({ type: 'history', doc: name, after, limit: 1000, edits: edits || undefined })
            for (const { rev, time, ...rest } of page.revisions) {
                yield { revision: rev, time: new Date(time), ...rest }
                after = rev
            }
            more = page.more === true && page.revisions.length > 0
        }
    }

    /** Makes a new revision with the text of an old one. */
    async restore(name, rev) {
        const { epoch } = await this.read(name, { rev })
        // At least the time, so that a client that restarts with its old id does not reuse a number.
        this.#lastSeq = Math.max(this.#lastSeq + 1, Date.now())
        await this.#request({ type: 'restore', doc: name, epoch, rev, seq: this.#lastSeq })
    }

    async rename(name, to) { await this.#request({ type: 'rename', doc: name, to }) }
    async delete(name) { await this.#request({ type: 'delete', doc: name }) }

    /**
     * Calls `listener` with each document whose name begins with `prefix`: at first with all that exist, then
     * whenever one is created, changed, renamed or deleted. Returns a function that stops following.
     */
    follow(prefix, listener) {
        const follower = { prefix, listener }
        this.#followers.add(follower)
        this.#updateFollow()
        return () => {
            if (this.#followers.delete(follower)) this.#updateFollow()
        }
    }

    /** Waits until all documents are saved, but for at most 4 s, and ends the connection for good. */
    async close() {
        await Promise.all([...this.#documents.values()].map((document) => document.close()))
        if (!this.#fault) this.#pass((now) => this.#state.closed(now))
    }

    // Events in, actions out.

    /** Passes an event to the state, and runs the actions. */
    #pass(event) {
        if (this.#fault) throw this.#fault
        try {
            this.#queue.push(...event(performance.now()))
        } catch (error) {
            if (error.code === 'trapped') this.#endAfterFault(error)
            throw error
        }
        this.#runQueue()
    }

    // A listener may cause the next event while actions of the previous one are still in the queue. The queue
    // keeps their order.
    #runQueue() {
        if (this.#isRunning) return
        this.#isRunning = true
        try {
            while (this.#queue.length > 0) this.#run(this.#queue.shift())
        } finally {
            this.#isRunning = false
        }
    }

    #run(action) {
        switch (action.do) {
        case 'connect': return this.#startTransport()
        case 'disconnect': return this.#stopTransport()
        case 'send': return this.#send(action)
        case 'link': return this.dispatchEvent(new CaretEvent('link', { link: this.link }))
        case 'answer': return this.#settle(action.id, ({ resolve }) => resolve(action.message))
        case 'fail': return this.#settle(action.id, ({ reject }) => reject(action.error))
        case 'deliver': return this.#deliver(action.event)
        case 'update': return this.#notify(action)
        case 'end': return this.#ended(action)
        case 'wake': return this.#wakeAt(action.at)
        default: throw new TypeError(`${action.do} is not an action`)
        }
    }

    #startTransport() {
        const transport = this.#makeTransport(this.#url)
        this.#transport = transport
        // Events of a connection that was given up are ignored.
        const pass = (event) => {
            if (this.#transport === transport) this.#pass(event)
        }
        transport.start({
            opened: () => pass((now) => this.#state.connected(now)),
            received: (line) => pass((now) => this.#received(line, now)),
            closed: (reason) => pass((now) => this.#state.disconnected(reason, now, Math.random())),
        })
    }

    #received(line, now) {
        let message
        try {
            message = decodeMessage(line)
        } catch (error) {
            return this.#state.disconnected(`the server sent an invalid line: ${error.message}`, now, Math.random())
        }
        return this.#state.received(message, now, Math.random())
    }

    #stopTransport() {
        const transport = this.#transport
        this.#transport = null
        transport?.close()
    }

    #send({ message, id }) {
        const line = encodeMessage(message, id)
        const limit = this.limits?.line ?? Infinity
        // A UTF-16 code unit has at most three bytes of UTF-8.
        if (3 * line.length > limit && new TextEncoder().encode(line).length > limit) {
            return void this.#queue.unshift(...this.#state.lineTooLong(message, id, limit, performance.now()))
        }
        this.#transport?.send(line)
    }

    #wakeAt(moment) {
        if (this.#timerAt <= moment) return
        this.#timerAt = moment
        this.#setTimer()
    }

    #setTimer() {
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => {
            // Node may fire a timer early: the delay counts from the start of Node's turn. The state ignores a
            // wake that comes too early, and would not ask for another one.
            if (performance.now() < this.#timerAt) return this.#setTimer()
            this.#timerAt = Infinity
            this.#pass((now) => this.#state.timePassed(now, Math.random()))
        }, Math.max(0, this.#timerAt - performance.now()) + 1)
    }

    #ended({ reason, error }) {
        this.#endError = error
        clearTimeout(this.#timer)
        for (const document of this.#documents.values()) document.endWaiting(error)
        if (reason === 'unauthorized' || reason === 'revoked') this.dispatchEvent(new CaretEvent('signedOut', { reason }))
    }

    /** Ends the client, because its module cannot be used any more. */
    #endAfterFault(error) {
        this.#fault = error
        this.#queue = []
        this.#stopTransport()
        for (const id of this.#requests.keys()) this.#settle(id, ({ reject }) => reject(error))
        this.#ended({ error })
        this.dispatchEvent(new CaretEvent('link', { link: this.link }))
    }

    // Requests.

    #request(message) {
        return new Promise((resolve, reject) => {
            this.#pass(() => {
                const [id, actions] = this.#state.requested(message)
                this.#requests.set(id, { resolve, reject })
                return actions
            })
        })
    }

    #settle(id, body) {
        const request = this.#requests.get(id)
        this.#requests.delete(id)
        if (request) body(request)
    }

    // Documents.

    /** What a document may do with the client. */
    #documentOwner(key) {
        const endError = () => this.#endError
        return {
            get error() { return endError() },
            core: this.core,
            change: (event) => this.#pass((now) => this.#state.change(key, (state) => event(state, now))),
            handleMessages: () => this.#pass((now) => this.#state.handledMessages(key, now, Math.random())),
            closeDocument: () => {
                this.#documents.delete(key)
                if (!this.#fault) this.#pass(() => this.#state.closedDocument(key))
            },
        }
    }

    #notify({ key, update }) {
        const document = this.#documents.get(key)
        document?.notify(update)
        document?.checkWaiters()
    }

    // Following.

    #updateFollow() {
        const [first, ...others] = [...this.#followers].map(({ prefix }) => prefix)
        if (first === undefined) return this.#pass(() => this.#state.unfollowed())
        this.#pass(() => this.#state.followed(others.reduce(commonPrefix, first)))
    }

    #deliver({ type, doc, reason, to, ...rest }) {
        const isAboutDocument = type === 'document' || type === 'gone'
        const event = type === 'document' ? { type, ...entry({ doc, ...rest }) }
            : type === 'gone' ? { type, name: doc, reason, to } : { type }
        for (const { prefix, listener } of [...this.#followers]) {
            if (!isAboutDocument || doc.startsWith(prefix)) listener(event)
        }
    }
}

function entry({ doc, epoch, rev, length, updated }) {
    return { name: doc, epoch, revision: rev, length, updated: new Date(updated) }
}

function commonPrefix(left, right) {
    let length = 0
    while (length < left.length && left[length] === right[length]) length++
    // The prefix must not end between the halves of a surrogate pair.
    if (/[\ud800-\udbff]$/.test(left.slice(0, length))) length--
    return left.slice(0, length)
}

/** A client id of 128 random bits. Only the client and the server know it. */
function randomID() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
