// The client of Caret for JavaScript: shared texts that everybody edits at the same time.
//
//     const caret = await Caret.connect('http://127.0.0.1:22738')
//     const agenda = caret.open('agenda', { create: true })
//     agenda.addEventListener('change', () => console.log(agenda.text))
//     agenda.append('Bring a pen.\n')
//
// caret.d.ts lists the whole interface, and docs/client-js.md explains it. This file has the sockets and the
// clock. The logic is in client.js, document-state.js and the WebAssembly module.
import { Alarm } from './alarm.js'
import { Binding } from './binding.js'
import { browserKeeping } from './browser-keeping.js'
import { ClientState } from './client.js'
import { Connection, isLonger, StartedTransport } from './connection.js'
import { Core } from './core.js'
import { Announcer, CaretDocument, CaretEvent } from './document.js'
import { CaretError } from './errors.js'
import { entry, Followers } from './followers.js'
import { Keeper } from './keeper.js'
import { Module } from './module.js'
import { Replica } from './replica.js'
import { ServerRotation } from './server-rotation.js'
import { Surface } from './surface.js'
import { webSocket } from './web-socket.js'
import { decodeMessage, encodeMessage } from './wire.js'

export { Binding, CaretDocument, CaretError, Surface }

/** A connection to a server. It reconnects by itself. Events: 'link', 'signedOut', 'keeping' and 'kept'. */
export class Caret extends Announcer {
    /** Null until it is loaded. Before that, the program has no client, so that there are no documents. */
    #module
    /** The events before the program can listen; null afterwards. */
    #earlyEvents = null
    #state
    #connection
    #alarm = new Alarm(() => this.#pass((now) => this.#state.timePassed(now, Math.random())))
    #queue = []
    #isRunning = false
    #requests = new Map()
    #documents = new Map()
    #followers = new Followers()
    /** Stores unsaved edits on this device; null if the client does not. */
    #keeper
    /** For each open document, what stores its unsaved edits. */
    #kept = new Map()
    /** Saves other unsaved edits of this device; null if the client does not, or not yet. */
    #recovery = null
    /** Makes a client that continues an ended one; null if this client does not save other edits. */
    #makeOther = null
    #hasRecovered = false
    /** Calls the token function; null if the token is a string. */
    #ask
    #lastSeq = 0
    /** The error of the module, after which the client cannot continue. */
    #fault = null
    /** Why the client has ended, as an error for callers that wait; null before that. */
    #endError = null

    /** Loads the module, and connects at the same time. Waits for the module, but not for the connection. */
    static async connect(server = globalThis.location?.origin, options = {}) {
        const { keep = browserKeeping(), shuffle = true, token, user, client, makeID = randomID } = options
        const servers = [server].flat().map((one) => new URL(one))
        // All servers have the same documents. The first one of the list stands for them, whichever is used, so a list
        // that begins with the only server of earlier has the edits of that server.
        const { origin } = servers[0]
        if (shuffle) shuffleInPlace(servers)
        const loading = Module.load(options.wasm ?? new URL('caret.wasm', import.meta.url))
        // The failure is handled below, perhaps later.
        loading.catch(() => {})
        const { transport = webSocket } = options
        const tokens = typeof token === 'function' ? await import('./token-client.js') : null
        // The storage may need some time to say which id the client has.
        const started = keep && !tokens ? new StartedTransport(transport(servers[0])) : null
        const settings = { server: origin, token: tokens ? null : token, user, client, makeID }
        const keeper = keep ? await Keeper.start(keep, settings) : null
        const make = async (keeper, others) => {
            const id = keeper?.client ?? client ?? makeID()
            const caret = new Caret(servers, null, { ...options, client: id, keeper, ...others })
            await caret.#start(loading)
            return caret
        }
        const caret = await make(keeper, { started, tokens })
        if (keeper) caret.#makeOther = (keeper) => make(keeper, { token: caret.#state.hello.token })
        return caret
    }

