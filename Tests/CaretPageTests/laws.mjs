// The laws of a replica, as Tests/CaretReplicaTests checks them in Swift, through the boundary of the module.
//
// CARET_EVENTS says how many random events drive each law; 10,000 if it is not set.
import assert from 'node:assert/strict'
import { Replica } from '../../Clients/javascript/replica.js'
import { ModelServer } from './model-server.mjs'
import { applyEdits, isBoundary, load, makeRandom, makeScalars, randomOffset } from './support.mjs'

const total = Number(process.env.CARET_EVENTS ?? 10_000)
const eventsOfRun = 200

export const cases = {
    'replicas that only insert converge, and every scalar is there once': (wasm) => runAll(wasm, { removes: false }),
    'replicas that also remove, undo and discard converge': (wasm) => runAll(wasm, { removes: true }),

    async 'push numbers have 53 bits'(wasm) {
        const { module } = await load(wasm)
        const seq = 2 ** 53 - 3
        const replica = new Replica(module, { seq })
        open(replica, { own: { seq: 2 ** 33, rev: 0 } })
        assert.equal(replica.typed([{ range: [0, 0], text: 'a' }]).find((action) => action.do === 'push').seq, seq)
        assert.equal(replica.state.nextSeq, seq + 1)
        replica.received({ type: 'ack', seq, rev: 2 })
        assert.equal(replica.state.saving.state, 'saved')
    },

    async 'after the largest push number, the next number is the same'(wasm) {
        const { module } = await load(wasm)
        const replica = new Replica(module)
        open(replica, { own: { seq: 2 ** 53 - 1, rev: 0 } })
        assert.equal(replica.state.nextSeq, 2 ** 53 - 1)
    },

    async 'a replaced text becomes one edit with the difference'(wasm) {
        const { module } = await load(wasm)
        const replica = new Replica(module)
        open(replica, { text: 'Bring a pen.\n' })
        replica.selected([[12, 12]])
        const [edit] = replica.replaced('Bring a pencil.\n')
        assert.deepEqual(edit, { do: 'edit', edits: [{ range: [11, 11], text: 'cil' }] })
        assert.deepEqual(replica.state.selections, [[15, 15]])
        assert.equal(replica.undo()[0].edits.length, 1)
        assert.equal(replica.text, 'Bring a pen.\n')
    },

    async 'the memory of unused replicas is given back'(wasm) {
        const { module } = await load(wasm)
        const run = () => {
            const replica = new Replica(module)
            open(replica, { text: 'some words in a line\n'.repeat(5000) })
            for (let index = 0; index < 30; index++) replica.typed([{ range: [index, index + 3], text: 'xy' }])
            new Replica(module, { keepsake: replica.keepsake }).free()
            replica.free()
        }
        for (let round = 0; round < 5; round++) run()
        const bytes = module.memoryBytes
        for (let round = 0; round < 50; round++) run()
        assert.equal(module.memoryBytes, bytes)
    },

    async 'an unknown message and an unknown code change nothing'(wasm) {
        const { module } = await load(wasm)
        const replica = new Replica(module)
        open(replica, {})
        assert.deepEqual(replica.received({ type: 'constructor' }), [])
        replica.typed([{ range: [0, 0], text: 'a' }])
        const actions = replica.pushRefused({ code: 'news', seq: 1 })
        assert.deepEqual(actions, [{ do: 'state', saving: { state: 'refused', code: 'other' } }])
        assert.equal(replica.text, 'a')
    },
}

function open(replica, fields) {
    replica.connected()
    replica.received({ type: 'opened', epoch: 'e', rev: 1, text: '', rights: 'write', peers: [], ...fields })
}

async function runAll(wasm, options) {
    for (let seed = 0; seed * eventsOfRun < total; seed++) {
        const { module, core } = await load(wasm)
        const run = new Run(module, core, seed, options)
        try {
            for (let event = 0; event < eventsOfRun; event++) run.step()
            run.settle()
        } catch (error) {
            error.message = `seed ${seed}: ${error.message}`
            throw error
        }
    }
}

/** Some replicas and a server. Every message between them waits until it is delivered. */
class Run {
    #module
    #core
    #random
    #removes
    #server
    #scalar = makeScalars()
    #typed = []
    #clients

