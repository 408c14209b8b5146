// Tests of the boundary between JavaScript and WebAssembly, which the fixtures cannot test. The inputs are
// malformed strings, bytes that are not a change, numbers that are not offsets, and large texts. Some tests
// check that memory is given back.
import { Core } from '../../Clients/javascript/core.js'
import { Module } from '../../Clients/javascript/module.js'

/** Pairs of a case's name and what is wrong with it, or null. */
export async function* boundaryCases(module) {
    for (const [name, run] of Object.entries(cases)) {
        let fault
        try {
            fault = await run(module)
        } catch (error) {
            fault = { found: String(error.stack), expected: 'no error' }
        }
        yield [name, fault]
    }
}

const cases = {
    async 'a lone surrogate is refused, never replaced'(module) {
        const caret = new Core(await Module.load(module))
        const found = ['a\ud83d', '\ude00a', 'ab\ud83d\ud83d\ude00'].map((text) => refusal(() => caret.diff('', text)))
        found.push(refusal(() => caret.normalise([{ range: [0, 0], text: 'a\ud83d' }])))
        return differs(found, ['loneSurrogate: 1', 'loneSurrogate: 0', 'loneSurrogate: 2', 'edit 0: loneSurrogate: 1'])
    },

    async 'what is no offset is refused'(module) {
        const caret = new Core(await Module.load(module))
        const found = [0.5, NaN, Infinity, '1', null].map((place) => refusal(() => caret.mapCaret(place, [])))
        found.push(...[2 ** 40, 2 ** 30, -1].map((place) => refusal(() => caret.mapCaret(place, []))))
        const large = ['tooLarge: 1099511627776 2147483647', 'tooLarge: 1073741824 536870911', 'outside: -1 536870911']
        return differs(found, [...Array(5).fill('TypeError'), ...large])
    },

    async 'a range whose end is before its start is refused'(module) {
        const caret = new Core(await Module.load(module))
        const found = refusal(() => caret.normalise([{ range: [1, 2], text: '' }, { range: [5, 3], text: '' }]))
        return differs(found, 'edit 1: reversedRange: 5 3')
    },

    async 'texts of any length and likeness are compared'(module) {
        const caret = new Core(await Module.load(module))
        let seed = 1
        const number = (below) => (seed = (seed * 48271) % 2147483647) % below
        const text = (letters, length) => Array.from({ length }, () => letters[number(letters.length)]).join('')
        const pairs = [['Hello', 'Quite another text, '.repeat(12)], ['abcdefghij', 'z'.repeat(1000)]]
        for (let round = 0; round < 400; round += 1) {
            const letters = ['ab', 'abcdefgh \n', 'a\n'][number(3)]
            pairs.push([text(letters, number(1500)), text(letters, number(1500))])
        }
        for (const [old, changed] of pairs) {
            for (const [from, to] of [[old, changed], [changed, old]]) {
                if (caret.apply(from, caret.diff(from, to)) !== to) return { found: from, expected: to }
            }
        }
        return null
    },

    async 'the largest offsets do not overflow'(module) {
        const caret = new Core(await Module.load(module))
        const last = 2 ** 29 - 1
        const whole = [{ range: [0, last], text: '' }]
        const end = [{ range: [last, last], text: 'x' }]
        const found = [
            caret.mapSelection([last, 0], end), caret.rebase(end, whole, 'otherFirst'),
            caret.rebase(whole, end, 'selfFirst'), caret.compose(whole, end),
        ]
        const moved = [{ range: [0, 0], text: 'x' }]
        return differs(found, [[last, 0], moved, whole, [...whole, { range: [2 * last, 2 * last], text: 'x' }]])
    },

    async 'no bytes make a change trap'(module) {
        const { memory, ...exports } = await instantiate(module)
        const random = makeRandom(1)
        const statuses = new Set()
        for (let round = 0; round < 20_000; round++) {
            const bytes = hostileChange(random)
            const address = exports.caret_allocate(bytes.length)
            new Uint8Array(memory.buffer).set(bytes, address)
            const answer = exports.caret_normalise(address, bytes.length)
            statuses.add(new DataView(memory.buffer).getInt32(answer, true))
            exports.caret_free(answer)
            exports.caret_free(address)
        }
        // Exports.swift defines these statuses: a result, and each fault that such bytes can have.
        return differs([...statuses].sort((a, b) => a - b), [0, 5, 6, 7, 8, 17, 18, 19])
    },

    async 'a tie or a unit that is none is refused'(module) {
        const { memory, ...exports } = await instantiate(module)
        const empty = exports.caret_allocate(4)
        new DataView(memory.buffer).setUint32(empty, 0, true)
        const answers = [
            exports.caret_rebase(empty, 4, empty, 4, 2), exports.caret_convert(0, 0, 0, 7, 8),
            exports.caret_convert(0, 0, 0, 8, -1),
        ]
        const found = answers.map((answer) => [...new Int32Array(memory.buffer, answer, 4)])
        return differs(found, [[6, 8, 2, 2], [6, 8, 2, 7], [6, 8, 3, -1]])
    },

    async 'an argument over its limit is refused'(module) {
        const { memory, ...exports } = await instantiate(module)
        const answer = exports.caret_validate(0, 2 ** 26 + 1)
        const found = [...new Int32Array(memory.buffer, answer, 5)]
        return differs([found, exports.caret_allocate(2 ** 26 + 1)], [[8, 12, 0, 2 ** 26 + 1, 2 ** 26], 0])
    },

    async 'a text of four megabytes is as good as a short one'(module) {
        const caret = new Core(await Module.load(module))
        const lines = Array.from({ length: 80_000 }, (_, number) => `The quick brown 🦊 jumps over ${number} lazy dogs.\n`)
        const old = lines.join('')
        const end = old.length - 6
        const change = [{ range: [9, 9], text: 'x' }, { range: [end, end + 3], text: 'cat' }]
        const text = caret.apply(old, change)
        const found = [caret.diff(old, text), caret.apply(text, caret.invert(change, old)) === old]
        return differs(found, [change, true])
    },

    async 'memory is never handed out twice, and is given back'(module) {
        const { memory, ...exports } = await instantiate(module)
        const random = makeRandom(2)
        const bytes = memory.buffer.byteLength
        let [peak, fault] = [0, null]
        for (let round = 0; round < 20; round++) {
            const found = churn(exports, memory, random)
            peak = Math.max(peak, found.peak)
            fault ??= found.fault
        }
        // The gaps between blocks may be too small for larger blocks. But they must never take more than half
        // of the memory.
        return fault ?? differs(memory.buffer.byteLength - bytes < 2 * peak, true)
    },

    async 'a page that lives for hours needs no more memory'(module) {
        const loaded = await Module.load(module)
        const caret = new Core(loaded)
        const text = 'some words in a line\n'.repeat(5000)
        const run = () => {
            for (let round = 0; round < 60; round++) {
                const newer = text.slice(0, 997 * round) + 'word ' + text.slice(997 * round + round)
                caret.apply(text, caret.rebase(caret.diff(text, newer), [{ range: [3, 9], text: 'x' }], 'otherFirst'))
            }
        }
        run()
        const bytes = loaded.memoryBytes
        for (let round = 0; round < 5; round++) run()
        return differs(loaded.memoryBytes, bytes)
    },
}

