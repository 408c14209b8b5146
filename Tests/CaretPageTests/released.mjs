// The JavaScript clients of earlier releases, beside today's, with today's server. Pages of other sites may keep such a
// client for a long time.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Caret } from '../../Clients/javascript/caret-node.js'
import { withServer } from './live.mjs'
import { until } from './support.mjs'

const releases = fileURLToPath(new URL('../Fixtures/releases/', import.meta.url))
const names = (await readdir(releases)).filter((name) => name.endsWith('.tar.gz'))
assert.ok(names.length > 0)

export const cases = Object.fromEntries(names.map((name) => [
    `the client of ${name} types beside today's, and none of their words is lost when the server is killed`,
    (wasm) => withRelease(name, (released) => withServer(async (server) => {
        const address = `http://127.0.0.1:${server.port}`
        const clients = [
            await released.Caret.connect(address, { wasm: released.wasm, name: 'Old' }),
            await released.Caret.connect(address, { wasm: released.wasm }),
            await Caret.connect(address, { wasm, name: 'New' }),
        ]
        const documents = clients.map((client) => client.open('notes/a', { create: true }))
        await Promise.all(documents.map((document) => document.opened()))
        const words = []
        for (let round = 0; round < 60; round++) {
            const document = documents[round % 3]
            const word = `<${round}>`
            // Half of the words are inserted at the beginning, so that all clients write at one place.
            if (round % 2) document.append(word)
            else document.replaceText(word + document.text)
            words.push(word)
            if (round % 25 === 20) await server.kill()
            // Every fifth word, which is one of each client in turn.
            if (round % 5 === 4) await document.saved()
        }
        await Promise.all(documents.map((document) => document.saved()))
        await until(() => documents.every(({ text }) => text === documents[0].text))
        assert.deepEqual(documents[0].text.match(/<\d+>/g)?.sort(), words.sort())
        assert.equal(documents[0].text.length, words.join('').length)

        documents[0].select([[0, 4]])
        documents[2].select([[2, 2]])
        await until(() => documents[2].peers.some(({ name, selections }) => name === 'Old' && selections[0]?.[1] === 4))
        await until(() => documents[0].peers.some(({ name, selections }) => name === 'New' && selections[0]?.[1] === 2))
        const before = documents[0].text
        documents[0].undo()
        await documents[0].saved()
        await until(() => documents.every(({ text }) => text === documents[0].text))
        assert.equal(documents[0].text, before.replace('<57>', ''), 'the last word of the old client is gone')
        assert.equal((await clients[2].read('notes/a')).text, documents[0].text)
        await Promise.all(clients.map((client) => client.close()))
    })),
]))

/** Calls `body` with the client of a release. */
async function withRelease(name, body) {
    const folder = await mkdtemp(join(tmpdir(), 'caret-release-'))
    try {
        await promisify(execFile)('tar', ['-xzf', join(releases, name), '-C', folder, 'clients'])
        const module = join(folder, 'clients/caret.mjs')
        await rename(join(folder, 'clients/caret.js'), module)
        const { Caret } = await import(pathToFileURL(module))
        await body({ Caret, wasm: await WebAssembly.compile(await readFile(join(folder, 'clients/caret.wasm'))) })
    } finally {
        await rm(folder, { recursive: true, force: true })
    }
}
