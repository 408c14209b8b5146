// Keeps the unsaved edits of one client on this device, so that a later client continues from them.
//
// Law: only one client at a time uses an id, and a document is never opened without its keepsake of this id. So
// every push that the server gets under this id contains all edits of the keepsakes before it.
import { CaretError } from './errors.js'
import { Keepsakes } from './keepsakes.js'
import { KeptDocument } from './kept-document.js'
import { Replica } from './replica.js'

/** How long a page that is loaded again waits for its old document to release its id, in milliseconds. */
const reloadTime = 300

export class Keeper {
    /** The id of the client. */
    client
    /** The user of the keepsakes. Undefined until the program or the server has named the user. */
    user
    /** Some keepsakes of the id may belong to the user, but not certainly. Another client must use their push numbers. */
    #isUncertain = false
    /** Some keepsakes of this client do not name the user. */
    #hasUnnamed = false
    /** Whether this object has the lock of the id. */
    hasLock = false
    /** Why the storage does not work, as a CaretError; null if it does. */
    fault = null
    #keepsakes
    /** All documents with keepsakes of this client, open or closed, by their number. */
    #documents = new Map()
    #lastNumber = 0
    #release = () => {}
    /** Nothing may be stored any more. */
    #hasEnded = false
    /** The promise of `end`, after it was called. */
    #ended = null
    #pageEvents = new AbortController()
    /** Null until `listen` is called. */
    #listener = null
    /** The numbers of the keepsakes that are stored. */
    #stored = new Set()

    /**
     * Chooses the client's id: that of an ended client with keepsakes of the same user, or else a new one. With
     * `client`, chooses this id, unless it has keepsakes that may belong to the user, but not certainly. `user` is
     * undefined if the program does not name the user. If the storage fails, `fault` says why, and the client works
     * without it.
     */
    static async start(keeping, { server, token, user, client, makeID }) {
        const keeper = new Keeper(new Keepsakes(keeping, { server, token }), user)
        try {
            await keeper.#chooseClient(client, makeID)
        } catch (error) {
            keeper.fault = toFault(error)
            keeper.#hasEnded = true
        }
        keeper.client ??= client ?? makeID()
        return keeper
    }

    /** Continues an ended client of this user. Returns null if another tab does this already. */
    async resume(client) {
        const keeper = new Keeper(this.#keepsakes, this.user)
        return (await keeper.#claim(client)) ? keeper : null
    }

    constructor(keepsakes, user) {
        this.#keepsakes = keepsakes
        this.user = user
    }

    /** The client has another token from now on. */
    set token(token) { this.#keepsakes.token = token }

    async #chooseClient(client, makeID) {
        const { remembered } = this.#keepsakes
        for (const id of client ? [client] : await this.#endedClients(remembered)) {
            if (!await this.#claim(id, { wait: id === remembered ? reloadTime : 0 })) continue
            if (this.#documents.size > 0 || (client && !this.#isUncertain)) break
            this.#release()
            this.hasLock = false
            client = this.client = undefined
        }
        if (client && !this.client) throw new CaretError('in_use', 'another client with this id keeps its edits')
        if (!this.client) await this.#claim(makeID(), { isNew: true })
        this.#keepsakes.remember(this.client)
    }

    /** The ids with keepsakes of this user only: first the one that this tab had, then those with the newest. */
    async #endedClients(remembered) {
        const clients = await this.#keepsakes.clients(this.user)
        return clients.sort((left, right) => (right === remembered) - (left === remembered))
    }

    /** With `isNew`, the id has just been made, so it has no keepsakes. */
    async #claim(client, { wait = 0, isNew = false } = {}) {
        const { user } = this
        const release = await this.#keepsakes.lock(client, { wait, lost: () => this.#lost() })
        if (!release) return false
        // Not before the lock: the client that had it may have changed its keepsakes.
        const found = isNew ? [] : await this.#keepsakes.list().catch((error) => {
            release()
            throw error
        })
        this.client = client
        this.#release = release
        this.hasLock = true
        for (const keepsake of found) {
            if (keepsake.client !== client) continue
            this.#lastNumber = Math.max(this.#lastNumber, keepsake.number)
            if (!this.#keepsakes.isOfUser(keepsake, user)) {
                this.#isUncertain ||= user === undefined || keepsake.user === undefined
                continue
            }
            this.user ??= keepsake.user
            this.#hasUnnamed ||= keepsake.user === undefined
            this.#stored.add(keepsake.number)
            this.#documents.set(keepsake.number, new KeptDocument(this.#storage, keepsake.number, keepsake))
        }
        return true
    }

