// CaretReplica for JavaScript: one client's copy of one document. See Replica.swift for its laws.
//
// This file only writes and reads bytes. Each event is a method, which returns a list of actions: objects whose
// `do` is one of 'open', 'close', 'push', 'select', 'diverged', 'retry', 'edit', 'peers', 'state' and 'rename'.
// Run them in order. An event that cannot succeed throws a CaretError, and changes nothing.
import { ByteReader, ByteWriter, decodeText } from './bytes.js'
import { numbersIn } from './module.js'

// The numbers of the events in ReplicaEvents.swift.
const events = {
    typed: 0, replaced: 1, selected: 2, undo: 3, redo: 4, retry: 5, discard: 6, connected: 7, disconnected: 8,
    timePassed: 9, openRefused: 10, pushRefused: 11, opened: 12, change: 13, ack: 14, check: 15, peer: 16, resync: 17,
    rights: 18, gone: 19,
}
const parts = { state: 0, text: 1, committed: 2, unsaved: 3, inFlight: 4, unsent: 5, peers: 6, keepsake: 7 }
const savingStates = ['saved', 'sending', 'opening', 'offline', 'refused']
const rightsWords = ['none', 'read', 'write']
const goneReasons = ['deleted', 'renamed', 'damaged']

/** The error codes that a replica distinguishes, in the order of their numbers. 'other' is for all other codes. */
export const refusals = [
    'rate_limited', 'overloaded', 'storage_full', 'storage_failed', 'internal', 'shutting_down', 'push_in_flight',
    'not_open', 'already_open', 'epoch_changed', 'base_ahead', 'base_trimmed', 'base_before_own_push', 'seq_reused',
    'bad_range', 'not_found', 'damaged', 'forbidden', 'bad_text', 'bad_edits', 'too_large', 'line_too_long', 'other',
]

/** Frees the memory of each `Replica` that the program no longer uses. */
const unused = new FinalizationRegistry(({ module, handle }) => free(module, handle))

export class Replica {
    #module
    #handle

