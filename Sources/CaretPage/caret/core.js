// CaretCore for JavaScript: the server's own code, compiled to WebAssembly. For browsers and Node 18 or
// later.
//
//     const caret = await loadCaretCore(fetch('caret-core.wasm'))       or the bytes of that file, or its module
//     caret.diff('Hello world', 'Hello there world')                    [{ range: [6, 6], text: 'there ' }]
//
// A change is an array of edits { range: [start, end], text } in ascending order. Offsets count UTF-16 code
// units of the text before the change. Strings are never repaired: a lone surrogate is refused. A call that
// cannot succeed throws a CaretError.

/** Loads the module from its bytes, from a Response, from a compiled module, or from a promise of one. */
export async function loadCaretCore(source) {
    source = await source
    if (typeof Response !== 'undefined' && source instanceof Response) source = await source.arrayBuffer()
    const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source)
    return new CaretCore((await WebAssembly.instantiate(module, {})).exports)
}

/** Why a call has no result: `code` is a key of `sentences`, and `numbers` are the arguments of its sentence. */
export class CaretError extends Error {
    constructor(code, numbers = [], { argument, edit } = {}) {
        const where = [edit === undefined ? '' : `edit ${edit}`, argument ?? ''].filter(Boolean).join(' of ')
        super(`${where && where + ': '}${sentences[code](...numbers)}`)
        Object.assign(this, { name: 'CaretError', code, numbers, argument, edit })
    }
}

const sentences = {
    invalidUTF8: (byte) => `the bytes from ${byte} on are not UTF-8`,
    carriageReturn: (byte) => `there is a carriage return at byte ${byte}`,
    outside: (offset, end) => `offset ${offset} is not between 0 and ${end}`,
    insideScalar: (offset) => `offset ${offset} is between the code units of one scalar`,
    outOfOrder: () => 'begins before the previous edit ends',
    malformed: (place) => `is invalid at ${place}`,
    reversedRange: (start, end) => `the range ends at ${end}, before its start ${start}`,
    tooLarge: (number, limit) => `${number} is over the limit of ${limit}`,
    loneSurrogate: (offset) => `the string has a lone surrogate at ${offset}`,
    trapped: () => 'the module ran out of memory or has a fault; load it again',
}

// The names of each `Status` in Refusal.swift, and whether its first number is the index of an edit.
const statuses = [
    null, ['invalidUTF8', 0], ['carriageReturn', 0], ['outside', 0], ['insideScalar', 0], ['outOfOrder', 1],
    ['malformed', 0], ['reversedRange', 1], ['tooLarge', 0],
]
const inEdit = 16
const units = { 'utf-8': 8, 'utf-16': 16, 'utf-32': 32 }
const ties = { otherFirst: 0, selfFirst: 1 }
const largest = 2 ** 31 - 1

class CaretCore {
    #exports
    #isTrapped = false

