// Several clients in one document of a real server, with lost connections and a server that is killed.
//
// CARET_BIN names the folder with caretd and caret; .build/debug if it is not set. CARET_ROUNDS says how many
// documents are edited; 2 if it is not set.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, open as openFile, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Caret, connect, lines } from '../../Clients/javascript/caret-node.js'
import { applyEdits, makeRandom, makeScalars, pause, randomOffset, until } from './support.mjs'

const bin = process.env.CARET_BIN ?? fileURLToPath(new URL('../../.build/debug', import.meta.url))
const rounds = Number(process.env.CARET_ROUNDS ?? 2)

export const cases = {
    async 'a document is opened, edited, read and listed'(wasm) {
        await withServer(async (server) => {
            const [ann, bob] = [await connectTo(server, wasm, { name: 'Ann' }), await connectTo(server, wasm)]
            const followed = []
            const end = bob.follow('notes/', (event) => followed.push(event))
            await until(() => followed.some((event) => event.type === 'complete'))
            const [mine, theirs] = [ann.open('notes/a', { create: true }), bob.open('notes/a', { create: true })]
            await Promise.all([mine.opened(), theirs.opened()])
            mine.append('Milk\n')
            await mine.saved()
            mine.select([[0, 4]])
            await until(() => theirs.peers[0]?.selections[0]?.[1] === 4)
            assert.equal(theirs.peers[0].name, 'Ann')
            theirs.replaceText('Milk\nBread\n')
            await until(() => mine.text === 'Milk\nBread\n')
            mine.undo()
            await until(() => theirs.text === 'Bread\n')

            const { docs } = await ann.list({ prefix: 'notes/' })
            assert.deepEqual(docs.map(({ name, length }) => [name, length]), [['notes/a', 6]])
            assert.equal((await ann.read('notes/a', { rev: 1 })).text, 'Milk\n')
            const revisions = []
            for await (const revision of ann.history('notes/a', { edits: true })) revisions.push(revision.revision)
            const some = []
            for await (const { revision } of ann.history('notes/a', { after: 1, limit: 1 })) some.push(revision)
            assert.deepEqual(some, [2])
            assert.deepEqual(revisions, [1, 2, 3])
            const before = new Date(Date.now() - 60_000)
            await ann.tag('notes/a', 2, 'draft')
            await ann.tag('notes/a', 1, 'v1')
            await assert.rejects(bob.tag('notes/a', 3, 'draft'), { code: 'exists' })
            const tags = await bob.tags('notes/a')
            assert.deepEqual(tags.map(({ name, revision }) => [name, revision]), [['v1', 1], ['draft', 2]])
            assert.ok(tags[0].time > before && tags[0].user.length > 0)
            await bob.untag('notes/a', 'draft')
            await assert.rejects(ann.untag('notes/a', 'draft'), { code: 'not_found' })
            assert.deepEqual((await ann.tags('notes/a')).map(({ name }) => name), ['v1'])
            await ann.restore('notes/a', 1)
            await until(() => theirs.text === 'Milk\n' && mine.text === 'Milk\n')
            mine.append('Tea\n')
            await mine.saved()
            const { text, start, length } = await ann.read('notes/a', { start: 5, end: 8 })
            assert.deepEqual([text, start, length], ['Tea', 5, 9])
            await bob.copy('notes/a', 'notes/copy')
            assert.equal((await ann.read('notes/copy')).text, 'Milk\nTea\n')
            assert.deepEqual((await ann.tags('notes/copy')).map(({ name }) => name), ['v1'])
            await assert.rejects(bob.copy('notes/a', 'notes/copy'), { code: 'exists' })
            await ann.rename('notes/a', 'notes/b')
            await until(() => theirs.name === 'notes/b')
            await ann.delete('notes/b')
            await until(() => theirs.saving.state === 'refused')
            await until(() => followed.some((event) => event.type === 'gone' && event.reason === 'deleted'))
            assert.deepEqual(followed.slice(0, 2).map((event) => event.type), ['restarted', 'complete'])
            end()
            await assert.rejects(ann.read('notes/b'), { code: 'not_found' })
            await bob.delete('notes/copy')
            const deleted = []
            for await (const one of ann.deleted({ prefix: 'notes/' })) deleted.push(one)
            assert.deepEqual(deleted.map(({ name, length }) => [name, length]), [['notes/b', 9], ['notes/copy', 9]])
            assert.ok(deleted[1].deleted > deleted[0].updated)
            await ann.undelete(deleted[1].number)
            assert.equal((await bob.read('notes/copy')).text, 'Milk\nTea\n')
            await assert.rejects(ann.undelete(deleted[1].number), { code: 'not_found' })
            await Promise.all([ann.close(), bob.close()])
        })
    },

    async 'notes stay on their words, and a suggestion is accepted as one revision'(wasm) {
        await withServer(async (server) => {
            const [ann, bob] = await Promise.all([connectTo(server, wasm), connectTo(server, wasm)])
            const document = ann.open('agenda', { create: true })
            await document.opened()
            document.append('one two three')
            await document.saved()
            const revision = document.revision
            const notes = await bob.notes('agenda')
            assert.deepEqual(await notes.add('Why?', { range: [4, 7], revision }), { number: 1, version: 1, revision: undefined })
            await notes.suggest([{ range: [8, 13], text: '3' }], { revision, text: 'short' })
            assert.equal((await notes.answer(1, 'So.')).number, 3)
            document.edit([{ range: [0, 0], text: 'zero ' }])
            await document.saved()
            const all = await notes.list()
            assert.deepEqual([all.count, all.rights, all.whole], [3, 'write', true])
            assert.deepEqual(all.notes.map(({ number, parent, range, quote, text, edits, state }) =>
                [number, parent, range, quote, text, edits, state]), [
                [1, undefined, [9, 12], 'two', 'Why?', undefined, 'open'],
                [2, undefined, [13, 18], 'three', 'short', [{ range: [13, 18], text: '3' }], 'open'],
                [3, 1, undefined, '', 'So.', undefined, 'open'],
            ])
            assert.deepEqual(all.notes.map(({ revision }) => revision - document.revision), [0, 0, 0])
            const { version, revision: accepted } = await notes.accept(all.notes[1])
            assert.deepEqual([version, accepted], [2, all.notes[1].revision + 1])
            await until(() => document.text === 'zero one two 3')
            await assert.rejects(notes.accept(all.notes[1]), { code: 'base_behind' })
            assert.equal((await notes.change(all.notes[0], 'How?')).version, 2)
            const resolved = await notes.resolve({ number: 1, version: 2 })
            const changed = await notes.list({ since: all.count })
            assert.deepEqual(changed.notes.map(({ number, state, accepted }) => [number, state, accepted]),
                [[1, 'resolved', undefined], [2, 'accepted', accepted]])
            assert.ok(changed.notes[0].edited > new Date(Date.now() - 60_000) && !changed.whole)
            await notes.reject(await notes.reopen(resolved))
            await notes.remove({ number: 1, version: 5 })
            assert.deepEqual((await notes.list()).notes.map(({ number }) => number), [2])
            await Promise.all([ann.close(), bob.close()])
        })
    },

    async 'somebody with a link opens one document until the link ends'(wasm) {
        await withServer(async (server) => {
            const ann = await connectTo(server, wasm, { token: await server.addToken('ann', '--write', '') })
            await Promise.all(['agenda', 'secret'].map((name) => ann.open(name, { create: true }).opened()))
            assert.ok(ann.features.includes('links'))
            const read = await ann.addLink('agenda', { rights: 'read', seconds: 60 })
            const write = await ann.addLink('agenda', { rights: 'write', seconds: 3_600 })
            const [reader, writer] = [await connectTo(server, wasm, read), await connectTo(server, wasm, write)]
            assert.deepEqual((await reader.list()).docs.map(({ name }) => name), ['agenda'])
            const [seen, typed] = [reader.open('agenda'), writer.open('agenda')]
            await Promise.all([seen.opened(), typed.opened()])
            typed.append('Milk')
            await until(() => seen.text === 'Milk')
            assert.deepEqual([seen.rights, typed.rights], ['read', 'write'])
            await assert.rejects(writer.addLink('agenda', { rights: 'read', seconds: 60 }), { code: 'forbidden' })
            const links = []
            for await (const link of ann.links('agenda')) links.push(link)
            assert.deepEqual(links.map(({ number, user, rights }) => [number, user, rights]),
                [[read.number, reader.user, 'read'], [write.number, writer.user, 'write']])
            assert.deepEqual(links.map(({ created, expires }) => expires - created), [60_000, 3_600_000])
            assert.ok(links[0].lastUse >= links[0].created)
            await ann.endLink('agenda', read.number)
            await until(() => reader.link.state === 'ended')
            assert.equal(reader.link.reason, 'revoked')
            await assert.rejects(ann.endLink('agenda', read.number), { code: 'not_found' })
            await Promise.all([ann, reader, writer].map((caret) => caret.close()))
        }, ['--require-tokens', '--share-links'])
    },

    async 'lost connections and a killed server neither lose nor double an edit'(wasm) {
        for (let seed = 0; seed < rounds; seed++) {
            await withServer((server) => typeAtRandom(server, wasm, makeRandom(seed)))
        }
    },
}