async function instantiate(module) {
    return (await WebAssembly.instantiate(module, {})).exports
}

/** The refusal of a call in one line. */
function refusal(call) {
    try {
        return call()
    } catch ({ name, code, edit, numbers }) {
        if (name !== 'CaretError') return name
        return `${edit === undefined ? '' : `edit ${edit}: `}${code}: ${numbers.join(' ')}`
    }
}

function differs(found, expected) {
    return JSON.stringify(found) === JSON.stringify(expected) ? null : { found, expected }
}

/** Whole numbers below a bound, the same in every run (mulberry32). */
function makeRandom(seed) {
    let state = seed
    return (bound) => {
        state = (state + 0x6d2b79f5) | 0
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
        return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
    }
}

/** The encoding of a change in which a few numbers or bytes are wrong, or that was cut. */
function hostileChange(random) {
    const bytes = []
    const put = (number) => bytes.push(...new Uint8Array(Int32Array.of(number).buffer))
    const edits = random(4)
    put(random(8) === 0 ? random(9) - 4 : edits)
    let place = 0
    for (let edit = 0; edit < edits; edit++) {
        const text = Array.from({ length: random(4) }, () => [0x61, 0x0a, 0x0d, 0xff][Math.max(0, random(12) - 8)])
        const [start, end] = [place + random(3), place + random(3) + 2]
        put(random(20) === 0 ? wrong[random(wrong.length)] : start)
        put(random(20) === 0 ? wrong[random(wrong.length)] : end)
        put(random(20) === 0 ? wrong[random(wrong.length)] : text.length)
        bytes.push(...text)
        place = end
    }
    if (random(8) === 0) bytes.length = random(bytes.length + 1)
    return bytes
}

const wrong = [-1, 0, 1, -(2 ** 31), 2 ** 31 - 1, 2 ** 29, 2 ** 16]

/** Allocates, marks and frees blocks of all sizes in any order: the most bytes held at once, and the first fault. */
function churn({ caret_allocate, caret_free }, memory, random) {
    const blocks = []
    let [held, peak, fault] = [0, 0, null]
    const free = (index) => {
        const [[address, count, mark]] = blocks.splice(index, 1)
        const found = new Uint8Array(memory.buffer, address, count)
        if (found[0] !== mark || found[count - 1] !== mark) fault ??= { found: [...found.slice(0, 8)], expected: mark }
        caret_free(address)
        held -= count
    }
    for (let step = 0; step < 4000; step++) {
        const count = 1 + random(2 ** random(18))
        const address = caret_allocate(count)
        if (address % 16 !== 0) fault ??= { found: address, expected: 'a multiple of 16' }
        new Uint8Array(memory.buffer, address, count).fill(step % 251)
        blocks.push([address, count, step % 251])
        held += count
        peak = Math.max(peak, held)
        while (blocks.length > 200 || (blocks.length > 0 && random(2) === 0)) free(random(blocks.length))
    }
    while (blocks.length > 0) free(0)
    return { peak, fault }
}
