// The lists of words in JavaScript are in the order of the Swift lists, because numbers stand for them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { errorCodes } from '../../Clients/javascript/protocol.js'
import { refusals } from '../../Clients/javascript/replica.js'

function read(path) {
    return readFileSync(new URL(`../../Sources/${path}`, import.meta.url), 'utf8')
}

function words(name) {
    return name.replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase()).replace('internal_fault', 'internal')
}

export const cases = {
    'refusals have the order of their numbers'() {
        const source = read('CaretWasm/ReplicaMessages.swift')
        const [, list] = /numbered: \[CaretReplica\.Refusal\] = \[([^\]]*)\]/.exec(source)
        assert.deepEqual(refusals, [...list.matchAll(/\.(\w+)/g)].map(([, name]) => words(name)))
    },

    'refusals are error codes, and the last one is for all others'() {
        assert.equal(refusals.at(-1), 'other')
        assert.deepEqual(refusals.slice(0, -1).filter((code) => !errorCodes.includes(code)), [])
    },

    'every refusal has a number'() {
        const [, enumeration] = /enum Refusal[^{]*{([^}]*)}/.exec(read('CaretReplica/Refusal.swift'))
        const names = [...enumeration.matchAll(/^    case (.*)$/gm)].flatMap(([, list]) => list.split(', '))
        assert.deepEqual(names.map(words).sort(), [...refusals].sort())
    },
}
