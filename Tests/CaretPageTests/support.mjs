// What several tests of the JavaScript client use.
import { Core } from '../../Clients/javascript/core.js'
import { Module } from '../../Clients/javascript/module.js'

/** A new instance of the module, and its core. */
export async function load(wasm) {
    const module = await Module.load(wasm)
    return { module, core: new Core(module) }
}

/** Random whole numbers below a bound, the same in every run with this seed (mulberry32). */
export function makeRandom(seed) {
    let state = seed
    const below = (bound) => {
        state = (state + 0x6d2b79f5) | 0
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
        return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
    }
    return {
        below,
        /** True in about `percent` of 100 calls. */
        chance: (percent) => below(100) < percent,
        pick: (list) => list[below(list.length)],
    }
}

/** Scalars that appear only once in a run. Every fourth one is a surrogate pair. */
export function makeScalars() {
    let next = 0
    return () => {
        next++
        return String.fromCodePoint((next % 4 === 0 ? 0x20000 : 0x4e00) + next)
    }
}

/** A random offset of the text that is not inside a surrogate pair. */
export function randomOffset(text, random) {
    const offset = random.below(text.length + 1)
    return isBoundary(text, offset) ? offset : offset - 1
}

export function isBoundary(text, offset) {
    return offset >= 0 && offset <= text.length && !/^[\udc00-\udfff]/.test(text.slice(offset, offset + 1))
}

/** The text after the edits. All offsets refer to the text before them. */
export function applyEdits(text, edits) {
    return edits.reduceRight((result, { range: [start, end], text: inserted }) =>
        result.slice(0, start) + inserted + result.slice(end), text)
}

export function pause(milliseconds) { return new Promise((resolve) => setTimeout(resolve, milliseconds)) }

/** Waits until a condition holds. Fails after a minute. */
export async function until(condition, what = `${condition}`) {
    for (let round = 0; round < 6000; round++) {
        if (await condition()) return
        await pause(10)
    }
    throw new Error(`this did not come true within a minute: ${what}`)
}