    constructor(module, core, seed, { removes }) {
        this.#module = module
        this.#core = core
        this.#random = makeRandom(seed)
        this.#removes = removes
        this.#server = new ModelServer(core)
        this.#clients = Array.from({ length: 2 + this.#random.below(3) }, (_, index) => ({
            index, replica: new Replica(module), view: '', saving: { state: 'opening' }, session: null, sent: [],
            isRetrying: false,
        }))
    }

    step() {
        const client = this.#random.pick(this.#clients)
        const events = [
            [40, () => this.#type(client)], [60, () => this.#deliver(client)], [40, () => this.#sendOne(client)],
            [8, () => this.#select(client)], [4, () => this.#cut(client)], [12, () => this.#connect(client)],
            [3, () => this.#restart(client)], [2, () => client.session && this.#server.resync(client.session)],
            [4, () => this.#refuse(client)], [4, () => this.#retry(client)],
            [this.#removes ? 8 : 0, () => this.#undo(client)], [this.#removes ? 1 : 0, () => this.#discard(client)],
        ]
        let number = this.#random.below(events.reduce((sum, [weight]) => sum + weight, 0))
        const [, event] = events.find(([weight]) => (number -= weight) < 0)
        event()
        this.#check(client)
    }

    /** Delivers everything, and checks that all texts are equal. */
    settle() {
        for (let round = 0; round < 1000 && !this.#isSettled; round++) {
            for (const client of this.#clients) {
                this.#connect(client)
                if (client.saving.state === 'refused') this.#pass(client, client.replica.retry())
                this.#retry(client)
                this.#sendOne(client)
                this.#deliver(client)
                this.#check(client)
            }
        }
        const server = this.#server
        for (const client of this.#clients) {
            assert.deepEqual(client.saving, { state: 'saved' })
            assert.equal(client.replica.text, server.text)
            assert.equal(client.replica.state.position.rev, server.rev)
        }
        if (this.#removes) return
        assert.deepEqual([...server.text].sort(), this.#typed.sort(), 'every scalar is in the text once')
    }

    get #isSettled() {
        return this.#clients.every(({ session, sent, saving }) =>
            session?.out.length === 0 && sent.length === 0 && saving.state === 'saved')
    }

    #type(client) {
        const [start, end] = this.#range(client.view)
        const count = this.#random.below(3) + (this.#removes ? 0 : 1)
        const scalars = Array.from({ length: count }, () => this.#scalar())
        const edits = [{ range: [start, this.#removes ? end : start], text: scalars.join('') }]
        const actions = client.replica.typed(edits, this.#random.pick([undefined, 100, 5_000]))
        this.#typed.push(...scalars)
        client.view = applyEdits(client.view, edits)
        this.#pass(client, actions)
    }

    #range(text) {
        const offsets = [randomOffset(text, this.#random), randomOffset(text, this.#random)]
        const [start, end] = offsets.sort((left, right) => left - right)
        return text.length > 80 || end - start < 5 ? [start, end] : [start, start]
    }

    #select(client) {
        const selections = Array.from({ length: this.#random.below(3) }, () =>
            [randomOffset(client.view, this.#random), randomOffset(client.view, this.#random)])
        this.#pass(client, client.replica.selected(selections))
        assert.deepEqual(client.replica.state.selections, selections)
    }

    #undo(client) { this.#pass(client, this.#random.chance(60) ? client.replica.undo() : client.replica.redo()) }
    #discard(client) { this.#pass(client, client.replica.discard()) }

    #connect(client) {
        if (client.session) return
        client.session = this.#server.connect(client.index)
        this.#pass(client, client.replica.connected())
    }

    #cut(client) {
        if (!client.session) return
        this.#server.disconnect(client.session)
        client.session = null
        client.sent = []
        this.#pass(client, client.replica.disconnected())
    }

    /** The process of the client ends, and another one continues from its keepsake. */
    #restart(client) {
        this.#cut(client)
        const keepsake = client.replica.keepsake
        const text = client.replica.text
        client.replica.free()
        client.replica = new Replica(this.#module, keepsake ? { keepsake } : {})
        client.view = client.replica.text
        client.saving = client.replica.state.saving
        if (keepsake) assert.equal(client.view, text)
    }

    /** The server refuses the next push for a while. */
    #refuse(client) {
        const [first] = client.sent
        if (first?.do !== 'push') return
        client.sent.shift()
        const code = this.#random.pick(['rate_limited', 'storage_full', 'forbidden'])
        client.session.out.push({ type: 'error', code, seq: first.seq, retry_after_ms: 100 })
    }

    #retry(client) {
        if (client.saving.state === 'refused' && this.#random.chance(50)) this.#pass(client, client.replica.retry())
        if (!client.isRetrying) return
        client.isRetrying = false
        this.#pass(client, client.replica.timePassed())
    }

    /** The next message of the client reaches the server. */
    #sendOne(client) {
        const action = client.sent.shift()
        if (action) this.#server.handle(client.session, action)
    }

    /** The next message of the server reaches the client. */
    #deliver(client) {
        const message = client.session?.out.shift()
        if (!message) return
        if (message.type === 'opened' && message.id !== client.openID) return
        const { replica } = client
        this.#pass(client, message.type === 'error' ? replica.pushRefused(message) : replica.received(message))
    }

    #pass(client, actions) {
        for (const action of actions) {
            switch (action.do) {
            case 'edit':
                client.view = applyEdits(client.view, action.edits)
                break
            case 'state':
                client.saving = action.saving
                break
            case 'retry':
                client.isRetrying = true
                break
            case 'peers': break
            case 'open':
                client.openID = (client.openID ?? 0) + 1
                client.sent.push({ ...action, id: client.openID })
                break
            default: client.sent.push(action)
            }
        }
    }

    #check({ replica, view, saving }) {
        const { text, committed, inFlight, unsent, unsaved, state } = replica
        assert.equal(text, view, 'a view that applies all edits shows the text')
        assert.equal(applyEdits(applyEdits(committed, inFlight), unsent), text, 'all edits are in the text')
        assert.deepEqual(unsaved, this.#core.compose(inFlight, unsent))
        assert.deepEqual(state.saving, saving, 'the user sees the state of the replica')
        assert.equal(state.length, text.length)
        if (saving.state === 'saved') assert.equal(state.hasUnsaved, false)
        const selections = [...state.selections, ...replica.peers.flatMap((peer) => peer.selections)]
        assert.ok(selections.flat().every((offset) => isBoundary(text, offset)), 'no selection is inside a scalar')
    }
}