    /** Use `connect` instead. */
    constructor(servers, module, { transport = webSocket, keeper = null, started = null, tokens, ...settings }) {
        super()
        this.#module = module
        const makeTransport = (server) => {
            const first = started
            started = null
            return first ?? transport(server)
        }
        this.#connection = new Connection(makeTransport, {
            opened: () => this.#pass((now) => this.#state.connected(now)),
            received: (line) => this.#pass((now) => this.#received(line, now)),
            closed: (reason) => this.#pass((now) => this.#state.disconnected(reason, now, Math.random())),
        })
        this.#keeper = keeper
        const keeping = keeper && { keeps: true, user: keeper.user, ownsID: keeper.hasLock }
        this.#ask = tokens?.asking(settings.token, keeper)
        const State = tokens?.withTokens(ClientState, ServerRotation, CaretError) ?? ClientState
        this.#state = new State({ servers, ...settings, ...keeping })
        keeper?.listen({
            lost: () => this.#pass((now) => this.#state.replaced(now)),
            faultChanged: () => this.#tellFault(),
            keptChanged: () => this.#tell(new CaretEvent('kept')),
        })
        this.#pass((now) => this.#state.started(now))
        if (!module) this.#earlyEvents = []
        if (this.keepingError) this.#tellFault()
    }

    #tellFault() { this.#tell(new CaretEvent('keeping', { error: this.keepingError })) }

    /** Waits for the module. */
    async #start(loading) {
        try {
            this.#module = await loading
        } catch (error) {
            // The next attempt needs the lock of the id.
            await this.close()
            throw error
        }
        // The program that waits for `connect` can listen before these events.
        setTimeout(() => {
            const events = this.#earlyEvents
            this.#earlyEvents = null
            for (const event of events) this.#tell(event)
            this.#recover()
        })
    }

    /** Saves other unsaved edits of this device, if the client is online and has not done so since the last `claim`. */
    async #recover() {
        const [keeper, makeClient] = [this.#keeper, this.#makeOther]
        if (!makeClient || this.#hasRecovered || this.link.state !== 'online' || this.#earlyEvents) return
        this.#hasRecovered = true
        try {
            if (keeper.closed.length === 0 && (await keeper.others()).length === 0) return
            const { Recovery } = await import('./recovery.js')
            if (this.#endError) return
            const keptChanged = () => this.#tell(new CaretEvent('kept'))
            this.#recovery ??= new Recovery(this, keeper, { makeClient, keptChanged })
            this.#recovery.run()
        } catch {
            // The storage has failed, or the file could not be loaded. The client tries again when it is online again.
            this.#hasRecovered = false
        }
    }

    /** Dispatches an event, but not before the program can listen. */
    #tell(event) {
        if (this.#earlyEvents) return void this.#earlyEvents.push(event)
        this.dispatchEvent(event)
        if (event.type === 'signedOut') {
            this.warnUnless(['link', 'signedOut'], ({ warnOfRefusal }) => warnOfRefusal(this.server.origin, this.#endError))
        } else if (event.link?.state === 'waiting' && this.user === undefined) {
            this.warnUnless(['link'], ({ warnOfServer }) => warnOfServer(this.server, event.link.reason))
        }
    }

    /** { state, until, reason }: whether there is a connection, when the next attempt is, and what went wrong. */
    get link() {
        if (this.#fault) return { state: 'ended', reason: this.#fault.code }
        const { state, until, reason } = this.#state.link
        const link = { state: ['idle', 'asking', 'greeting'].includes(state) ? 'connecting' : state, reason }
        return until === undefined ? link : { ...link, until: new Date(Date.now() + until - performance.now()) }
    }

    /** The URL of the server that the client is connected to, or tries next. */
    get server() { return this.#state.server }

    /** The user's name, as the server knows it. Undefined until the server has answered. */
    get user() { return this.#state.welcome?.user }
    /** { name, color } if others see these of the user, because the token has them. */
    get verified() { return this.#state.welcome?.info }
    get limits() { return this.#state.welcome?.limits }
    /** What the server can do beyond the basics. */
    get features() { return this.#state.welcome?.features }
    /** The most that the user may do with any document. Undefined until the server has answered. */
    get rights() { return this.user && (this.#state.welcome.rights ?? 'write') }

    /** What the user may write, if this is neither all nor nothing: { prefix } or { doc } each. */
    get grants() { return this.#state.welcome?.grants }

    /** The rules of edits, in the same module: diff, apply, compose, invert and others. */
    get core() { return new Core(this.#module) }

    /** Others see this name and color of the user from now on. If there is a connection, the client makes a new one. */
    introduce(person) { this.#pass((now) => this.#state.introduced(person, now)) }

    /** Tries to connect at once, if the client waits before its next attempt. */
    reconnect() { this.#pass((now) => this.#state.hurried(now)) }

    /**
     * Opens a document, now or as soon as there is a connection. There is one object for each name, which is open until
     * each call has its `close`.
     */
    open(name, { create = false, watch = false } = {}) {
        const open = this.#find(name)
        // A watched document cannot be edited.
        if (!open) return this.#open(name, { create, watch }, watch ? null : this.#keeper?.open(this.#module, name))
        if (open.watches !== watch) {
            throw new CaretError('already_open', `${name} is open in the other mode; close it first`)
        }
        // If the client has opened it only to save its edits, the program takes it over.
        if (!this.#recovery?.release(open)) open.keepOpen()
        if (create) open.create()
        return open
    }

    /** Opens a document that continues from a keepsake. Null if it is open, or if there is no whole keepsake. */
    openKept(name) {
        const found = this.#find(name) ? null : this.#keeper.restore(this.#module, name)
        return found && this.#open(name, {}, found)
    }

    /** A page of the documents, sorted by name: { docs, more }. */
    async list({ prefix, after, limit } = {}) {
        const { docs, more = false } = await this.#request({ type: 'list', prefix, after, limit })
        return { docs: docs.map(entry), more }
    }

    /** The text of a document, or a part of it, now or at an earlier revision or time. */
    async read(name, { rev, at, start, end } = {}) {
        const message = { type: 'read', doc: name, rev, at: at?.getTime(), start, end }
        const { type, id, doc, rev: revision, ...rest } = await this.#request(message)
        return { name: doc, revision, ...rest }
    }

    /** The revisions of a document, oldest first. */
    history(name, options) { return this.#list('history', name, options) }

    /** The deleted documents that can still be brought back, and that the user may write. */
    deleted(options) { return this.#list('deleted', options) }

    /** The links to a document, oldest first. */
    links(name) { return this.#list('links', name) }

    async *#list(...call) { yield* await this.#late(...call) }

    /** Calls a function of listings.js. */
    async #late(what, ...options) {
        const { [what]: run } = await import('./listings.js')
        return run((message) => this.#request(message), ...options)
    }

    /** Makes a new revision with the text of an old one. */
    async restore(name, rev) {
        const { epoch } = await this.read(name, { rev })
        // At least the time, so that a client that restarts with its old id does not reuse a number.
        this.#lastSeq = Math.max(this.#lastSeq + 1, Date.now())
        const seq = this.#lastSeq
        await this.#keeper?.restoring(name, seq)
        await this.#request({ type: 'restore', doc: name, epoch, rev, seq })
    }

    /** The revisions of a document that have a name, oldest first. */
    tags(name) { return this.#late('tags', name) }

    /** The notes of a document, as an object to read and write them: see Notes in caret.d.ts. */
    notes(name) { return this.#late('notes', name) }

    async tag(name, rev, as) { await this.#request({ type: 'tag', doc: name, name: as, rev }) }
    async untag(name, tag) { await this.#request({ type: 'untag', doc: name, name: tag }) }
    async copy(name, to) { await this.#request({ type: 'copy', doc: name, to }) }
    async rename(name, to) { await this.#request({ type: 'rename', doc: name, to }) }
    async delete(name) { await this.#request({ type: 'delete', doc: name }) }
    async undelete(number) { await this.#request({ type: 'undelete', number }) }

    /** Makes a link to a document: a token for everybody who gets it. Returns { number, token }. */
    addLink(name, options) { return this.#late('addLink', name, options) }

    async endLink(name, number) { await this.#request({ type: 'end_link', doc: name, number }) }

    /**
     * Calls `listener` with each document whose name begins with `prefix`: at first with all that exist, then
     * whenever one is created, changed, renamed or deleted. Returns a function that stops following.
     */
    follow(prefix, listener) {
        const follower = this.#followers.add(prefix, listener)
        this.#updateFollow()
        return () => {
            if (this.#followers.remove(follower)) this.#updateFollow()
        }
    }

    /** Waits until all documents are saved, but for at most 4 s, and ends the connection for good. */
    async close() {
        const documents = [...this.#documents.values()].map((document) => document.end())
        await Promise.all([...documents, this.#recovery?.end()])
        if (!this.#fault) this.#pass((now) => this.#state.closed(now))
        await this.#keeper?.end()
    }

    /** Why unsaved edits are not stored on this device; null if they are, or if the client does not do it. */
    get keepingError() { return this.#keeper?.fault ?? null }

    /** The documents with unsaved edits on this device. See Kept in caret.d.ts. */
    async kept() {
        const restore = (keepsake) => new Replica(this.#module, { keepsake }).free()
        return (await this.#keeper?.run('describe', restore)) ?? []
    }

    /** Removes the edits of an entry of `kept` for good. Returns false if a document or another tab uses them. */
    async forget({ id }) { return (await this.#keeper?.run('forget', id)) ?? false }

    /** The user says that the edits of an entry of `kept` are theirs. Returns false if this is not possible now. */
    async claim({ id }) {
        const isClaimed = (await this.#keeper?.run('claim', id)) ?? false
        this.#hasRecovered = false
        this.#recover()
        return isClaimed
    }

    // Events in, actions out.

    /** Passes an event to the state, and runs the actions. */
    #pass(event) {
        if (this.#fault) throw this.#fault
        try {
            this.#queue.push(...event(performance.now()))
            this.#runQueue()
        } catch (error) {
            if (error.code === 'trapped' && !this.#fault) this.#endAfterFault(error)
            throw error
        }
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
        case 'connect': return this.#connection.start(action.server)
        case 'disconnect': return this.#disconnect()
        case 'send': return this.#send(action)
        case 'keep': return this.#kept.get(action.key)?.changed(action)
        case 'link': return this.#linkChanged()
        case 'answer': return this.#settle(action.id, 'resolve', action.message)
        case 'fail': return this.#settle(action.id, 'reject', action.error)
        case 'deliver': return this.#followers.deliver(action.event)
        case 'update': return this.#notify(action)
        case 'end': return this.#ended(action)
        case 'ask': return void this.#askForToken(action.call)
        case 'wake': return this.#alarm.set(action.at)
        default: throw new TypeError(`${action.do} is not an action`)
        }
    }

    async #askForToken(call) {
        const event = await this.#ask(call)
        if (!this.#fault) this.#pass((now) => event(this.#state, now))
    }

    #linkChanged() {
        if (this.link.state === 'online') this.#keeper?.welcomed(this.user)
        this.#tell(new CaretEvent('link', { link: this.link }))
        this.#recover()
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

    #disconnect() {
        for (const kept of this.#kept.values()) kept.dropPush()
        this.#connection.stop()
    }

    #send({ message, id, key }) {
        const line = encodeMessage(message, id)
        const limit = this.limits?.line ?? Infinity
        if (isLonger(line, limit)) {
            return void this.#queue.unshift(...this.#state.lineTooLong(message, id, limit, performance.now()))
        }
        const kept = this.#kept.get(key)
        if (kept && message.type === 'push') return kept.push(() => this.#connection.send(line))
        // The replica makes a push again after `open`.
        if (message.type !== 'select') kept?.dropPush()
        this.#connection.send(line)
    }

    #ended({ reason, error }) {
        this.#endError = error
        this.#alarm.stop()
        this.#recovery?.end()
        this.#keeper?.end({ isTrapped: this.#fault !== null, isOtherUser: reason === 'other_user' })
        for (const document of this.#documents.values()) document.endWaiting(error)
        const isSignedOut = ['unauthorized', 'revoked', 'token_ended', 'signed_out'].includes(reason)
        if (isSignedOut) this.#tell(new CaretEvent('signedOut', { reason }))
    }

    /** Ends the client, because its module cannot be used any more. */
    #endAfterFault(error) {
        this.#fault = error
        this.#queue = []
        this.#disconnect()
        for (const id of this.#requests.keys()) this.#settle(id, 'reject', error)
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

    /** Resolves or rejects the promise of a request. */
    #settle(id, how, result) {
        this.#requests.get(id)?.[how](result)
        this.#requests.delete(id)
    }

    // Documents.

    #find(name) { return [...this.#documents.values()].find((document) => document.name === name) }

    /** `found` is the answer of the keeper about the document, if there is a keeper. */
    #open(name, { create, watch }, found) {
        const { kept } = found ?? {}
        const replica = found?.replica ?? new Replica(this.#module, { watch })
        const { restores, earlier = replica.text } = kept ?? {}
        const restored = found?.isRestored && { restores, text: earlier, core: this.core }
        const options = { create: create || kept?.creates, watch, restored }
        let document
        this.#pass((now) => {
            const [key, actions] = this.#state.opened(replica, name, options, now)
            const state = this.#state.documents.get(key)
            document = new CaretDocument(this.#documentOwner(key, kept), state)
            this.#documents.set(key, document)
            const told = () => document.dispatchEvent(new CaretEvent('keeping', { isKept: kept.isKept, error: this.keepingError }))
            if (kept) this.#kept.set(key, kept.attach(state, told))
            return actions
        })
        return document
    }

    /** What a document may do with the client. */
    #documentOwner(key, kept) {
        const endError = () => this.#endError
        return {
            get error() { return endError() },
            get isKept() { return kept?.isKept },
            core: this.core,
            change: (event) => this.#pass((now) => this.#state.change(key, (state) => event(state, now), { isOwn: true })),
            handleMessages: () => this.#pass((now) => this.#state.handledMessages(key, now, Math.random())),
            closeDocument: () => {
                this.#documents.delete(key)
                this.#kept.delete(key)
                if (this.#fault) return
                if (kept) this.#keeper.close(kept)
                this.#pass(() => this.#state.closedDocument(key))
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
        const { prefix } = this.#followers
        this.#pass(() => (prefix === undefined ? this.#state.unfollowed() : this.#state.followed(prefix)))
    }
}

/** Puts a list into a random order, so that the clients of a server spread over the others if it stops. */
function shuffleInPlace(list) {
    for (let end = list.length; end > 1;) list.push(...list.splice(Math.random() * end--, 1))
}

/** A client id of 128 random bits. Only the client and the server know it. */
function randomID() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