    /**
     * A replica of a document that is not open yet. `seq` is above all push numbers that the client has used.
     * With a `keepsake`, it continues from the replica that made the keepsake, perhaps on an earlier page.
     */
    constructor(module, { seq = 1, watch = false, keepsake } = {}) {
        this.#module = module
        this.#handle = keepsake
            ? numbersIn(module.call('caret_replica_restore', { keepsake }))[0]
            : module.callPlain('caret_replica_new', seq % 2 ** 32, seq / 2 ** 32, watch ? 1 : 0)
        unused.register(this, { module, handle: this.#handle }, this)
    }

    /** Frees the memory of the replica. The replica must not be used after that. */
    free() {
        unused.unregister(this)
        free(this.#module, this.#handle)
        this.#handle = -1
    }

    // Events of the user. `pause` is how many milliseconds ago the user last changed the text.
    typed(edits, pause) { return this.#pass('typed', (bytes) => bytes.number(pauseNumber(pause)).edits(edits)) }
    /** The user replaces the whole text. The first action is the `edit` with the difference. */
    replaced(text, pause) { return this.#pass('replaced', (bytes) => bytes.number(pauseNumber(pause)).string(text)) }
    selected(selections) { return this.#pass('selected', (bytes) => bytes.selections(selections)) }
    undo() { return this.#pass('undo') }
    redo() { return this.#pass('redo') }
    retry() { return this.#pass('retry') }
    discard() { return this.#pass('discard') }

    // Events of the connection and the clock.
    connected() { return this.#pass('connected') }
    disconnected() { return this.#pass('disconnected') }
    timePassed() { return this.#pass('timePassed') }
    openRefused(error) { return this.#pass('openRefused', (bytes) => putError(bytes, error)) }
    pushRefused(error) { return this.#pass('pushRefused', (bytes) => putError(bytes, error).seq(error.seq)) }

    /** A message of the server about the document. It may be of any type except `error`. */
    received(message) {
        if (message.type === 'bye') return this.disconnected()
        const put = Object.hasOwn(messages, message.type) ? messages[message.type] : null
        return put ? this.#pass(message.type, (bytes) => put(bytes, message)) : []
    }

    /** Position, rights, saving, canUndo, canRedo, hasUnsaved, length, nextSeq and the user's own selections. */
    get state() {
        const reader = this.#read('state')
        const [position, rights] = [reader.position(), rightsWords[reader.number()]]
        return {
            position, rights, saving: readSaving(reader), canUndo: reader.flag(), canRedo: reader.flag(),
            hasUnsaved: reader.flag(), length: reader.number(), nextSeq: reader.seq(), selections: reader.selections(),
        }
    }

    /** The text that the user sees. */
    get text() { return decodeText(this.#bytes('text')) }

    /** The text that the server has committed. */
    get committed() { return decodeText(this.#bytes('committed')) }

    /** The edits from `committed` to `text`, which `discard` would drop. */
    get unsaved() { return this.#read('unsaved').edits() }

    /** The change in flight, rebased over all changes committed since it was sent. */
    get inFlight() { return this.#read('inFlight').edits() }

    /** The edits made after the change in flight. */
    get unsent() { return this.#read('unsent').edits() }

    /** The other sessions with their selections in the text that the user sees. */
    get peers() {
        const reader = this.#read('peers')
        return reader.list(() => ({ session: reader.string(), selections: reader.selections() }))
    }

    /** The bytes for a replica that continues from this one, or null if nothing is unsaved. */
    get keepsake() {
        const bytes = this.#bytes('keepsake')
        return bytes.length > 0 ? bytes : null
    }

    #bytes(part) { return this.#module.call('caret_replica_read', { replica: this.#handle, part: parts[part] }) }

    #read(part) { return new ByteReader(this.#bytes(part)) }

    #pass(event, put) {
        const writer = new ByteWriter(event).number(events[event])
        put?.(writer)
        const reader = new ByteReader(
            this.#module.call('caret_replica_event', { replica: this.#handle, [event]: writer.bytes }))
        const actions = []
        while (!reader.isAtEnd) actions.push(readAction[reader.number()](reader))
        return actions
    }
}

/** Where the committed text is in the bytes of a keepsake: its start and its end. Keepsake.swift describes the bytes. */
export function committedRange(keepsake) {
    const reader = new ByteReader(keepsake)
    reader.number()
    reader.position()
    const length = reader.number()
    return [reader.offset, reader.offset + length]
}

function free(module, handle) {
    if (!module.isTrapped) module.callPlain('caret_replica_free', handle)
}

function pauseNumber(pause) {
    return pause === undefined ? -1 : Math.min(Math.max(0, Math.round(pause)), 2 ** 31 - 1)
}

// The actions in the order of their numbers in ReplicaParts.swift.
const readAction = [
    (reader) => ({ do: 'open', position: reader.position(), watch: reader.flag() }),
    () => ({ do: 'close' }),
    (reader) => ({ do: 'push', epoch: reader.string(), base: reader.number(), seq: reader.seq(), edits: reader.edits() }),
    (reader) => ({ do: 'select', rev: reader.number(), selections: reader.selections() }),
    (reader) => ({ do: 'diverged', rev: reader.number() }),
    (reader) => ({ do: 'retry', after: reader.number() }),
    (reader) => ({ do: 'edit', edits: reader.edits() }),
    () => ({ do: 'peers' }),
    (reader) => ({ do: 'state', saving: readSaving(reader) }),
    (reader) => ({ do: 'rename', name: reader.string() }),
]

/** { state } or, if the server refused something, { state: 'refused', code }. */
function readSaving(reader) {
    const [state, refusal] = [savingStates[reader.number()], refusals[reader.number()]]
    return state === 'refused' ? { state, code: refusal } : { state }
}

// For each type of message, writes the parts that the replica uses.
const messages = {
    opened(bytes, { epoch, rev, text, rights, own, peers = [] }) {
        bytes.string(epoch).number(rev).flag(text !== undefined)
        if (text !== undefined) bytes.string(text)
        putOwn(bytes.number(index(rightsWords, rights)), own).number(peers.length)
        for (const peer of peers) bytes.string(peer.session).selections(peer.selections)
    },
    change(bytes, { rev, from = -1, edits }) { bytes.number(rev).number(from).edits(edits) },
    ack(bytes, { seq, rev, edits, unchanged, duplicate }) {
        bytes.seq(seq).number(rev).flag(unchanged).flag(duplicate).flag(edits !== undefined)
        if (edits !== undefined) bytes.edits(edits)
    },
    check(bytes, { rev, length, crc32 }) {
        if (!/^[0-9a-f]{8}$/.test(crc32)) throw new TypeError('crc32 must have eight hexadecimal digits')
        bytes.number(rev).number(length).word(parseInt(crc32, 16))
    },
    peer(bytes, { session, left, rev, selections }) {
        bytes.string(session).flag(!left)
        if (!left) bytes.number(rev).selections(selections)
    },
    resync(bytes, { epoch, rev, text, own }) { putOwn(bytes.string(epoch).number(rev).string(text), own) },
    rights(bytes, { rights }) { bytes.number(index(rightsWords, rights)) },
    gone(bytes, { reason, to }) {
        bytes.number(goneReasons.indexOf(reason)).flag(to !== undefined)
        if (to !== undefined) bytes.string(to)
    },
}

function putOwn(bytes, own) {
    bytes.flag(own !== undefined)
    return own === undefined ? bytes : bytes.seq(own.seq).number(own.rev)
}

function putError(bytes, { code, retry_after_ms: delay }) {
    const number = refusals.includes(code) ? refusals.indexOf(code) : refusals.length - 1
    return bytes.number(number).number(delay === undefined ? -1 : Math.min(delay, 2 ** 31 - 1))
}

function index(words, word) {
    const found = words.indexOf(word)
    if (found < 0) throw new TypeError(`${word} must be one of ${words.join(', ')}`)
    return found
}
