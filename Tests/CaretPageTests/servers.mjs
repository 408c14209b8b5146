// Clients with the addresses of several servers over one database.
import assert from 'node:assert/strict'
import { Caret, connect } from '../../Clients/javascript/caret-node.js'
import { ClientState } from '../../Clients/javascript/client.js'
import { ServerRotation } from '../../Clients/javascript/server-rotation.js'

const welcome = {
    type: 'welcome', protocol: 1, unit: 'utf-16', server: 'caret', user: 'ann', features: [], limits: { line: 1000 },
    ping: 20,
}

const [a, b, c] = ['http://a', 'http://b', 'http://c:7'].map((url) => new URL(url))

export const cases = {
    'with one server, each failure is followed by a delay, which grows until the next welcome'() {
        const rotation = new ServerRotation([a])
        assert.deepEqual(fail(rotation, 8), [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000])
        rotation.welcomed(0)
        assert.deepEqual(rotation.failed({ reason: 'cut' }, 5000, 0), { reason: 'cut', delay: 250 })
        assert.equal(rotation.current, a)
    },

    'a round tries each server once without a delay, and the delays grow from round to round'() {
        const rotation = new ServerRotation([a, b, c])
        assert.deepEqual(fail(rotation, 9), [null, null, 250, null, null, 500, null, null, 1000])
    },

    'the reason names the server, and after a round all of them'() {
        const rotation = new ServerRotation([c, a, b])
        const found = [1, 2, 3].map((number) => rotation.failed({ reason: `fault ${number}` }, 0, 0).reason)
        assert.deepEqual(found, ['c:7: fault 1', 'a: fault 2', 'c:7: fault 1; a: fault 2; b: fault 3'])
    },

    'a connection that has lasted begins a new round, and a short one does not'() {
        for (const [end, delay] of [[1499, 250], [1500, null]]) {
            const rotation = new ServerRotation([a, b])
            rotation.failed({ reason: 'refused' }, 0, 0)
            rotation.welcomed(1000)
            assert.deepEqual([rotation.failed({ reason: 'cut' }, end, 0).delay, rotation.current], [delay, a])
        }
    },

    'servers that end each connection soon are not asked without a delay'() {
        const rotation = new ServerRotation([a, b, c])
        const delays = Array.from({ length: 30 }, () => {
            rotation.welcomed(0)
            return rotation.failed({ reason: 'cut' }, 499, 0).delay
        })
        assert.equal(delays.filter((delay) => delay === 250).length, 10)
    },

    'after a round, the client waits as long as every server has asked for'() {
        for (const [requests, delay] of [[[3000, 2000], 2000], [[3000, undefined], 250], [[900_000, 900_000], 300_000]]) {
            const rotation = new ServerRotation([a, b])
            // What an earlier round has asked for does not matter.
            for (const retryAfter of [1, 1]) rotation.failed({ reason: 'overloaded', retryAfter }, 0, 0)
            rotation.welcomed(0)
            rotation.failed({ reason: 'cut', retryAfter: requests[0] }, 500, 0)
            assert.equal(rotation.failed({ reason: 'overloaded', retryAfter: requests[1] }, 500, 0).delay, delay)
        }
    },

    'an attempt has three seconds, and the last one of a round has ten'() {
        const rotation = new ServerRotation([a, b, c])
        const timeouts = [0, 1, 2, 3].map(() => {
            const { timeout } = rotation
            rotation.failed({ reason: 'no answer' }, 0, 0)
            return timeout
        })
        assert.deepEqual(timeouts, [3000, 3000, 10_000, 3000])
        assert.equal(new ServerRotation([a]).timeout, 10_000)
    },

    'if a server stops or is silent, the client connects to the next one at once'() {
        const state = new ClientState({ servers: [a, b, c], client: 'secret-id' })
        assert.deepEqual(connects(state.started(0)), [a])
        assert.deepEqual(connects(state.timePassed(2999, 0)), [])
        assert.deepEqual(connects(state.timePassed(3000, 0)), [b])
        assert.deepEqual(state.link, { state: 'connecting', reason: 'a: the server does not answer' })
        state.connected(3000)
        state.received(welcome, 3000, 0)
        let now = 3000
        for (const next of [c, a, b, c]) {
            now += 500
            state.received({ type: 'bye', reason: 'shutting_down' }, now, 0)
            assert.deepEqual(connects(state.disconnected('the server closed the connection', now, 0)), [next])
            assert.equal(state.server, next)
            state.connected(now)
            state.received(welcome, now, 0)
            assert.deepEqual(state.link, { state: 'online' })
        }
    },

    'after all servers have failed, the client waits and names them'() {
        const state = new ClientState({ servers: [a, b], client: 'secret-id' })
        state.started(0)
        state.disconnected('refused', 0, 0)
        assert.deepEqual(connects(state.disconnected('no route', 0, 0)), [])
        assert.deepEqual(state.link, { state: 'waiting', until: 250, reason: 'a: refused; b: no route' })
        assert.deepEqual(connects(state.timePassed(250, 0)), [a])
    },

    'a server that refuses the client is not left for another one'() {
        const state = new ClientState({ servers: [a, b], client: 'secret-id' })
        state.started(0)
        state.connected(0)
        state.received({ type: 'error', code: 'unauthorized', message: 'the token is unknown' }, 0, 0)
        assert.deepEqual(state.link, { state: 'ended', reason: 'unauthorized' })
    },

    'a request without an answer is sent to the next server'() {
        const state = new ClientState({ servers: [a, b], client: 'secret-id' })
        state.started(0)
        state.connected(0)
        state.received(welcome, 0, 0)
        state.requested({ type: 'list' })
        state.disconnected('cut', 500, 0)
        state.connected(500)
        const sent = state.received(welcome, 500, 0).filter((action) => action.do === 'send')
        assert.deepEqual(sent.map(({ message }) => message.type), ['list'])
    },

    async 'a program names its servers as strings or URLs'(wasm) {
        const network = new Network()
        const servers = ['https://a.test', new URL('http://b.test:7')]
        const caret = await Caret.connect(servers, { wasm, keep: false, transport: network.transport, shuffle: false })
        network.last.closed('refused')
        assert.deepEqual(network.hosts, ['a.test', 'b.test:7'])
        assert.equal(caret.server.href, 'http://b.test:7/')
        network.last.closed('refused')
        assert.equal(caret.link.reason, 'a.test: refused; b.test:7: refused')
        caret.reconnect()
        assert.deepEqual(network.hosts, ['a.test', 'b.test:7', 'a.test'])
        await caret.close()
        await assert.rejects(Caret.connect([], { wasm }), TypeError)
        await assert.rejects(Caret.connect(['http://a.test', ''], { wasm }), TypeError)
    },

    async 'clients choose the order of their servers by chance'(wasm) {
        const network = new Network()
        const servers = ['http://a.test', 'http://b.test', 'http://c.test']
        const orders = new Set()
        for (let count = 0; count < 200; count++) {
            const caret = await Caret.connect(servers, { wasm, keep: false, transport: network.transport })
            network.last.closed('refused')
            network.last.closed('refused')
            await caret.close()
            orders.add(network.hosts.splice(0).join(' '))
        }
        assert.equal(orders.size, 6, [...orders].join('; '))
    },

    async 'in Node, a list has hosts with or without a port'(wasm) {
        const network = new Network()
        const options = { wasm, transport: network.transport, shuffle: false }
        const caret = await connect(['a.test', 'b.test:80', '[::1]:7', '[::1]'], options)
        for (let count = 0; count < 3; count++) network.last.closed('refused')
        assert.deepEqual(network.hosts, ['a.test:22738', 'b.test', '[::1]:7', '[::1]:22738'])
        await caret.close()
        for (const wrong of ['', 'a:b', ':7', '::1', 'http://a', 'a/b']) {
            await assert.rejects(connect(['a', wrong], options), TypeError, wrong)
        }
    },
}

function fail(rotation, count) {
    return Array.from({ length: count }, () => rotation.failed({ reason: 'refused' }, 0, 0).delay)
}

/** The servers to which the actions connect. */
function connects(actions) { return actions.filter((action) => action.do === 'connect').map(({ server }) => server) }

/** Transports that a test plays. */
class Network {
    hosts = []
    /** The events of the last transport. */
    last = null
    transport = (url) => {
        this.hosts.push(url.host)
        return { start: (events) => { this.last = events }, send() {}, close() {} }
    }
}
