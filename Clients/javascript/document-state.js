// An open document of a client: its replica, its name, and what other sessions say about themselves.
//
// Like the client's state, it uses no clock and no socket. Each event is a method that returns actions:
// { do: 'send', message, id } and { do: 'notify', update }. DocumentState.swift is the same in Swift.
import { CaretError } from './errors.js'

/** Issues the ids of a client's requests, each only once. */
export class RequestIDs {
    #last = 0
    next() { return ++this.#last }
}

export class DocumentState {
    #ids
    #creates
    #lastOpen = null
    /** Whether the last open message asks the server to create the document. */
    #hasAskedToCreate = false
    #introductions = new Map()
    #typedAt = null
    #state = null
    #text = null
    /** The messages that wait until `handledNext`; null if messages do not wait. */
    #held = null
    /**
     * What the replica has continued from, until the document is open: { nextSeq, text, restores, core, isOld }. With
     * `isOld`, the server has a later push, and must send the whole text.
     */
    #restored = null
    /** The last push, as an action of the replica. */
    pushed = {}
    /** If set, called with each message after the replica has handled it. */
    heard = null
    /** About how many UTF-16 code units wait. Not 0 if any message waits. */
    heldSize = 0

    /** When `timePassed` must be called; null if no call is needed. */
    retryAt = null
    /** The last refusal of the server, as a CaretError. */
    refusal = null
    /** Whether the program only watches the document. */
    watches
    /** Why the server saves nothing yet, as an error code; undefined if there is no reason. */
    #delay

    /**
     * `restored` is set if the replica continues from a keepsake: { restores, core, text }. `restores` are the numbers of
     * the calls of `restore` by this client, and `core` has the rules of edits. `text` is that of the keepsake, or of an
     * even earlier one from which it continues, if the document has not been open since.
     */
    constructor(replica, name, { ids, create = false, watch = false, restored }) {
        this.replica = replica
        this.name = name
        this.#ids = ids
        this.#creates = create
        this.watches = watch
        if (restored) this.#restored = { nextSeq: replica.state.nextSeq, ...restored }
    }

