// Loads the WebAssembly module, and calls its functions. For browsers and Node 18 or later.
import { inputError } from './errors.js'

// For each `Status` in Refusal.swift: its name, and 1 if its first number is the index of an edit.
const statuses = [
    null, ['invalidUTF8', 0], ['carriageReturn', 0], ['outside', 0], ['insideScalar', 0], ['outOfOrder', 1],
    ['malformed', 0], ['reversedRange', 1], ['tooLarge', 0],
]
const inEdit = 16

export class Module {
    #exports
    #isTrapped = false

    /** Loads the module from a URL, bytes, a Response, a compiled module, or a promise of one of these. */
    static async load(source) {
        source = await source
        if (source instanceof URL) source = await fetch(source)
        if (typeof Response !== 'undefined' && source instanceof Response) source = await source.arrayBuffer()
        const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source)
        return new Module((await WebAssembly.instantiate(module, {})).exports)
    }

    constructor(exports) { this.#exports = exports }

    /** Whether a call has failed in a way after which the module cannot be used any more. */
    get isTrapped() { return this.#isTrapped }

    /** How many bytes of memory the module uses. */
    get memoryBytes() { return this.#exports.memory.buffer.byteLength }

    /**
     * Calls an export with the values of `args`, which are numbers or bytes, in their order. Returns the payload
     * of its answer. Errors name an argument by its key in `args`.
     */
    call(name, args) {
        return this.#run(() => {
            const stored = Object.values(args).map((one) => (typeof one === 'number' ? [one] : this.#store(one)))
            const answer = this.#exports[name](...stored.flat()) >>> 0
            for (const [address] of stored.filter((one) => one.length === 2)) this.#exports.caret_free(address)
            return this.#take(answer, Object.keys(args))
        })
    }

    /** Calls an export whose arguments and result are plain numbers. */
    callPlain(name, ...numbers) {
        return this.#run(() => this.#exports[name](...numbers))
    }

    #run(body) {
        if (this.#isTrapped) throw inputError('trapped')
        try {
            return body()
        } catch (error) {
            if (error instanceof WebAssembly.RuntimeError) this.#isTrapped = true
            throw this.#isTrapped ? inputError('trapped') : error
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
        if (status !== 0) throw toError(status, numbersIn(payload), names)
        return payload
    }
}

/** The payload as numbers with 32 bits. */
export function numbersIn(payload) {
    const view = new DataView(payload.buffer)
    return Array.from({ length: payload.length / 4 }, (_, index) => view.getInt32(4 * index, true))
}

function toError(status, [argument, ...numbers], names) {
    const [code, counted] = statuses[status % inEdit]
    const [edit] = counted > 0 || status > inEdit ? numbers.splice(0, 1) : []
    return inputError(code, numbers, { argument: names[argument], edit })
}