    /**
     * Calls `lost` if another tab gets the id, `faultChanged` after each change of `fault`, and `keptChanged` when a
     * document gets its first keepsake or loses its last one.
     */
    listen(listener) {
        this.#listener = listener
        // After these events, the browser may end the page at any moment.
        const { signal } = this.#pageEvents
        globalThis.document?.addEventListener('visibilitychange', () => this.hurry(), { signal })
        if (globalThis.document) globalThis.addEventListener('pagehide', () => this.hurry(), { signal })
    }

    /** Another tab has the id now, and continues from the keepsakes. */
    #lost() {
        this.#hasEnded = true
        this.#listener?.lost()
    }

    /** The server has named the user. The keepsakes get this name, because the next client may have another token. */
    welcomed(user) {
        this.user = user
        if (this.#hasUnnamed) for (const kept of this.#documents.values()) kept.renew()
        this.#hasUnnamed = false
    }

    /** The closed documents with keepsakes of this client. */
    get closed() { return [...this.#documents.values()].filter((kept) => kept.canOpen) }

    /** A replica for the program, and what keeps it. It continues from the oldest keepsake with this name, if any. */
    open(module, name) {
        const found = this.restore(module, name)
        if (found) return found
        const kept = new KeptDocument(this.#storage, ++this.#lastNumber)
        this.#documents.set(kept.number, kept)
        return { replica: new Replica(module), kept, isRestored: false }
    }

    /** The same, but null if there is no whole keepsake with this name. */
    restore(module, name) {
        const found = this.closed.filter((kept) => kept.name === name).sort((left, right) => left.number - right.number)
        for (const kept of found) {
            const replica = kept.restore(module)
            if (replica) return { replica, kept, isRestored: true }
        }
        return null
    }

    /** The program closes a document. It may open it again, and then it continues from its unsaved edits. */
    close(kept) {
        kept.detach()
        kept.idle().then(() => { if (!kept.name) this.#documents.delete(kept.number) })
    }

    /** The client is about to restore this document with this number. */
    async restoring(name, seq) {
        const found = [...this.#documents.values()].filter((kept) => kept.name === name)
        await Promise.all(found.map((kept) => kept.restoring(seq)))
    }

    /** What a KeptDocument uses. */
    get #storage() {
        return {
            put: async (keepsake, document) => {
                this.#hasUnnamed ||= this.user === undefined
                const { client, user } = this
                await this.#call(() => this.#keepsakes.put({ ...keepsake, client, user }, document))
                if (this.#stored.has(keepsake.number)) return
                this.#stored.add(keepsake.number)
                this.#listener?.keptChanged()
            },
            remove: async (number) => {
                await this.#call(() => this.#keepsakes.remove({ client: this.client, number }))
                if (this.#stored.delete(number)) this.#listener?.keptChanged()
            },
        }
    }

    async #call(task) {
        if (this.#hasEnded) throw new CaretError('closed', 'the client has ended')
        const before = this.fault
        try {
            await task()
            this.fault = null
        } catch (error) {
            this.fault = toFault(error)
            throw error
        } finally {
            if ((before === null) !== (this.fault === null)) this.#listener?.faultChanged()
        }
    }

    /** Stores at once what waits to be stored. */
    hurry() { for (const kept of this.#documents.values()) kept.hurry() }

    /**
     * Stores what waits to be stored, unless the module has a fault. Then releases the id and stores no more. With
     * `isOtherUser`, the server has named another user than that of the keepsakes.
     */
    end({ isTrapped = false, isOtherUser = false } = {}) {
        this.#ended ??= this.#end(isTrapped, isOtherUser)
        return this.#ended
    }

    async #end(isTrapped, isOtherUser) {
        this.#pageEvents.abort()
        if (!isTrapped) this.hurry()
        await Promise.all([...this.#documents.values()].map((kept) => kept.end()))
        this.#hasEnded = true
        if (isOtherUser) await this.run('disown').catch(() => {})
        this.#release()
    }

    /** Calls a function of kept-list.js. It returns true if it has changed what is kept. */
    async run(name, argument) {
        const { [name]: body } = await import('./kept-list.js')
        try {
            const parts = { keepsakes: this.#keepsakes, documents: this.#documents, stored: this.#stored }
            const result = await body({ ...parts, client: this.client, user: this.user }, argument)
            if (result === true) this.#listener?.keptChanged()
            return result
        } catch (error) {
            throw toFault(error)
        }
    }

    /** The ids of other clients with keepsakes of this user only. */
    async others() {
        const clients = await this.#keepsakes.clients(this.user)
        return clients.filter((client) => client !== this.client)
    }
}

function toFault(error) {
    if (error instanceof CaretError) return error
    return new CaretError('storage', `unsaved edits cannot be stored on this device: ${error?.message ?? error}`)
}