async function typeAtRandom(server, wasm, random) {
    const scalar = makeScalars()
    const people = []
    for (let count = 2 + random.below(4); count > 0; count--) people.push(await Person.join(server, wasm, scalar))
    const command = new CommandLine(server, await connectTo(server, wasm))
    await people[0].document.opened()
    for (let step = 0; step < 150; step++) {
        for (const person of people) person.act(random)
        if (step % 40 === 20) await server.kill()
        if (step % 15 === 5) await command.put(scalar())
        await pause(random.below(15))
    }
    for (const person of people) await person.finish()
    await until(() => people.every((person) => person.document.text === people[0].document.text))

    const { text } = await command.read()
    for (const person of people) {
        assert.equal(person.document.text, text)
        assert.equal(person.view, text)
        assert.deepEqual(person.document.unsaved, [])
    }
    const typed = [...people.flatMap((person) => person.typed), ...command.typed]
    assert.deepEqual([...text].sort(), typed.sort(), 'every scalar is in the text once')
    await Promise.all([...people.map((person) => person.caret.close()), command.caret.close()])
}

// Node 22 and later have a WebSocket client. Node 20 has it behind a flag, which scripts/test-wasm sets.
if (globalThis.WebSocket) {
    cases['a document is edited over a WebSocket'] = (wasm) => withServer(async (server) => {
        const [ann, bob] = [await Caret.connect(`http://127.0.0.1:${server.port}`, { wasm }), await connectTo(server, wasm)]
        const [mine, theirs] = [ann.open('a', { create: true }), bob.open('a', { create: true })]
        await mine.opened()
        mine.append('Käse 𝄞\n')
        await until(() => theirs.text === 'Käse 𝄞\n')
        await server.kill()
        theirs.append('Tee\n')
        ann.reconnect()
        await until(() => mine.text === 'Käse 𝄞\nTee\n')
        await Promise.all([ann.close(), bob.close()])
        assert.deepEqual(ann.link, { state: 'ended', reason: 'closed' })
    })
}

