// Conversations with the state of a client, which has no socket and no clock.
import assert from 'node:assert/strict'
import { ClientState } from '../../Clients/javascript/client.js'
import { Replica } from '../../Clients/javascript/replica.js'
import { load } from './support.mjs'

const welcome = {
    type: 'welcome', protocol: 1, unit: 'utf-16', server: 'caret', user: 'ann', features: [], limits: { line: 1000 },
    ping: 20,
}
const opened = { type: 'opened', doc: 'a', epoch: 'e', rev: 1, text: 'Milk', rights: 'write', peers: [] }

export const cases = {
    'a client says hello, and is online after the welcome'() {
        const state = new ClientState({ client: 'secret-id', token: 't', name: 'Ann' })
        assert.deepEqual(state.started(0).filter(isNotWake), [{ do: 'link' }, { do: 'connect', server: null }])
        const [{ message }] = state.connected(5)
        assert.deepEqual(message, {
            type: 'hello', protocol: 1, client: 'secret-id', units: ['utf-16'], token: 't',
            info: { name: 'Ann', color: undefined },
        })
        state.received(welcome, 6, 0)
        assert.deepEqual(state.link, { state: 'online' })
    },

    'a client retries after growing delays, shortened by up to one half'() {
        const state = new ClientState({ client: 'secret-id' })
        state.started(0)
        const delays = [0, 0.5, 0, 0, 0, 0, 0, 0].map((jitter) => {
            state.disconnected('refused', 0, jitter)
            const { until } = state.link
            state.timePassed(until, 0)
            return until
        })
        assert.deepEqual(delays, [250, 750, 1000, 2000, 4000, 8000, 15_000, 15_000])
    },

    'if the server names a longer delay, the client waits that long'() {
        const state = online()
        state.received({ type: 'bye', reason: 'shutting_down', retry_after_ms: 7000 }, 10, 0)
        state.disconnected('the server closed the connection', 20, 0)
        assert.equal(state.link.until, 7020)
        assert.match(state.link.reason, /shutting_down/)
    },

    'a silent server gets a ping, and is disconnected if it stays silent'() {
        const state = online()
        assert.deepEqual(sent(state.timePassed(20_000, 0)), [{ type: 'ping' }])
        state.received({ type: 'pong' }, 30_000, 0)
        assert.deepEqual(sent(state.timePassed(50_000, 0)), [{ type: 'ping' }])
        assert.ok(state.timePassed(70_000, 0).some((action) => action.do === 'disconnect'))
        assert.equal(state.link.state, 'waiting')
    },

    'a server that does not answer hello is disconnected after 10 s'() {
        const state = new ClientState({ client: 'secret-id' })
        state.started(0)
        state.connected(1000)
        assert.deepEqual(state.timePassed(10_999, 0).filter(isNotWake), [])
        assert.equal(state.timePassed(11_000, 0)[0].do, 'disconnect')
    },

    'pings of the server are answered'() {
        assert.deepEqual(sent(online().received({ type: 'ping' }, 0, 0)), [{ type: 'pong' }])
    },

    'a request is answered once, by the answer with its id'() {
        const state = online()
        const [id, actions] = state.requested({ type: 'list' })
        assert.deepEqual(actions, [{ do: 'send', message: { type: 'list' }, id }])
        const answer = { type: 'listed', docs: [], id }
        assert.deepEqual(state.received(answer, 1, 0).filter(isNotWake), [{ do: 'answer', id, message: answer }])
        assert.deepEqual(state.received(answer, 1, 0).filter(isNotWake), [])
    },

    'a refused request fails with the code'() {
        const state = online()
        const [id] = state.requested({ type: 'read', doc: 'a' })
        const error = { type: 'error', id, code: 'not_found', message: 'there is no such document', retry_after_ms: 5 }
        const [action] = state.received(error, 1, 0)
        assert.equal(action.do, 'fail')
        assert.deepEqual([action.error.code, action.error.retryAfter], ['not_found', 5])
    },

    'after a lost connection, only idempotent requests are sent again'() {
        const state = online()
        const ids = ['list', 'rename', 'restore', 'list_tags', 'delete', 'copy'].map((type) => state.requested({ type })[0])
        const failed = state.disconnected('cut', 0, 0).filter((action) => action.do === 'fail')
        assert.deepEqual(failed.map(({ id, error }) => [id, error.code]), [1, 4, 5].map((index) => [ids[index], 'disconnected']))
        assert.deepEqual(sent(comeBack(state)).map(({ type }) => type), ['list', 'restore', 'list_tags'])
    },

    'at most 16 requests are in flight, and at most 10,000 are unanswered'() {
        const state = online()
        const ids = Array.from({ length: 10_000 }, () => state.requested({ type: 'list' })[0])
        const [, [last]] = state.requested({ type: 'list' })
        assert.deepEqual([last.do, last.error.code], ['fail', 'too_many'])
        const next = sent(state.received({ type: 'listed', id: ids[0] }, 1, 0))
        assert.deepEqual(next, [{ type: 'list' }])
        state.disconnected('cut', 0, 0)
        assert.equal(sent(comeBack(state)).length, 16)
    },

    'a request that is refused with shutting_down is sent again'() {
        const state = online()
        const [id] = state.requested({ type: 'rename' })
        const error = { type: 'error', id, code: 'shutting_down', message: 'bye' }
        assert.deepEqual(state.received(error, 1, 0).filter(isNotWake), [])
        state.disconnected('closed', 1, 0)
        assert.deepEqual(sent(comeBack(state)), [{ type: 'rename' }])
    },

    'requests that are refused for a while are sent again in their order, over any connection'() {
        for (const isCut of [false, true]) {
            const state = online()
            const ids = [1, 2, 3].map(() => state.requested({ type: 'list' })[0])
            const refuse = (id) => state.received(
                { type: 'error', id, code: 'shutting_down', message: 'bye', retry_after_ms: 700 }, 1, 0)
            for (const id of [ids[0], ids[2]]) refuse(id)
            const [last, actions] = state.requested({ type: 'list' })
            assert.deepEqual(actions, [])
            if (isCut) state.disconnected('cut', 1, 0)
            else {
                refuse(ids[1])
                assert.deepEqual(sent(state.timePassed(700, 0)), [])
            }
            const again = isCut ? comeBack(state) : state.timePassed(701, 0)
            assert.deepEqual(again.filter((action) => action.do === 'send').map(({ id }) => id), [...ids, last])
        }
    },

    'more requests than can be in flight do not stall after all were refused for a while'() {
        const state = online()
        const ids = Array.from({ length: 20 }, () => state.requested({ type: 'list' })[0])
        for (const id of ids.slice(0, 16)) {
            state.received({ type: 'error', id, code: 'shutting_down', message: 'bye' }, 1, 0)
        }
        assert.equal(sent(state.timePassed(501, 0)).length, 16)
        for (const id of ids.slice(0, 4)) state.received({ type: 'listed', id, docs: [] }, 502, 0)
        const last = state.received({ type: 'listed', id: ids[19], docs: [] }, 503, 0)
        assert.deepEqual(last.filter((action) => action.do === 'answer').map(({ id }) => id), [ids[19]])
    },

    'a refused hello ends the client, and fails its requests'() {
        const state = new ClientState({ client: 'secret-id' })
        const [id] = state.requested({ type: 'list' })
        state.started(0)
        state.connected(0)
        const actions = state.received({ type: 'error', code: 'unauthorized', message: 'no token' }, 1, 0)
        assert.deepEqual(actions.map((action) => action.do), ['disconnect', 'link', 'fail', 'end'])
        assert.equal(actions[2].id, id)
        assert.deepEqual(state.link, { state: 'ended', reason: 'unauthorized' })
        assert.equal(state.requested({ type: 'list' })[1][0].do, 'fail')
    },

    'a revoked token and another client with the same id end the client'() {
        for (const reason of ['revoked', 'replaced']) {
            const state = online()
            state.received({ type: 'bye', reason }, 1, 0)
            assert.deepEqual(state.link, { state: 'ended', reason })
        }
    },

    'a client that certainly owns its id connects again after `replaced`'() {
        const state = online({ ownsID: true })
        state.received({ type: 'bye', reason: 'replaced' }, 1, 0)
        state.disconnected('closed', 2, 0)
        assert.equal(state.link.state, 'waiting')
        assert.equal(comeBack(state)[0].do, 'link')
        state.received({ type: 'bye', reason: 'revoked' }, 1, 0)
        assert.equal(state.link.state, 'ended')
    },

    'a client with another name connects again at once, and goes on with its documents'() {
        const state = online({ name: 'Ann' })
        const [id] = state.requested({ type: 'list' })
        const [removal] = state.requested({ type: 'delete', doc: 'b' })
        const actions = state.introduced({ name: 'Bea', color: '#d92f23' }, 10).filter(isNotWake)
        assert.deepEqual(actions.slice(0, 3), [{ do: 'disconnect' }, { do: 'link' }, { do: 'connect', server: null }])
        assert.deepEqual(actions.slice(3).map(({ id, error }) => [id, error.code]), [[removal, 'disconnected']])
        assert.equal(state.link.state, 'connecting')
        const [hello] = sent(state.connected(20))
        assert.deepEqual(hello.info, { name: 'Bea', color: '#d92f23' })
        assert.deepEqual(state.received(welcome, 20, 0).filter(({ do: what }) => what === 'send').map((action) => action.id), [id])
    },

    'a client without a connection says another name when it connects'() {
        const state = new ClientState({ client: 'secret-id', name: 'Ann' })
        state.started(0)
        assert.deepEqual(state.introduced({}, 1), [])
        assert.equal(state.connected(5)[0].message.info, undefined)
        // The server has got the old name already.
        assert.equal(state.introduced({ name: 'Bea' }, 6)[0].do, 'disconnect')
        state.disconnected('refused', 7, 0)
        assert.deepEqual(state.introduced({ name: 'Cyd' }, 8), [])
        assert.equal(comeBack(state).length > 0, true)
        assert.equal(state.closed(9).at(-1).do, 'end')
        assert.deepEqual(state.introduced({ name: 'Dot' }, 10), [])
    },

    'following starts again after each welcome'() {
        const state = online()
        const [restarted, request] = state.followed('notes/')
        assert.deepEqual([restarted.event, request.message], [{ type: 'restarted' }, { type: 'follow', prefix: 'notes/' }])
        const entry = { type: 'document', doc: 'notes/a', epoch: 'e', rev: 1, length: 0, updated: 0 }
        assert.deepEqual(delivered(state.received(entry, 1, 0)), [entry])
        assert.deepEqual(delivered(state.received({ type: 'done', id: request.id }, 1, 0)), [{ type: 'complete' }])
        state.disconnected('cut', 1, 0)
        assert.deepEqual(delivered(comeBack(state)), [{ type: 'restarted' }])
        state.unfollowed()
        assert.deepEqual(delivered(state.received(entry, 1, 0)), [])
    },

    async 'a document is opened again from its revision, and sends its push again'(wasm) {
        const { state, key, id } = await withDocument(wasm)
        state.received({ ...opened, id }, 1, 0)
        const [push] = sent(state.change(key, (document) => document.typed([{ range: [4, 4], text: '!' }], 1)))
        assert.deepEqual(push, {
            type: 'push', doc: 'a', epoch: 'e', base: 1, seq: 1, edits: [{ range: [4, 4], text: '!' }],
        })
        state.disconnected('cut', 2, 0)
        const reopen = comeBack(state).find((action) => action.message?.type === 'open')
        assert.deepEqual([reopen.message.epoch, reopen.message.rev], ['e', 1])
        assert.notEqual(reopen.id, id)
        // The answer to the first open comes late, and is ignored.
        assert.deepEqual(sent(state.received({ ...opened, id }, 3, 0)), [])
        const { text, ...resumed } = opened
        assert.deepEqual(sent(state.received({ ...resumed, id: reopen.id }, 3, 0)), [push])
    },

    async 'a message with an invalid edit ends the connection, and changes nothing'(wasm) {
        const { state, id } = await withDocument(wasm)
        state.received({ ...opened, id }, 1, 0)
        for (const edits of [[{ range: [9, 5], text: '' }], [{ range: [0, 0], text: '\r' }], 'none', [{ range: 5 }]]) {
            state.received({ type: 'change', doc: 'a', rev: 2, edits }, 2, 0)
            assert.equal(state.link.state, 'waiting')
            assert.equal([...state.documents.values()][0].text, 'Milk')
            comeBack(state)
        }
    },

    async 'a push that is too long for the server is refused'(wasm) {
        const { state, key, id } = await withDocument(wasm)
        state.received({ ...opened, id }, 1, 0)
        const [push] = sent(state.change(key, (document) => document.typed([{ range: [0, 0], text: 'long' }], 1)))
        const [{ update }] = state.lineTooLong(push, undefined, 10, 2)
        assert.deepEqual(update, { type: 'saving', saving: { state: 'refused', code: 'line_too_long' } })
    },

    async 'a delayed push is sent again after its delay'(wasm) {
        const { state, key, id } = await withDocument(wasm)
        state.received({ ...opened, id }, 1, 0)
        const [push] = sent(state.change(key, (document) => document.typed([{ range: [0, 0], text: 'x' }], 1)))
        const error = { type: 'error', doc: 'a', seq: 1, code: 'rate_limited', message: 'too fast', retry_after_ms: 300 }
        const actions = state.received(error, 100, 0)
        assert.deepEqual(actions.filter((action) => action.do === 'wake'), [{ do: 'wake', at: 400 }])
        assert.deepEqual(sent(state.timePassed(399, 0)), [])
        assert.deepEqual(sent(state.timePassed(400, 0)), [push])
    },

    async 'new rights and the end of a document are reported'(wasm) {
        const { state, id } = await withDocument(wasm)
        const updates = (message) => state.received({ doc: 'a', ...message }, 1, 0)
            .filter((action) => action.do === 'update').map((action) => action.update)
        updates({ ...opened, id })
        assert.deepEqual(updates({ type: 'rights', rights: 'read' }), [{ type: 'rights', rights: 'read' }])
        const [gone] = updates({ type: 'gone', reason: 'deleted' }).filter((update) => update.type === 'gone')
        assert.deepEqual(gone, { type: 'gone', reason: 'deleted' })
        comeBack(state)
        assert.deepEqual(updates({ type: 'gone', reason: 'renamed', to: 'b', followed: true }), [])
    },

    async 'messages wait for a field, but an ack does not if no other message waits'(wasm) {
        const { state, key, document, receive } = await withHeldDocument(wasm)
        state.change(key, (document) => document.typed([{ range: [4, 4], text: '!' }], 2))
        state.change(key, (document) => document.typed([{ range: [5, 5], text: '?' }], 2))
        const acked = receive({ type: 'ack', seq: 1, rev: 2 })
        assert.deepEqual(sent(acked).map(({ type, base, edits }) => [type, base, edits]),
            [['push', 2, [{ range: [5, 5], text: '?' }]]])
        receive({ type: 'change', rev: 3, edits: [{ range: [0, 0], text: 'Oat ' }] })
        receive({ type: 'ack', seq: 2, rev: 4, edits: [{ range: [9, 9], text: '?' }] })
        assert.deepEqual([document.text, document.state.position.rev], ['Milk!?', 2])
        state.handledMessages(key, 3, 0)
        assert.deepEqual([document.text, document.state.position.rev, document.heldSize], ['Oat Milk!?', 4, 0])
    },

    async 'messages that wait are reported with their size'(wasm) {
        const { receive } = await withHeldDocument(wasm)
        const edit = { type: 'change', edits: [{ range: [0, 0], text: 'x'.repeat(50) }] }
        const sizes = [{ ...edit, rev: 2 }, { ...edit, rev: 3 }].map((message) => updates(receive(message)))
        assert.deepEqual(sizes, [[{ type: 'held', size: 150 }], [{ type: 'held', size: 300 }]])
    },

    async 'pings, requests and other documents do not wait for a field'(wasm) {
        const { state, receive } = await withHeldDocument(wasm)
        receive({ type: 'change', rev: 2, edits: [{ range: [0, 0], text: 'x' }] })
        const [id] = state.requested({ type: 'list' })
        assert.deepEqual(sent(state.received({ type: 'ping' }, 2, 0)), [{ type: 'pong' }])
        assert.equal(state.received({ type: 'listed', id, docs: [] }, 2, 0)[0].do, 'answer')
        const [key, actions] = state.opened(new Replica((await load(wasm)).module), 'b', {}, 2)
        const open = actions.find((action) => action.message?.type === 'open')
        state.received({ ...opened, doc: 'b', id: open.id, text: 'Tea' }, 2, 0)
        assert.equal(state.documents.get(key).text, 'Tea')
    },

    async 'when the connection ends, messages that wait are dropped, and the server repeats them'(wasm) {
        for (const end of [{ type: 'bye', reason: 'shutting_down' }, null]) {
            const { state, key, document, receive } = await withHeldDocument(wasm)
            receive({ type: 'change', rev: 2, edits: [{ range: [0, 0], text: 'x' }] })
            if (end) state.received(end, 2, 0)
            else state.disconnected('lost', 2, 0)
            assert.equal(document.heldSize, 0)
            state.handledMessages(key, 3, 0)
            assert.equal(document.text, 'Milk')
            if (end) state.disconnected('lost', 4, 0)
            const [open] = sent(comeBack(state)).filter(({ type }) => type === 'open')
            assert.equal(open.rev, 1)
        }
    },

    async 'an invalid message that has waited ends the connection, and those before it count'(wasm) {
        const { state, key, document, receive } = await withHeldDocument(wasm)
        receive({ type: 'change', rev: 2, edits: [{ range: [0, 0], text: 'x' }] })
        receive({ type: 'change', rev: 3, edits: [{ range: [0, 0], text: '\ud800' }] })
        const actions = state.handledMessages(key, 3, 0)
        assert.deepEqual(updates(actions)[0], { type: 'change', edits: [{ range: [0, 0], text: 'x' }], own: false })
        assert.ok(actions.some((action) => action.do === 'disconnect'))
        assert.equal(document.text, 'xMilk')
    },

    async 'after a rename, messages that have waited belong to the earlier open'(wasm) {
        const { state, key, document, receive } = await withHeldDocument(wasm)
        receive({ type: 'gone', reason: 'renamed', to: 'b' })
        receive({ type: 'change', rev: 2, edits: [{ range: [0, 0], text: 'x' }] })
        const actions = state.handledMessages(key, 3, 0)
        assert.equal(sent(actions)[0].doc, 'b')
        assert.deepEqual([document.name, document.text, document.heldSize], ['b', 'Milk', 0])
    },

    async 'people are known by what they said about themselves'(wasm) {
        const { state, id } = await withDocument(wasm)
        const bob = { session: 's1', user: 'bob', client: 'p1', info: { name: 'Bob', color: '#c33' }, selections: [] }
        const eve = { session: 's2', user: 'eve', client: 'p2', info: { name: 'Eve', verified: true }, selections: [] }
        state.received({ ...opened, id, peers: [bob, eve] }, 1, 0)
        state.received({ type: 'peer', doc: 'a', session: 's1', rev: 1, selections: [[1, 2]] }, 1, 0)
        const [document] = state.documents.values()
        assert.deepEqual(document.peers, [
            { session: 's1', selections: [[1, 2]], user: 'bob', client: 'p1', name: 'Bob', color: '#c33', verified: false },
            { session: 's2', selections: [], user: 'eve', client: 'p2', name: 'Eve', color: undefined, verified: true },
        ])
        for (const session of ['s1', 's2']) state.received({ type: 'peer', doc: 'a', session, left: true }, 1, 0)
        assert.deepEqual(document.peers, [])
    },
}

