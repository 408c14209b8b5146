// What the console of a page says if something is wrong, and the program listens to nothing.
import assert from 'node:assert/strict'
import { Caret } from '../../Clients/javascript/caret.js'
import { inWorlds, settled } from './keeping-world.mjs'
import { until } from './support.mjs'

/** Runs `body` on a page, and returns what was written to the console. */
async function warnings(body) {
    const { warn } = console
    const found = []
    console.warn = (sentence) => found.push(sentence)
    // Without a storage, the client uses nothing else of a page.
    globalThis.document = {}
    try {
        await body(found)
    } finally {
        console.warn = warn
        delete globalThis.document
    }
    return found
}

const connect = (world, options, server = 'http://127.0.0.1') =>
    Caret.connect(server, { wasm: world.wasm, keep: false, transport: world.server.transport().make, ...options })

export const cases = inWorlds({
    async 'a page that listens to nothing is told once that a document is missing'(world) {
        let caret
        const found = await warnings(async (found) => {
            caret = await connect(world)
            const document = caret.open('a')
            await until(() => document.saving.state === 'refused')
            await until(() => found.length > 0)
            document.retry()
            await settled()
        })
        await caret.close()
        assert.equal(found.length, 1)
        assert.match(found[0], /^caret\.js: a: .*not_found.* Open it with \{ create: true \} to create it/)
    },

    async 'a page with a wrong token, or with none, is told once to pass a valid one'(world) {
        world.server.token = 'right'
        for (const token of ['wrong', undefined]) {
            let caret
            // The console gets each sentence once, so each server has a name of its own.
            const server = `http://${token ?? 'none'}.example.org`
            const found = await warnings(async (found) => {
                caret = await connect(world, { token }, server)
                caret.open('a')
                await until(() => found.length > 0)
                caret.reconnect()
                await settled()
            })
            assert.equal(caret.link.state, 'ended')
            assert.equal(found.length, 1)
            const [sentence] = found
            assert.ok(sentence.startsWith(`caret.js: ${server}: `), sentence)
            assert.match(sentence, /unauthorized.*Pass a valid token to Caret\.connect, as \{ token \}\./)
        }
    },

    async 'the console says what to do if the token has ended or the function returns null'(world) {
        world.server.refusal = 'token_ended'
        for (const [token, sentence] of [['t', /token_ended.*\{ token: \(\) => … \}/], [() => null, /has answered null\. .*Connect again/]]) {
            const found = await warnings(async (found) => {
                const caret = await connect(world, { token }, `http://${typeof token}.example.net`)
                await until(() => found.length > 0)
                assert.equal(caret.link.state, 'ended')
            })
            assert.equal(found.length, 1)
            assert.match(found[0], sentence)
        }
    },

    async 'the console says that the token function fails, and nothing about the server'(world) {
        let caret
        const found = await warnings(async (found) => {
            caret = await connect(world, { token: () => { throw new Error('no network') } })
            await until(() => found.length > 0)
        })
        await caret.close()
        assert.deepEqual(found, ['caret.js: the token function has failed: no network. The client calls it again.'])
    },

    async 'a page that listens for the end of its token writes nothing'(world) {
        world.server.token = 'right'
        for (const type of ['link', 'signedOut']) {
            const found = await warnings(async () => {
                const caret = await connect(world, { token: 'wrong' }, `http://${type}.example.org`)
                caret.addEventListener(type, () => {})
                await until(() => caret.link.state === 'ended')
                await settled()
            })
            assert.deepEqual(found, [])
        }
    },

    async 'a page that listens, or waits for the document, writes nothing'(world) {
        const found = await warnings(async () => {
            const caret = await connect(world)
            caret.open('a').addEventListener('saving', () => {})
            await assert.rejects(caret.open('b').opened())
            await settled()
            await caret.close()
        })
        assert.deepEqual(found, [])
    },

    async 'a page that cannot connect is told what to check'(world) {
        world.server.isReachable = false
        let caret
        const found = await warnings(async (found) => {
            caret = await connect(world)
            await until(() => found.length > 0)
            caret.reconnect()
            await settled()
        })
        await caret.close()
        assert.equal(found.length, 1)
        assert.match(found[0], /^caret\.js: cannot connect to http:\/\/127\.0\.0\.1: .*Check that the server runs\./)
    },
})
