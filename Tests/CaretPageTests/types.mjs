// The types of the JavaScript client: the TypeScript compiler accepts them, and they name what is there.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as client from '../../Clients/javascript/caret.js'

const types = readFileSync(new URL('../../Clients/javascript/caret.d.ts', import.meta.url), 'utf8')

/** Methods for the other files of the client, which are no part of the interface. */
const internal = {
    Caret: ['openKept'], CaretDocument: ['notify', 'keepOpen', 'end', 'create', 'checkWaiters', 'endWaiting'],
    Binding: [], Surface: ['connect'], CaretError: [],
}

export const cases = {
    async 'the TypeScript compiler accepts the types, and finds mistakes in programs'() {
        const files = ['node', 'page', 'frameworks', 'editors'].map((name) => fileURLToPath(new URL(`types/${name}.ts`, import.meta.url)))
        const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'es2022', '--moduleResolution', 'node']
        assert.equal(await runCompiler([...options, '--lib', 'es2022,dom', ...files]), '')
    },
    'the types name the classes of the client, and all of their methods'() {
        const classes = [...types.matchAll(/^export (?:abstract )?class (\w+)[^\n]*\{\n(.*?)^\}/gms)]
        assert.deepEqual(classes.map(([, name]) => name).sort(), Object.keys(client).sort())
        for (const [, name, body] of classes) {
            const { prototype } = client[name]
            const declared = [...body.matchAll(/^ {4}(?:abstract )?(\w+)\??(?:<.*?>)?\(/gm)].map(([, method]) => method)
                .filter((method) => method !== 'addEventListener' && method !== 'constructor')
            const methods = Object.getOwnPropertyNames(prototype).filter((member) => member !== 'constructor'
                && !internal[name].includes(member) && typeof Object.getOwnPropertyDescriptor(prototype, member).value === 'function')
            assert.deepEqual([...new Set(declared)].sort(), methods.sort(), name)
        }
    },
}

/** The messages of the compiler. */
function runCompiler(options) {
    return new Promise((resolve, reject) => {
        execFile('tsc', options, (error, output) => (error && output === '' ? reject(error) : resolve(output)))
    })
}
