// CaretCore for JavaScript: the server's own code, compiled to WebAssembly.
//
//     const core = new Core(await Module.load(fetch('caret.wasm')))
//     core.diff('Hello world', 'Hello there world')                    [{ range: [6, 6], text: 'there ' }]
//
// A change is an array of edits { range: [start, end], text } in ascending order. Offsets count UTF-16 code
// units of the text before the change. Strings are never repaired: a lone surrogate is refused. A call that
// cannot succeed throws a CaretError.
import { ByteReader, ByteWriter, decodeText, encodeText, integer, limited } from './bytes.js'
import { numbersIn } from './module.js'

const units = { 'utf-8': 8, 'utf-16': 16, 'utf-32': 32 }
const ties = { otherFirst: 0, selfFirst: 1 }

export class Core {
    #module

    constructor(module) { this.#module = module }

    /** The change from `oldText` to `newText`. */
    diff(oldText, newText) { return toChange(this.#call('diff', { oldText, newText })) }

    /** The text after `change`. */
    apply(text, change) { return decodeText(this.#call('apply', { text, change: new Edits(change) })) }

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
        return numbersIn(this.#call('map_caret', { change: new Edits(change), caret: place }))[0]
    }

    /** The selection after `change`, as [anchor, head]. */
    mapSelection([anchor, head], change) {
        const places = { anchor: integer(anchor, { argument: 'anchor' }), head: integer(head, { argument: 'head' }) }
        return numbersIn(this.#call('map_selection', { change: new Edits(change), ...places }))
    }

    /** `edits` in normal form: touching edits are joined, and empty edits are dropped. */
    normalise(edits) { return toChange(this.#call('normalise', { edits: new Edits(edits) })) }

    /** Converts an offset in `text` from one unit to another. Units are 'utf-8', 'utf-16' and 'utf-32'. */
    convert(text, offset, from, to) {
        const place = integer(offset, { argument: 'offset' })
        const numbers = { offset: place, from: word(units, from, 'from'), to: word(units, to, 'to') }
        return numbersIn(this.#call('convert', { text, ...numbers }))[0]
    }

    /** The length of a text in each unit. The text may be a string or bytes. */
    validate(text) {
        const lengths = numbersIn(this.#call('validate', { text }))
        return { 'utf-8': lengths[0], 'utf-16': lengths[1], 'utf-32': lengths[2] }
    }

    #call(name, args) {
        const encoded = Object.entries(args).map(([argument, value]) => [argument, encode(value, argument)])
        return this.#module.call('caret_' + name, Object.fromEntries(encoded))
    }
}

/** Marks an argument of a call as a list of edits. */
class Edits {
    constructor(edits) { this.edits = edits }
}

function encode(value, argument) {
    if (typeof value === 'number') return value
    if (typeof value === 'string') return encodeText(value, { argument })
    if (value instanceof Edits) return new ByteWriter(argument).edits(value.edits).bytes
    if (value instanceof Uint8Array) return limited(value, { argument })
    throw new TypeError(`${argument} must be a text, a change or a number`)
}

function word(words, value, argument) {
    if (Object.hasOwn(words, value)) return words[value]
    throw new TypeError(`${argument} must be one of ${Object.keys(words).join(', ')}`)
}

function toChange(payload) { return new ByteReader(payload).edits() }
