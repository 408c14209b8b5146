// Passes hostile bytes and numbers to every export of the module. No call may trap, and every call must answer.
//
// CARET_EVENTS says how many hostile calls are made; 10,000 if it is not set.
import assert from 'node:assert/strict'
import { Module } from '../../Clients/javascript/module.js'
import { Replica } from '../../Clients/javascript/replica.js'
import { applyEdits, load, makeRandom } from './support.mjs'

const total = Number(process.env.CARET_EVENTS ?? 10_000)
const numbers = [-1, 0, 1, 2, 6, 12, 20, 21, 255, 2 ** 16, 2 ** 29 - 1, 2 ** 29, 2 ** 31 - 1, -(2 ** 31)]
const statuses = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 17, 18, 19, 20])

export const cases = {
    async 'no event makes a replica trap or breaks its laws'(wasm) {
        const { module, exports, recorded, random } = await makeRecorded(wasm, 1)
        const replica = new Replica(module)
        for (let round = 0; round < total; round++) {
            const bytes = corrupt(random.pick(recorded.caret_replica_event), random)
            // Now and then, the event goes to another replica, or to none.
            const handle = random.chance(5) ? random.pick(numbers) : replicaHandle
            const { status } = callBytes(exports, (address) =>
                exports.caret_replica_event(handle, address, bytes.length), bytes)
            assert.ok(statuses.has(status), `status ${status}`)
            if (round % 20 === 0) checkLaws(replica)
        }
        checkLaws(replica)
    },

    async 'no keepsake makes a module trap'(wasm) {
        const { exports, recorded, random } = await makeRecorded(wasm, 2)
        let restored = 0
        for (let round = 0; round < total; round++) {
            const bytes = corrupt(random.pick(recorded.keepsake), random)
            const { status, payload } = callBytes(exports, (address) =>
                exports.caret_replica_restore(address, bytes.length), bytes)
            assert.ok(statuses.has(status), `status ${status}`)
            if (status !== 0) continue
            restored++
            const handle = new DataView(payload.buffer).getInt32(0, true)
            for (const event of random.pick([[7, 12], [2, 3, 6], [4, 9]]).map((kind) => eventBytes(kind))) {
                callBytes(exports, (address) => exports.caret_replica_event(handle, address, event.length), event)
            }
            exports.caret_replica_free(handle)
        }
        assert.ok(restored > 0 && restored < total, `${restored} of ${total} keepsakes were accepted`)
    },

    async 'no handle, part or number makes a module trap'(wasm) {
        const { exports } = await makeRecorded(wasm, 3)
        for (const handle of numbers) {
            for (const part of numbers) {
                const address = exports.caret_replica_read(handle, part)
                assert.ok(statuses.has(new DataView(exports.memory.buffer).getInt32(address, true)))
                exports.caret_free(address)
            }
        }
        for (const seq of numbers) {
            for (const mode of numbers) exports.caret_replica_free(exports.caret_replica_new(seq, mode, mode))
        }
        for (const handle of numbers) exports.caret_replica_free(handle)
        assert.ok(exports.caret_replica_new(1, 0, 0) >= 0)
    },

    async 'no bytes make the calls of the core trap'(wasm) {
        const { exports, recorded, random } = await makeRecorded(wasm, 4)
        const pairs = ['diff', 'apply', 'compose', 'invert']
        for (let round = 0; round < total; round++) {
            const [first, second] = [0, 1].map(() => corrupt(random.pick(recorded.caret_replica_event).slice(8), random))
            const stored = [first, second].map((bytes) => [store(exports, bytes), bytes.length])
            const number = random.pick(numbers)
            const answers = [
                ...pairs.map((name) => exports[`caret_${name}`](...stored.flat())),
                exports.caret_rebase(...stored.flat(), number), exports.caret_normalise(...stored[0]),
                exports.caret_validate(...stored[0]), exports.caret_map_caret(...stored[0], number),
                exports.caret_map_selection(...stored[0], number, random.pick(numbers)),
                exports.caret_convert(...stored[0], number, random.pick([8, 16, 32, number]), random.pick([8, 16, 32, 7])),
            ]
            for (const address of answers) {
                assert.ok(statuses.has(new DataView(exports.memory.buffer).getInt32(address, true)))
                exports.caret_free(address)
            }
            for (const [address] of stored) exports.caret_free(address)
        }
    },

    async 'every export is called by these tests'(wasm) {
        const names = WebAssembly.Module.exports(wasm).map(({ name }) => name).filter((name) => name !== 'memory')
        assert.deepEqual(names.sort(), [
            'caret_allocate', 'caret_apply', 'caret_compose', 'caret_convert', 'caret_diff', 'caret_free',
            'caret_invert', 'caret_map_caret', 'caret_map_selection', 'caret_normalise', 'caret_rebase',
            'caret_replica_event', 'caret_replica_free', 'caret_replica_new', 'caret_replica_read',
            'caret_replica_restore', 'caret_validate',
        ])
    },
}