    /** Whether the replica continues from a keepsake, and the document has not been open since. */
    get isRestored() { return this.#restored !== null }

    /** The text of the keepsake that the replica continues from; undefined if the document has been open since. */
    get earlier() { return this.#restored?.text }

    /** Whether opening the document creates it if it does not exist. */
    get creates() { return this.#creates }

    /** The state of the replica, read at most once after each event. */
    get state() { return (this.#state ??= this.replica.state) }

    get saving() {
        const { saving } = this.state
        return saving.state === 'sending' ? { ...saving, code: this.#delay } : saving
    }

    /** The text that the user sees, read at most once after each event. */
    get text() { return (this.#text ??= this.replica.text) }

    get peers() {
        return this.replica.peers.flatMap((peer) => {
            const introduction = this.#introductions.get(peer.session)
            return introduction ? [{ ...peer, ...introduction }] : []
        })
    }

    // Events of the program.

    typed(edits, now) {
        const actions = this.#run(this.replica.typed(edits, this.#pause(now)), now)
        return [{ do: 'notify', update: { type: 'change', edits, own: true } }, ...actions]
    }

    /** The program replaces the whole text. Only the difference becomes edits. */
    replaced(text, now) { return this.#run(this.replica.replaced(text, this.#pause(now)), now, true) }

    selected(selections, now) { return this.#run(this.replica.selected(selections), now) }
    undone(now) { return this.#run(this.replica.undo(), now, true) }
    redone(now) { return this.#run(this.replica.redo(), now, true) }
    retried(now) { return this.#run(this.replica.retry(), now) }
    /** The program opens the document with `create`. If there is none, it is created now or with the next answer. */
    created(now) {
        const isMissing = this.state.saving.code === 'not_found'
        if (isMissing || this.isRestored || this.state.saving.state === 'opening') this.#creates = true
        return isMissing ? this.retried(now) : []
    }
    discarded(now) { return this.#run(this.replica.discard(), now) }

    #pause(now) {
        const pause = this.#typedAt === null ? undefined : now - this.#typedAt
        this.#typedAt = now
        return pause
    }

    // Events of the connection and the clock.

    welcomed(now) { return this.#run(this.replica.connected(), now) }

    disconnected(now) {
        this.#dropHeld()
        this.#lastOpen = null
        this.#delay = undefined
        return this.#run(this.replica.disconnected(), now)
    }

    timePassed(now) {
        if (this.retryAt === null || this.retryAt > now) return []
        this.retryAt = null
        return this.#run(this.replica.timePassed(), now)
    }

    // A field on a page handles messages only at certain moments.

    /** From now on, messages wait. */
    hold() { this.#held ??= [] }

    /** No message may wait at this moment. */
    endHold() { this.#held = null }

    /** Handles the message that has waited longest. Throws as `received`. */
    handledNext(now) {
        const message = this.#held.shift()
        this.heldSize -= sizeOf(message)
        // After a rename, the next messages may be about another open of the document.
        return this.isAddressed(message) ? this.#handle(message, now) : []
    }

    /** The server repeats what the client has not handled before the end of the connection. */
    #dropHeld() {
        this.#held &&= []
        this.heldSize = 0
    }

    /**
     * Handles a message that `isAddressed` accepts, or lets it wait. Throws if it contains an invalid text or
     * edit.
     */
    received(message, now) {
        if (message.type === 'bye') this.#dropHeld()
        else if (this.#held && !this.#isHarmless(message)) return this.#wait(message)
        return this.#handle(message, now)
    }

    /** An ack of edits that are committed as they were sent changes no text, and lets the next edits be sent. */
    #isHarmless(message) { return message.type === 'ack' && message.edits === undefined && this.heldSize === 0 }

    #wait(message) {
        this.#held.push(message)
        this.heldSize += sizeOf(message)
        return [notify({ type: 'held', size: this.heldSize })]
    }

    #handle(message, now) {
        this.#record(message)
        const isSuperseded = message.type === 'opened' && this.#isSuperseded(message)
        if (isSuperseded && message.text === undefined) return this.#reload(now)
        const isRefusedOpen = message.type === 'error' && message.id !== undefined
        const rights = this.state.rights
        const actions = isSuperseded ? this.#dropRestored(message, now) : this.#run(this.#pass(message), now)
        if (isRefusedOpen && message.code === 'not_found' && this.#creates && !this.#hasAskedToCreate) {
            actions.push(...this.retried(now))
        }
        if (message.type === 'opened') this.#restored = null
        if (this.state.rights !== rights) {
            actions.push({ do: 'notify', update: { type: 'rights', rights: this.state.rights } })
        }
        if (message.type === 'gone' && message.reason !== 'renamed') {
            actions.push({ do: 'notify', update: { type: 'gone', reason: message.reason } })
        }
        return actions
    }

    #pass(message) {
        if (message.type === 'error') {
            return message.id === undefined ? this.replica.pushRefused(message) : this.replica.openRefused(message)
        }
        const actions = this.replica.received(message)
        this.heard?.(message)
        return actions
    }

    // A keepsake may be older than the last push of the client that made it, if the storage had failed or has lost
    // a write. The server then has a push with a number that the keepsake has not used yet. This push contained
    // everything that the keepsake has as unsaved, so sending those edits again would enter them twice. A keepsake that
    // was made before the document was open says nothing about numbers, so its edits are sent. In another epoch, the
    // numbers may be those of another document.

    #isSuperseded({ own, epoch }) {
        const restored = this.#restored
        return restored && own && this.state.position?.epoch === epoch && own.seq >= restored.nextSeq
            && !restored.restores.includes(own.seq)
    }

    /** Opens the document again with its whole text. Until it arrives, everything is kept. */
    #reload(now) {
        this.#restored.isOld = true
        return [...this.disconnected(now), send({ type: 'close', doc: this.name }), ...this.welcomed(now)]
    }

    /** Drops the edits of the keepsake for the whole text of the server, and enters what the user has typed since. */
    #dropRestored(message, now) {
        const { text, core } = this.#restored
        // Throws if the text of the message is invalid, before anything is dropped.
        const edits = core.rebase(core.diff(text, this.text), core.diff(text, message.text), 'otherFirst')
        const actions = [...this.#run(this.replica.discard(), now), ...this.#run(this.#pass(message), now)]
        if (edits.length > 0) {
            actions.push(notify({ type: 'change', edits, own: false }), ...this.#run(this.replica.typed(edits), now))
        }
        return actions
    }

    /** Called when a push was not sent, because its line is longer than the server allows. */
    lineTooLong(push, now) {
        return this.#run(this.replica.pushRefused({ code: 'line_too_long', seq: push.seq }), now)
    }

    /** Whether a message is about this document. */
    isAddressed(message) {
        switch (message.type) {
        case 'opened': return message.id !== undefined && message.id === this.#lastOpen
        case 'error':
            if (message.id !== undefined) return message.id === this.#lastOpen
            return message.doc === this.name && message.seq !== undefined
        case 'change': case 'ack': case 'check': case 'peer': case 'resync': case 'rights':
            return message.doc === this.name
        // A `gone` message for a follower may arrive late, when another document already has the name.
        case 'gone': return message.doc === this.name && !message.followed
        case 'bye': return true
        default: return false
        }
    }

    /** Records the parts of a message that the replica does not use. */
    #record(message) {
        switch (message.type) {
        case 'opened':
            this.#lastOpen = null
            this.#creates = false
            this.#introductions = new Map((message.peers ?? []).map((peer) => [peer.session, introduction(peer)]))
            break
        case 'peer':
            if (message.left) this.#introductions.delete(message.session)
            else if (message.user !== undefined) this.#introductions.set(message.session, introduction(message))
            break
        case 'ack':
            this.#delay = undefined
            break
        case 'error':
            this.refusal = refusal(message)
            this.#delay = message.code
            if (message.id !== undefined) this.#lastOpen = null
            break
        }
    }

    #run(actions, now, own = false) {
        this.#state = null
        this.#text = null
        return actions.flatMap((action) => this.#runOne(action, now, own))
    }

    #runOne(action, now, own) {
        const doc = this.name
        switch (action.do) {
        case 'open': return [this.#open(action)]
        case 'close': return [send({ type: 'close', doc })]
        case 'push': {
            const { epoch, base, seq, edits } = this.pushed = action
            return [send({ type: 'push', doc, epoch, base, seq, edits })]
        }
        case 'select': return [send({ type: 'select', doc, rev: action.rev, selections: action.selections })]
        case 'diverged': return [send({ type: 'diverged', doc, rev: action.rev })]
        case 'retry':
            this.retryAt = now + action.after
            return []
        case 'edit': return [notify({ type: 'change', edits: action.edits, own })]
        case 'peers': return [notify({ type: 'peers' })]
        case 'state': return [notify({ type: 'saving', saving: action.saving })]
        case 'rename':
            this.name = action.name
            return [notify({ type: 'renamed', name: action.name, from: doc })]
        default: throw new TypeError(`${action.do} is not an action`)
        }
    }

    #open({ position }) {
        this.#lastOpen = this.#ids.next()
        this.#hasAskedToCreate = this.#creates
        const message = {
            type: 'open', doc: this.name, create: this.#creates || undefined, ...(this.#restored?.isOld ? {} : position),
            mode: this.watches ? 'watch' : undefined, squash: this.watches || undefined,
        }
        return { do: 'send', message, id: this.#lastOpen }
    }
}

/** The server's error as a CaretError. */
export function refusal({ code, message, retry_after_ms: retryAfter }) {
    return new CaretError(code, `${message} (${code})`, retryAfter === undefined ? {} : { retryAfter })
}

function introduction({ user, client, info }) {
    return { user, client, name: info?.name, color: info?.color, verified: info?.verified === true }
}

/** About how large a message is, in UTF-16 code units. */
function sizeOf({ text = '', edits = [] }) {
    return edits.reduce((size, edit) => size + edit.text.length, 100 + text.length)
}

function send(message) { return { do: 'send', message } }

function notify(update) { return { do: 'notify', update } }