/** Somebody who types at random, with a view that only applies edits. */
class Person {
    typed = []
    view = ''
    #scalar
    #transport = null

    static async join(server, wasm, scalar) {
        const person = new Person()
        person.#scalar = scalar
        const transport = () => (person.#transport = lines('127.0.0.1', server.port)())
        person.caret = await connect('127.0.0.1', server.port, { wasm, transport })
        person.document = person.caret.open('shared', { create: true })
        person.document.addEventListener('change', ({ edits }) => { person.view = applyEdits(person.view, edits) })
        return person
    }

    act(random) {
        if (random.chance(40)) this.#type(random)
        if (random.chance(10)) this.document.select([[0, randomOffset(this.view, random)]])
        if (random.chance(2)) this.#transport.close()
    }

    #type(random) {
        const text = Array.from({ length: 1 + random.below(3) }, this.#scalar)
        this.typed.push(...text)
        const offset = randomOffset(this.view, random)
        if (random.chance(20)) {
            this.document.replaceText(this.view.slice(0, offset) + text.join('') + this.view.slice(offset))
        } else {
            this.document.edit([{ range: [offset, offset], text: text.join('') }])
        }
    }

    async finish() {
        this.caret.reconnect()
        await this.document.saved()
    }
}

/** Somebody who changes the document with the command `caret put`. */
class CommandLine {
    typed = []
    #server

    constructor(server, caret) {
        this.#server = server
        this.caret = caret
    }

    async read() { return this.caret.read('shared') }

    /** Adds a scalar at the end. The server merges this with the changes of others. */
    async put(scalar) {
        this.caret.reconnect()
        const { text, revision } = await this.read()
        const args = ['put', 'shared', '--base', String(revision), '--server', `127.0.0.1:${this.#server.port}`]
        await new Promise((resolve, reject) => {
            const child = execFile(join(bin, 'caret'), args, (error) => (error ? reject(error) : resolve()))
            child.stdin.end(text + scalar)
        })
        this.typed.push(scalar)
    }
}

function connectTo(server, wasm, options = {}) { return connect('127.0.0.1', server.port, { wasm, ...options }) }

export async function withServer(body, options = []) {
    const folder = await mkdtemp(join(tmpdir(), 'caret-page-'))
    const server = new Server(folder, options)
    try {
        await server.start('127.0.0.1:0')
        await body(server)
    } finally {
        await server.stop()
        await rm(folder, { recursive: true, force: true })
    }
}

/** A caretd on loopback, on a port that the system picks. */
class Server {
    #child = null
    #starts = 0
    #options
    port = 0

    constructor(folder, options) {
        this.folder = folder
        this.#options = options
    }

    async start(address) {
        const path = join(this.folder, `log-${this.#starts++}`)
        const log = await openFile(path, 'w')
        const args = ['--data', join(this.folder, 'data'), '--listen', address, ...this.#options]
        this.#child = spawn(join(bin, 'caretd'), args, { stdio: ['ignore', log.fd, log.fd] })
        await log.close()
        let text = ''
        await until(async () => (text = await readFile(path, 'utf8')).includes('event=ready'))
        this.port = Number(text.match(/transport=tcp address=127\.0\.0\.1:(\d+)/)[1])
    }

    /** Kills the server without a warning, and starts it again at the same address. */
    async kill() {
        await this.stop()
        await this.start(`127.0.0.1:${this.port}`)
    }

    /** A new token of a user with grants, such as '--write', 'notes/'. */
    async addToken(...grants) {
        const args = ['token', 'add', ...grants, '--data', join(this.folder, 'data')]
        return (await promisify(execFile)(join(bin, 'caret'), args)).stdout.trim()
    }

    async stop() {
        if (this.#child?.exitCode !== null || this.#child.signalCode !== null) return
        const ended = new Promise((resolve) => this.#child.on('exit', resolve))
        this.#child.kill('SIGKILL')
        await ended
    }
}