// `makeRecorded` makes one replica first, so the replica that a test makes has this handle.
const replicaHandle = 1

/** A module, its exports, and for each call the bytes that a conversation passes to it. */
async function makeRecorded(wasm, seed) {
    const { exports } = await WebAssembly.instantiate(wasm, {})
    const recorded = record((await load(wasm)).module)
    const module = new Module(exports)
    new Replica(module)
    return { exports, module, recorded, random: makeRandom(seed) }
}

/** The bytes of events of every kind, and of keepsakes. */
function record(module) {
    const recorded = { caret_replica_event: [], keepsake: [] }
    const recorder = {
        callPlain: (...call) => module.callPlain(...call),
        call(name, args) {
            for (const value of Object.values(args)) if (value instanceof Uint8Array) recorded[name]?.push(value.slice())
            return module.call(name, args)
        },
    }
    const replica = new Replica(recorder)
    const edits = [{ range: [0, 2], text: 'añ' }, { range: [3, 3], text: '𝄞\n' }]
    const own = { seq: 2 ** 40, rev: 1 }
    const message = (type, fields) => replica.received({ type, ...fields })
    replica.connected()
    replica.typed([{ range: [0, 0], text: 'früh' }], 100)
    recorded.keepsake.push(replica.keepsake)
    const peers = [{ session: 's1', selections: [[1, 2], [4, 3]] }]
    message('opened', { epoch: 'e1', rev: 1, text: 'Milk\nBread\n', rights: 'write', peers, own })
    recorded.keepsake.push(replica.keepsake)
    message('change', { rev: 2, edits })
    replica.typed(edits)
    replica.replaced('Quite another text\n', 5)
    replica.selected([[1, 4], [2, 2]])
    recorded.keepsake.push(replica.keepsake)
    message('ack', { seq: own.seq + 1, rev: 3, edits })
    message('ack', { seq: own.seq + 1, rev: 3 })
    message('peer', { session: 's1', rev: 3, selections: [[0, 1]] })
    message('peer', { session: 's1', left: true })
    message('check', { rev: 3, length: 4, crc32: '0badcafe' })
    message('opened', { epoch: 'e1', rev: 3, rights: 'read', own })
    message('resync', { epoch: 'e2', rev: 9, text: 'Tea\n', own })
    message('rights', { rights: 'write' })
    message('gone', { reason: 'renamed', to: 'other' })
    message('gone', { reason: 'deleted' })
    message('bye', {})
    for (const event of ['undo', 'redo', 'retry', 'discard', 'timePassed', 'disconnected', 'connected']) replica[event]()
    replica.openRefused({ code: 'overloaded', retry_after_ms: 10 })
    replica.pushRefused({ code: 'too_large', seq: own.seq + 2 })
    return recorded
}

function eventBytes(kind) { return new Uint8Array(Int32Array.of(kind).buffer) }

/** The bytes with a few faults: changed numbers, changed bytes, or a missing end. Sometimes there is no fault. */
function corrupt(original, random) {
    let bytes = original.slice()
    for (let fault = random.below(3); fault > 0 && bytes.length >= 4; fault--) {
        const view = new DataView(bytes.buffer)
        switch (random.below(4)) {
        case 0:
            view.setInt32(4 * random.below(Math.floor(bytes.length / 4)), random.pick(numbers), true)
            break
        case 1:
            view.setInt32(4 * random.below(Math.floor(bytes.length / 4)), random.below(20), true)
            break
        case 2:
            bytes[random.below(bytes.length)] = random.below(256)
            break
        default:
            bytes = bytes.slice(0, random.below(bytes.length + 1))
        }
    }
    return bytes
}

function store(exports, bytes) {
    const address = exports.caret_allocate(bytes.length)
    new Uint8Array(exports.memory.buffer).set(bytes, address)
    return address
}

/** Calls an export with stored bytes, and returns its status and payload. */
function callBytes(exports, body, bytes) {
    const address = store(exports, bytes)
    const answer = body(address)
    const [status, count] = new Int32Array(exports.memory.buffer, answer, 2)
    const payload = new Uint8Array(exports.memory.buffer, answer + 8, count).slice()
    exports.caret_free(answer)
    exports.caret_free(address)
    return { status, payload }
}

function checkLaws({ text, committed, inFlight, unsent, state }) {
    assert.equal(applyEdits(applyEdits(committed, inFlight), unsent), text)
    assert.equal(state.length, text.length)
    if (state.saving.state === 'saved') assert.equal(state.hasUnsaved, false)
}
