// The lists of words in JavaScript are in the order of the Swift lists, because numbers stand for them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { errorCodes, refusals } from '../../Sources/CaretPage/caret/replica.js'

function read(path) {
    return readFileSync(new URL(`../../Sources/${path}`, import.meta.url), 'utf8')
}

/** The case names of `index` in ReplicaParts.swift, by their numbers. */
function numbered(source) {
    const numbers = [...source.matchAll(/case \.(\w+): (\d+)$/gm)]
    return numbers.sort(([, , left], [, , right]) => left - right).map(([, name]) => name)
}

function words(name) {
    return name.replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase()).replace('internal_fault', 'internal')
}

export const cases = {
    'error codes have the order of ErrorCode'() {
        const cases = [...read('CaretWire/ErrorCode.swift').matchAll(/^    case `?(\w+)`?(?: = "(\w+)")?$/gm)]
        assert.deepEqual(errorCodes, cases.map(([, name, word]) => word ?? name))
    },

    'refusals have the order of their numbers'() {
        const source = read('CaretWasm/ReplicaParts.swift')
        assert.deepEqual(refusals, numbered(source.slice(source.indexOf('CaretReplica.Refusal'))).map(words))
    },
}