/** A client that was welcomed at the moment 0. */
function online(settings = {}) {
    const state = new ClientState({ client: 'secret-id', ...settings })
    state.started(0)
    state.connected(0)
    state.received(welcome, 0, 0)
    return state
}

/** Connects again, and returns the actions of the welcome. */
function comeBack(state) {
    if (state.link.state === 'waiting') state.timePassed(state.link.until, 0)
    state.connected(100_000)
    return state.received(welcome, 100_000, 0)
}

/** A client with a document, whose open request has this id. */
async function withDocument(wasm) {
    const { module } = await load(wasm)
    const state = online()
    const [key, actions] = state.opened(new Replica(module), 'a', {}, 0)
    return { state, key, id: actions.find((action) => action.message?.type === 'open').id }
}

/** An open document whose messages wait. `receive` passes a message about it. */
async function withHeldDocument(wasm) {
    const { state, key, id } = await withDocument(wasm)
    state.received({ ...opened, id }, 1, 0)
    const document = state.documents.get(key)
    document.hold()
    return { state, key, document, receive: (message) => state.received({ doc: 'a', ...message }, 2, 0) }
}

function updates(actions) { return actions.filter((action) => action.do === 'update').map((action) => action.update) }

function sent(actions) { return actions.filter((action) => action.do === 'send').map((action) => action.message) }

function delivered(actions) { return actions.filter((action) => action.do === 'deliver').map((action) => action.event) }

function isNotWake(action) { return action.do !== 'wake' }
