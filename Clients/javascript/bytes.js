// The bytes that the WebAssembly module reads and writes. Exports.swift and ReplicaExports.swift describe them.
import { inputError } from './errors.js'

const largest = 2 ** 31 - 1
const limit = 64 << 20
const encoder = new TextEncoder()
// A byte order mark is kept, because it is part of the text.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

export function encodeText(text, where = {}) {
    if (typeof text !== 'string') throw new TypeError('a text must be a string')
    // TextEncoder would replace a lone surrogate by U+FFFD. Node 18 does not have isWellFormed.
    if (!(text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text))) {
        throw inputError('loneSurrogate', [text.search(/\p{Surrogate}/u)], where)
    }
    return limited(encoder.encode(text), where)
}

export function decodeText(bytes) {
    return decoder.decode(bytes)
}

/** Checks that a value is an integer of at most 32 bits. */
export function integer(value, where = { argument: 'number' }) {
    if (!Number.isInteger(value)) throw new TypeError(`${where.argument}: ${value} is not an offset`)
    if (Math.abs(value) > largest) throw inputError('tooLarge', [value, largest], where)
    return value
}

/** Checks that `bytes` are not too long for an argument of the module. */
export function limited(bytes, where = {}) {
    if (bytes.length > limit) throw inputError('tooLarge', [bytes.length, limit], where)
    return bytes
}

/** Collects the parts of an argument. `argument` is its name in errors. */
export class ByteWriter {
    #bytes = new Uint8Array(128)
    #view = new DataView(this.#bytes.buffer)
    #length = 0
    #argument

    constructor(argument) { this.#argument = argument }

    get bytes() { return limited(this.#bytes.subarray(0, this.#length), { argument: this.#argument }) }

    number(value, where = { argument: this.#argument }) { return this.word(integer(value, where)) }

    flag(value) { return this.number(value ? 1 : 0) }

    /** The lowest 32 bits of a number. */
    word(value) {
        this.#reserve(4)
        this.#view.setUint32(this.#length, value, true)
        this.#length += 4
        return this
    }

    /** The number of a push, which has up to 53 bits. */
    seq(value) {
        if (!Number.isSafeInteger(value) || value < 0) throw inputError('malformed', [value], { argument: this.#argument })
        return this.word(value % 2 ** 32).word(value / 2 ** 32)
    }

    string(text, where) {
        const encoded = encodeText(text, where)
        this.number(encoded.length)
        this.#reserve(encoded.length)
        this.#bytes.set(encoded, this.#length)
        this.#length += encoded.length
        return this
    }

    edits(edits) {
        this.number(edits.length)
        edits.forEach(({ range: [start, end], text }, edit) => {
            const where = { argument: this.#argument, edit }
            this.number(start, where).number(end, where).string(text, where)
        })
        return this
    }

    selections(selections) {
        this.number(selections.length)
        for (const [anchor, head] of selections) this.number(anchor).number(head)
        return this
    }

    #reserve(count) {
        if (this.#length + count <= this.#bytes.length) return
        const larger = new Uint8Array(2 * this.#bytes.length + count)
        larger.set(this.#bytes)
        this.#bytes = larger
        this.#view = new DataView(larger.buffer)
    }
}

/** Reads the parts of an answer of the module. */
export class ByteReader {
    #bytes
    #view
    #next = 0

    constructor(bytes) {
        this.#bytes = bytes
        this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }

    /** Where the next part begins. */
    get offset() { return this.#next }

    get isAtEnd() { return this.#next === this.#bytes.length }

    number() {
        this.#next += 4
        return this.#view.getInt32(this.#next - 4, true)
    }

    flag() { return this.number() !== 0 }

    seq() {
        const low = this.number() >>> 0
        return this.number() * 2 ** 32 + low
    }

    string() {
        const count = this.number()
        this.#next += count
        return decoder.decode(this.#bytes.subarray(this.#next - count, this.#next))
    }

    list(readOne) { return Array.from({ length: this.number() }, readOne) }

    edits() {
        return this.list(() => ({ range: [this.number(), this.number()], text: this.string() }))
    }

    selections() { return this.list(() => [this.number(), this.number()]) }

    /** A revision with its epoch, or null. */
    position() { return this.flag() ? { epoch: this.string(), rev: this.number() } : null }
}
