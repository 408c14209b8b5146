// A document as a program uses it, with a server that the test plays itself.
import assert from 'node:assert/strict'
import { Caret } from '../../Clients/javascript/caret.js'
import { inputError } from '../../Clients/javascript/errors.js'
import { applyEdits, load, pause } from './support.mjs'

const welcome = {
    type: 'welcome', protocol: 1, unit: 'utf-16', server: 'caret', user: 'ann', features: [], limits: { line: 1000 },
    ping: 20,
}

const conversations = {
    async 'a view that applies all changes shows the text'(wasm) {
        const { server, document } = await open(wasm)
        let view = document.text
        const changes = []
        document.addEventListener('change', ({ edits, own }) => {
            view = applyEdits(view, edits)
            changes.push(own)
        })
        document.edit([{ range: [0, 4], text: 'Tea' }])
        server.send({ type: 'change', doc: 'a', rev: 2, edits: [{ range: [4, 4], text: ' and honey' }] })
        document.replaceText(document.text + '!')
        document.undo()
        assert.equal(view, document.text)
        assert.deepEqual(changes, [true, false, true, true])
    },

    async 'a listener may edit, and all listeners see the changes in their order'(wasm) {
        const { server, document } = await open(wasm)
        const views = [document.text, document.text]
        document.addEventListener('change', ({ edits }) => {
            views[0] = applyEdits(views[0], edits)
            if (document.length < 40) document.edit([{ range: [0, 0], text: '.' }])
        })
        document.addEventListener('change', ({ edits }) => { views[1] = applyEdits(views[1], edits) })
        server.send({ type: 'change', doc: 'a', rev: 2, edits: [{ range: [0, 0], text: 'Oat ' }] })
        assert.deepEqual(views, [document.text, document.text])
        assert.equal(document.length, 40)
    },

    async '`saved` waits for the ack'(wasm) {
        const { server, document } = await open(wasm)
        let isSaved = false
        document.append('!')
        const saved = document.saved().then(() => { isSaved = true })
        await settled()
        assert.equal(isSaved, false)
        assert.equal(document.saving.state, 'sending')
        server.send({ type: 'ack', doc: 'a', seq: 1, rev: 2 })
        await saved
        assert.deepEqual([document.saving.state, document.revision], ['saved', 2])
    },

    async '`saving` says why the server saves nothing yet, until it does'(wasm) {
        const { server, document } = await open(wasm)
        document.append('!')
        assert.deepEqual([document.saving.state, document.saving.code], ['sending', undefined])
        const full = { type: 'error', doc: 'a', seq: 1, code: 'storage_full', message: 'the disk is full', retry_after_ms: 60_000 }
        server.send(full)
        assert.deepEqual([document.saving.state, document.saving.code], ['sending', 'storage_full'])
        document.retry()
        assert.equal(document.saving.code, 'storage_full')
        server.send({ type: 'ack', doc: 'a', seq: 1, rev: 2 })
        assert.deepEqual([document.saving.state, document.saving.code], ['saved', undefined])
        document.append('?')
        assert.deepEqual([document.saving.state, document.saving.code], ['sending', undefined])
    },

    async '`saved` fails if the server refuses the edits, which stay until they are discarded'(wasm) {
        const { server, document } = await open(wasm)
        document.append('!')
        const saved = document.saved()
        server.send({ type: 'error', doc: 'a', seq: 1, code: 'too_large', message: 'the text is too long' })
        await assert.rejects(saved, { name: 'CaretError', code: 'too_large' })
        assert.deepEqual([document.text, document.unsaved], ['Milk!', [{ range: [4, 4], text: '!' }]])
        document.discard()
        assert.equal(document.text, 'Milk')
        await document.saved()
    },

    async '`opened` fails if there is no such document'(wasm) {
        const { server, caret } = await connect(wasm)
        const opened = caret.open('b').opened()
        server.send({ type: 'error', id: server.received.at(-1).id, code: 'not_found', message: 'there is no such document' })
        await assert.rejects(opened, { name: 'CaretError', code: 'not_found' })
    },

    async 'there is one document for each name, until it is closed'(wasm) {
        const { server, caret, document } = await open(wasm)
        assert.equal(caret.open('a'), document)
        await document.close()
        await document.close()
        assert.deepEqual(server.received.at(-1), { type: 'close', doc: 'a' })
        assert.throws(() => document.append('x'), { name: 'CaretError', code: 'closed' })
        assert.notEqual(caret.open('a'), document)
    },

    async 'two calls of `close` close a document once'(wasm) {
        const { server, document } = await open(wasm)
        document.append('!')
        const closings = [document.close(), document.close()]
        server.send({ type: 'ack', doc: 'a', seq: 1, rev: 2 })
        await Promise.all(closings)
        await document.close()
        assert.deepEqual(server.received.filter(({ type }) => type === 'close'), [{ type: 'close', doc: 'a' }])
    },

    async 'a document that is opened again while it is being closed stays open'(wasm) {
        const { server, caret, document } = await open(wasm)
        document.append('!')
        const closing = document.close()
        const again = caret.open('a')
        server.send({ type: 'ack', doc: 'a', seq: 1, rev: 2 })
        await closing
        again.append('?')
        server.send({ type: 'ack', doc: 'a', seq: 2, rev: 3 })
        await again.saved()
        assert.deepEqual([again.text, again === document], ['Milk!?', true])
        assert.equal(server.received.some(({ type }) => type === 'close'), false)
        await again.close()
        assert.deepEqual(server.received.at(-1), { type: 'close', doc: 'a' })
    },

    async 'a document that is opened again and closed again while it is being closed is closed'(wasm) {
        const { server, caret, document } = await open(wasm)
        document.append('!')
        const first = document.close()
        const second = caret.open('a').close()
        document.append('?')
        server.send({ type: 'ack', doc: 'a', seq: 1, rev: 2 })
        server.send({ type: 'ack', doc: 'a', seq: 2, rev: 3 })
        await Promise.all([first, second])
        assert.deepEqual(server.received.filter(({ type }) => type === 'close'), [{ type: 'close', doc: 'a' }])
        assert.throws(() => document.append('x'), { code: 'closed' })
    },

    async 'a document that two parts of a program have opened is closed with the second `close`'(wasm) {
        const { server, caret, document } = await open(wasm)
        assert.equal(caret.open('a'), document)
        await document.close()
        document.append('!')
        assert.equal(server.received.at(-1).type, 'push')
        server.send({ type: 'ack', doc: 'a', seq: 1, rev: 2 })
        await document.close()
        assert.deepEqual(server.received.at(-1), { type: 'close', doc: 'a' })
        assert.throws(() => document.append('x'), { code: 'closed' })
    },

    async 'a client that ends closes a document, however many parts of the program have opened it'(wasm) {
        const { caret, document } = await open(wasm)
        caret.open('a')
        await caret.close()
        assert.throws(() => document.text, { code: 'closed' })
    },

    async 'a closed document has a name, and all else about it throws `closed`'(wasm) {
        const { document } = await open(wasm)
        await document.close()
        const getters = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(document)))
            .filter(([name, { get }]) => get && !['name', 'watches'].includes(name)).map(([name]) => name)
        assert.ok(getters.includes('text') && getters.includes('unsaved'))
        assert.equal(document.name, 'a')
        for (const getter of getters) assert.throws(() => document[getter], { name: 'CaretError', code: 'closed' }, getter)
        for (const call of [() => document.undo(), () => document.retry(), () => document.select([]), () => document.bind({})]) {
            assert.throws(call, { name: 'CaretError', code: 'closed' })
        }
        await assert.rejects(document.opened(), { code: 'closed' })
        await assert.rejects(document.saved(), { code: 'closed' })
    },

    async 'a document that is open to edit is not opened to watch, and the reverse'(wasm) {
        for (const watch of [false, true]) {
            const { server, caret } = await connect(wasm)
            const document = caret.open('a', { watch })
            const { id } = server.received.at(-1)
            server.send({ type: 'opened', id, doc: 'a', epoch: 'e', rev: 1, text: 'Milk', rights: 'write', peers: [] })
            assert.equal(caret.open('a', { watch }), document)
            const problem = { name: 'CaretError', code: 'already_open', message: /^a is open in the other mode; close it first$/ }
            assert.throws(() => caret.open('a', { watch: !watch }), problem)
            await Promise.all([document.close(), document.close()])
            assert.notEqual(caret.open('a', { watch: !watch }), document)
        }
    },

    async 'a document that is missing is created when it is opened again with `create`'(wasm) {
        const { server, caret } = await connect(wasm)
        const document = caret.open('b')
        const failed = assert.rejects(document.opened(), { code: 'not_found' })
        server.send({ type: 'error', id: server.received.at(-1).id, code: 'not_found', message: 'there is none' })
        await failed
        const created = caret.open('b', { create: true }).opened()
        const { id, create } = server.received.at(-1)
        assert.equal(create, true)
        server.send({ type: 'opened', id, doc: 'b', epoch: 'e', rev: 0, text: '', rights: 'write', peers: [] })
        await created
        assert.equal(document.saving.state, 'saved')
    },

    async '`create` counts even if the document is opened without it at this moment'(wasm) {
        const { server, caret } = await connect(wasm)
        const document = caret.open('b')
        const first = server.received.at(-1)
        const created = caret.open('b', { create: true }).opened()
        server.send({ type: 'error', id: first.id, code: 'not_found', message: 'there is none' })
        const { id, create } = server.received.at(-1)
        assert.deepEqual([create, id === first.id], [true, false])
        server.send({ type: 'opened', id, doc: 'b', epoch: 'e', rev: 0, text: '', rights: 'write', peers: [] })
        await created
        assert.equal(document.saving.state, 'saved')
    },

    async 'an edit outside the text is refused, and changes nothing'(wasm) {
        const { server, document } = await open(wasm)
        const count = server.received.length
        assert.throws(() => document.edit([{ range: [4, 9], text: '' }]), { code: 'outside', numbers: [9, 4] })
        assert.throws(() => document.append('\ud83d'), { code: 'loneSurrogate' })
        assert.throws(() => document.append('\r\n'), { code: 'carriageReturn' })
        assert.deepEqual([document.text, server.received.length], ['Milk', count])
    },

    async 'a push is not sent if its line is longer than the server allows'(wasm) {
        const { server, document } = await open(wasm)
        const count = server.received.length
        document.append('é'.repeat(600))
        assert.equal(server.received.length, count)
        assert.equal(document.saving.code, 'line_too_long')
    },

    async 'an invalid line ends the connection'(wasm) {
        for (const line of ['{', 'null', '[]', '{"type":7}']) {
            const { server, caret } = await connect(wasm)
            server.events.received(line)
            assert.equal(caret.link.state, 'waiting')
            assert.equal(server.isClosed, true)
            await caret.close()
        }
    },

    async 'a client whose timer fires early still connects again'(wasm) {
        const { server, caret } = await connect(wasm)
        const clock = new TestClock()
        try {
            const first = server.events
            first.received('{')
            assert.equal(caret.link.state, 'waiting')
            // Node counts from the start of its turn, so a timer may fire earlier than its delay says.
            clock.fire({ early: 100 })
            assert.equal(caret.link.state, 'waiting')
            clock.fire({ early: 0 })
            assert.equal(caret.link.state, 'connecting')
            assert.notEqual(server.events, first)
        } finally {
            clock.remove()
        }
    },

    async 'a client connects while its module is loading, and the program gets its events'(wasm) {
        const server = new TestServer()
        servers.push(server)
        let finishLoading
        const loading = new Promise((resolve) => { finishLoading = resolve })
        const options = { wasm: loading, keep: false, transport: () => server.transport }
        const connecting = Caret.connect('http://127.0.0.1', options)
        server.events.opened()
        server.send(welcome)
        assert.deepEqual(server.received.map(({ type }) => type), ['hello'])
        finishLoading(wasm)
        const caret = await connecting
        assert.equal(caret.link.state, 'online')
        const states = []
        caret.addEventListener('link', ({ link }) => states.push(link.state))
        caret.open('a')
        assert.equal(server.received.at(-1).type, 'open')
        await pause(0)
        assert.deepEqual(states, ['online'])
    },

    async 'a client whose module cannot be loaded disconnects'() {
        const server = new TestServer()
        const options = { wasm: Promise.reject(new Error('no module')), keep: false, transport: () => server.transport }
        await assert.rejects(Caret.connect('http://127.0.0.1', options), /no module/)
        assert.ok(server.isClosed)
    },

    async 'after a fault of the module, the client ends and says so'(wasm) {
        const { module } = await load(wasm)
        const fault = inputError('trapped')
        let isTrapped = false
        const trapping = {
            call(name, args) {
                if (isTrapped) throw fault
                return module.call(name, args)
            },
            callPlain: (...call) => module.callPlain(...call),
        }
        const { server, caret, document } = await open(trapping)
        document.append('x')
        const failures = [caret.list(), document.saved()]
        isTrapped = true
        assert.throws(() => document.append('y'), fault)
        for (const failure of failures) await assert.rejects(failure, fault)
        assert.deepEqual(caret.link, { state: 'ended', reason: 'trapped' })
        assert.equal(server.isClosed, true)
        await caret.close()
    },
}