    constructor(exports) { this.#exports = exports }

    /** The change from `oldText` to `newText`. */
    diff(oldText, newText) { return toChange(this.#call('diff', { oldText, newText })) }

    /** The text after `change`. */
    apply(text, change) { return decoder.decode(this.#call('apply', { text, change: new Edits(change) })) }

    /** `change`, rebased over `over`. `tie` is 'otherFirst' if `over` was committed first, otherwise 'selfFirst'. */
    rebase(change, over, tie) {
        const edits = { change: new Edits(change), over: new Edits(over) }
        return toChange(this.#call('rebase', { ...edits, tie: word(ties, tie, 'tie') }))
    }

    /** One change with the effect of `first` followed by `second`. */
    compose(first, second) {
        return toChange(this.#call('compose', { first: new Edits(first), second: new Edits(second) }))
    }

    /** The inverse of `change`. `text` is the text before `change`. */
    invert(change, text) { return toChange(this.#call('invert', { text, change: new Edits(change) })) }

    /** The offset of a caret after `change`. */
    mapCaret(caret, change) {
        const place = integer(caret, { argument: 'caret' })
        return toNumbers(this.#call('map_caret', { change: new Edits(change), caret: place }))[0]
    }

    /** The selection after `change`, as [anchor, head]. */
    mapSelection([anchor, head], change) {
        const places = { anchor: integer(anchor, { argument: 'anchor' }), head: integer(head, { argument: 'head' }) }
        return toNumbers(this.#call('map_selection', { change: new Edits(change), ...places }))
    }

    /** `edits` in normal form: touching edits are joined, and empty edits are dropped. */
    normalise(edits) { return toChange(this.#call('normalise', { edits: new Edits(edits) })) }

    /** The position `offset` in `text`, in another unit. Units are 'utf-8', 'utf-16' and 'utf-32'. */
    convert(text, offset, from, to) {
        const place = integer(offset, { argument: 'offset' })
        const numbers = { offset: place, from: word(units, from, 'from'), to: word(units, to, 'to') }
        return toNumbers(this.#call('convert', { text, ...numbers }))[0]
    }

    /** The length of a text in each unit. The text may be a string or bytes. */
    validate(text) {
        const lengths = toNumbers(this.#call('validate', { text }))
        return { 'utf-8': lengths[0], 'utf-16': lengths[1], 'utf-32': lengths[2] }
    }

    /** How many bytes of memory the module uses. */
    get memoryBytes() { return this.#exports.memory.buffer.byteLength }

    /** Calls an export with the arguments in the order of their keys, and returns the answer's payload. */
    #call(name, args) {
        if (this.#isTrapped) throw new CaretError('trapped')
        const names = Object.keys(args)
        const bytes = names.map((name) => toBytes(args[name], name))
        try {
            const stored = bytes.map((one) => (typeof one === 'number' ? [one] : this.#store(one)))
            const answer = this.#exports['caret_' + name](...stored.flat()) >>> 0
            for (const [address] of stored.filter((one) => one.length === 2)) this.#exports.caret_free(address)
            return this.#take(answer, names)
        } catch (error) {
            if (error instanceof WebAssembly.RuntimeError) this.#isTrapped = true
            throw this.#isTrapped ? new CaretError('trapped') : error
        }
    }

    /** Copies bytes into the module's memory. */
    #store(bytes) {
        const address = this.#exports.caret_allocate(bytes.length) >>> 0
        // The allocation may have grown the memory, which detaches every earlier view of it.
        new Uint8Array(this.#exports.memory.buffer).set(bytes, address)
        return [address, bytes.length]
    }

    /** Copies an answer's payload, and frees the answer. Throws if the answer is a refusal. */
    #take(answer, names) {
        const memory = this.#exports.memory.buffer
        const [status, length] = new Int32Array(memory, answer, 2)
        const payload = new Uint8Array(memory, answer + 8, length).slice()
        this.#exports.caret_free(answer)
        if (status !== 0) throw toError(status, toNumbers(payload), names)
        return payload
    }
}

/** Marks an argument of a call as a list of edits. */
class Edits {
    constructor(edits) { this.edits = edits }
}

const encoder = new TextEncoder()
// A byte order mark is kept, because it is part of the text.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

function toBytes(value, argument) {
    if (typeof value === 'number') return value
    if (typeof value === 'string') return encode(value, { argument })
    if (value instanceof Edits) return encodeEdits(value.edits, argument)
    if (value instanceof Uint8Array) return limited(value, { argument })
    throw new TypeError(`${argument} must be a text, a change or a number`)
}

function encodeEdits(edits, argument) {
    const texts = edits.map(({ text }, edit) => encode(text, { argument, edit }))
    const bytes = new Uint8Array(texts.reduce((sum, text) => sum + 12 + text.length, 4))
    const view = new DataView(bytes.buffer)
    view.setUint32(0, edits.length, true)
    let next = 4
    edits.forEach(({ range: [start, end] }, edit) => {
        view.setInt32(next, integer(start, { argument, edit }), true)
        view.setInt32(next + 4, integer(end, { argument, edit }), true)
        view.setUint32(next + 8, texts[edit].length, true)
        bytes.set(texts[edit], next + 12)
        next += 12 + texts[edit].length
    })
    return limited(bytes, { argument })
}

function encode(text, where) {
    if (typeof text !== 'string') throw new TypeError('a text must be a string')
    // TextEncoder would replace a lone surrogate by U+FFFD. Node 18 does not have isWellFormed.
    if (!(text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text))) {
        throw new CaretError('loneSurrogate', [text.search(/\p{Surrogate}/u)], where)
    }
    return limited(encoder.encode(text), where)
}

function limited(bytes, where) {
    const limit = 64 << 20
    if (bytes.length > limit) throw new CaretError('tooLarge', [bytes.length, limit], where)
    return bytes
}

function integer(value, where) {
    if (!Number.isInteger(value)) throw new TypeError(`${where.argument}: ${value} is not an offset`)
    if (Math.abs(value) > largest) throw new CaretError('tooLarge', [value, largest], where)
    return value
}

function word(words, value, argument) {
    if (Object.hasOwn(words, value)) return words[value]
    throw new TypeError(`${argument} must be one of ${Object.keys(words).join(', ')}`)
}

function toNumbers(payload) {
    const view = new DataView(payload.buffer)
    return Array.from({ length: payload.length / 4 }, (_, index) => view.getInt32(4 * index, true))
}

function toChange(payload) {
    const view = new DataView(payload.buffer)
    let next = 4
    return Array.from({ length: view.getUint32(0, true) }, () => {
        const [start, end, count] = [0, 4, 8].map((offset) => view.getInt32(next + offset, true))
        const text = decoder.decode(payload.subarray(next + 12, next + 12 + count))
        next += 12 + count
        return { range: [start, end], text }
    })
}

function toError(status, [argument, ...numbers], names) {
    const [code, counted] = statuses[status % inEdit]
    const [edit] = counted > 0 || status > inEdit ? numbers.splice(0, 1) : []
    return new CaretError(code, numbers, { argument: names[argument], edit })
}