/** The servers of the current case. */
const servers = []

/** Runs a case, and then ends its clients, because their timers would keep Node running. */
async function runAndEnd(run, wasm) {
    try {
        await run(wasm)
    } finally {
        for (const server of servers.splice(0)) server.send({ type: 'bye', reason: 'replaced' })
    }
}

export const cases = Object.fromEntries(
    Object.entries(conversations).map(([name, run]) => [name, (wasm) => runAndEnd(run, wasm)]))

async function settled() { await new Promise((resolve) => setImmediate(resolve)) }

/** A client that is online, and its server. The module is compiled, or already loaded. */
async function connect(wasm) {
    const server = new TestServer()
    servers.push(server)
    const module = wasm instanceof WebAssembly.Module ? (await load(wasm)).module : wasm
    const transport = () => server.transport
    const caret = new Caret([new URL('http://127.0.0.1')], module, { transport, client: 'secret-id' })
    server.events.opened()
    server.send(welcome)
    return { server, caret }
}

async function open(wasm) {
    const { server, caret } = await connect(wasm)
    const document = caret.open('a')
    const { id } = server.received.at(-1)
    server.send({ type: 'opened', id, doc: 'a', epoch: 'e', rev: 1, text: 'Milk', rights: 'write', peers: [] })
    return { server, caret, document }
}

/** The time and the timers of the program, until `remove`. Keeps only the timer that was set last. */
class TestClock {
    #real = { now: performance.now, setTimeout: globalThis.setTimeout }
    #now = performance.now()
    #timer = null

    constructor() {
        performance.now = () => this.#now
        globalThis.setTimeout = (run, delay) => { this.#timer = { run, at: this.#now + delay } }
    }

    /** Lets the time pass until `early` milliseconds before the timer, and fires the timer. */
    fire({ early }) {
        const { run, at } = this.#timer
        this.#timer = null
        this.#now = at - early
        run()
    }

    remove() {
        performance.now = this.#real.now
        globalThis.setTimeout = this.#real.setTimeout
    }
}

/** A server that the test plays. */
class TestServer {
    received = []
    isClosed = false
    transport = {
        start: (events) => { this.events = events },
        send: (line) => { this.received.push(JSON.parse(line)) },
        close: () => { this.isClosed = true },
    }

    send(message) { this.events.received(JSON.stringify(message)) }
}
