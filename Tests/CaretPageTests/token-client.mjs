// Conversations with the state of a client that gets its tokens from a function. It has no socket and no clock.
import assert from 'node:assert/strict'
import { ClientState } from '../../Clients/javascript/client.js'
import { CaretError } from '../../Clients/javascript/errors.js'
import { Replica } from '../../Clients/javascript/replica.js'
import { ServerRotation } from '../../Clients/javascript/server-rotation.js'
import { asking, askPause, longestCall, withTokens } from '../../Clients/javascript/token-client.js'
import { load } from './support.mjs'

export const TokenClientState = withTokens(ClientState, ServerRotation, CaretError)

/** The life of a token, in milliseconds. */
const life = 100_000
const welcome = {
    type: 'welcome', protocol: 1, unit: 'utf-16', server: 'caret', user: 'ann', features: [], limits: {}, ping: 1_000,
    expires: 1_751_968_800_000, expires_in_ms: life,
}

export const cases = {
    // Before a connection.

    'the function is called before the first attempt, and its token is in `hello`'() {
        const state = new TokenClientState({ client: 'secret-id' })
        assert.deepEqual(orders(state.started(0)), ['link', 'ask'])
        assert.equal(state.link.state, 'asking')
        assert.deepEqual(orders(state.tokenArrived('t1', 500, 0)), ['link', 'connect'])
        assert.equal(sent(state.connected(600))[0].token, 't1')
    },

    'a slow function does not use up the time of an attempt'() {
        const state = new TokenClientState({ client: 'secret-id' })
        state.started(0)
        assert.deepEqual(orders(state.timePassed(longestCall - 1, 0)), [])
        state.tokenArrived('t1', longestCall - 1, 0)
        assert.deepEqual(orders(state.timePassed(longestCall + 5_000, 0)), [])
        assert.equal(state.link.state, 'connecting')
    },

    'a function that fails means offline: the delays grow, and the reason is a sentence'() {
        const state = new TokenClientState({ client: 'secret-id' })
        state.started(0)
        let now = 0
        const delays = [0, 0.5, 0, 0, 0, 0, 0, 0].map((jitter) => {
            state.tokenFailed('the token function has failed: no network', now, jitter)
            assert.deepEqual([state.link.state, state.link.reason], ['waiting', 'the token function has failed: no network'])
            const delay = state.link.until - now
            now = state.link.until
            assert.deepEqual(orders(state.timePassed(now, 0)), ['link', 'ask'])
            return delay
        })
        assert.deepEqual(delays, [250, 750, 1000, 2000, 4000, 8000, 15_000, 15_000])
        assert.deepEqual(orders(state.tokenArrived('t1', now, 0)), ['link', 'connect'])
    },

    'after a token, the delays of a function that fails begin again'() {
        const state = new TokenClientState({ client: 'secret-id' })
        state.started(0)
        for (let count = 0; count < 3; count++) {
            state.tokenFailed('no network', 0, 0)
            state.hurried(0)
        }
        state.tokenArrived('t1', 0, 0)
        state.connected(0)
        state.received({ type: 'error', code: 'token_ended', message: 'the token has ended' }, 0, 0)
        state.timePassed(askPause, 0)
        state.timePassed(askPause, 0)
        state.tokenFailed('no network', askPause, 0)
        assert.equal(state.link.until, askPause + 250)
    },

    'a failure of the function is not one of a server'() {
        const servers = ['http://a.test', 'http://b.test'].map((one) => new URL(one))
        const state = new TokenClientState({ client: 'secret-id', servers })
        state.started(0)
        state.tokenFailed('no network', 0, 0)
        assert.deepEqual([state.link.reason, state.server.host], ['no network', 'a.test'])
    },

    '`reconnect` calls a function that has failed at once'() {
        const state = new TokenClientState({ client: 'secret-id' })
        state.started(0)
        state.tokenFailed('no network', 0, 0)
        assert.deepEqual(orders(state.hurried(1)), ['link', 'ask'])
    },

    'a late answer counts for nothing after the function was called again, not even null or a failure'() {
        for (const [event, answer] of [['tokenArrived', 'old'], ['tokenArrived', null], ['tokenFailed', 'no network']]) {
            const state = new TokenClientState({ client: 'secret-id' })
            const [first] = calls(state.started(0))
            const { until } = (state.timePassed(longestCall, 0), state.link)
            const [second] = calls(state.timePassed(until, 0))
            assert.deepEqual(orders(state[event](answer, until + 1, 0, first)), [])
            assert.equal(state.link.state, 'asking')
            assert.deepEqual(orders(state.tokenArrived('t1', until + 2, 0, second)), ['link', 'connect'])
            assert.equal(sent(state.connected(until + 3))[0].token, 't1')
        }
    },

    'while online, a late answer counts for nothing after the function was called again'() {
        const state = online()
        const [first] = calls(state.timePassed(0.7 * life, 0))
        state.timePassed(0.7 * life + longestCall, 0)
        const now = 0.7 * life + longestCall + askPause
        const [second] = calls(state.timePassed(now, 0))
        for (const answer of ['old', null]) assert.deepEqual(orders(state.tokenArrived(answer, now, 0, first)), [])
        assert.deepEqual(state.link, { state: 'online' })
        assert.deepEqual(sent(state.tokenArrived('t2', now, 0, second)), [{ type: 'authenticate', token: 't2' }])
    },

    'a call that takes too long counts as failed, and its late answer is used until the next call'() {
        const state = new TokenClientState({ client: 'secret-id' })
        state.started(0)
        state.timePassed(longestCall, 0)
        assert.deepEqual([state.link.state, state.link.reason], ['waiting', 'the token function has not answered for 30 s'])
        assert.deepEqual(orders(state.tokenArrived('t1', longestCall + 1, 0)), [])
        assert.deepEqual(orders(state.timePassed(state.link.until, 0)), ['link', 'connect'])
        assert.equal(sent(state.connected(longestCall + 500))[0].token, 't1')
    },

    'a token that has not ended is used again for the next connection'() {
        const state = online()
        state.disconnected('cut', 10, 0)
        assert.deepEqual(orders(state.timePassed(state.link.until, 0)), ['link', 'connect'])
        assert.equal(sent(state.connected(1_000))[0].token, 't1')
    },

    'a token that has ended meanwhile is replaced before the next connection'() {
        const state = online()
        state.disconnected('cut', life, 0)
        assert.deepEqual(orders(state.timePassed(life + 500, 0)), ['link', 'ask'])
        state.tokenArrived('t2', life + 600, 0)
        assert.equal(sent(state.connected(life + 700))[0].token, 't2')
    },

    // A refresh.

    'a token is replaced after 70 to 85 % of its life, on the open connection'() {
        for (const [jitter, share] of [[0, 0.7], [1, 0.85]]) {
            const state = online({ jitter })
            assert.deepEqual(orders(state.timePassed(share * life - 1, 0)), [])
            assert.deepEqual(orders(state.timePassed(share * life, 0)), ['ask'])
            const actions = state.tokenArrived('t2', share * life + 5, 0)
            assert.deepEqual(sent(actions), [{ type: 'authenticate', token: 't2' }])
            assert.deepEqual(orders(authenticated(state, actions, share * life + 10)), [])
            assert.deepEqual(state.link, { state: 'online' })
        }
    },

    'the time to the next refresh begins with `authenticated`'() {
        const state = online()
        const [now] = refresh(state, 't2')
        assert.deepEqual(orders(state.timePassed(now + 0.7 * life - 1, 0)), [])
        assert.deepEqual(orders(state.timePassed(now + 0.7 * life, 0)), ['ask'])
        state.disconnected('cut', now + 0.7 * life, 0)
        comeBack(state, now + 0.7 * life + 1_000, 't2')
    },

    'a token without an end is never replaced'() {
        const state = online({ welcome: { ...welcome, expires: undefined, expires_in_ms: undefined } })
        assert.deepEqual(orders(state.timePassed(900_000, 0)), [])
    },

    'the same token again is not sent, and the function is called again later'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        assert.deepEqual(sent(state.tokenArrived('t1', 0.7 * life, 0)), [])
        // 70 % of the rest.
        assert.deepEqual(orders(state.timePassed(0.91 * life - 1, 0)), [])
        assert.deepEqual(orders(state.timePassed(0.91 * life, 0)), ['ask'])
        state.tokenArrived('t1', 0.91 * life, 0)
        assert.deepEqual(orders(state.timePassed(0.91 * life + askPause - 1, 0)), [])
        assert.deepEqual(orders(state.timePassed(0.91 * life + askPause, 0)), ['ask'])
    },

    'the function is called at most every 10 s after a token'() {
        const state = online({ welcome: { ...welcome, expires_in_ms: 100 } })
        assert.deepEqual(orders(state.timePassed(askPause - 1, 0)), [])
        assert.deepEqual(orders(state.timePassed(askPause, 0)), ['ask'])
        assert.equal(askPause, 10_000)
    },

    'while online, a function that fails is called again every 10 s, and nobody notices'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        for (let now = 0.7 * life; now < life; now += askPause) {
            assert.deepEqual(orders(state.tokenFailed('no network', now, 0)), [])
            assert.deepEqual(orders(state.timePassed(now + askPause - 1, 0)), [])
            assert.deepEqual(orders(state.timePassed(now + askPause, 0)), ['ask'])
        }
        assert.deepEqual(state.link, { state: 'online' })
    },

    'while online, a call that takes too long is repeated'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        assert.deepEqual(orders(state.timePassed(0.7 * life + longestCall, 0)), [])
        assert.deepEqual(orders(state.timePassed(0.7 * life + longestCall + askPause, 0)), ['ask'])
    },

    'a token that arrives after the connection is lost is used for the next attempt'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        state.disconnected('cut', 0.7 * life + 1, 0)
        assert.deepEqual(orders(state.tokenArrived('t2', 0.7 * life + 2, 0)), [])
        comeBack(state, state.link.until, 't2')
    },

    'a token that arrives after the connection is lost does not end with the former one'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        state.disconnected('cut', life - 2, 0)
        state.tokenArrived('t2', life - 1, 0)
        comeBack(state, state.link.until, 't2')
    },

    'a call that fails after the connection is lost does not stop the next attempt'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        state.disconnected('cut', 0.7 * life + 1, 0)
        assert.deepEqual(orders(state.tokenFailed('no network', 0.7 * life + 2, 0)), [])
        comeBack(state, state.link.until, 't1')
    },

    'a token that arrives after `hello` was sent is authenticated after the welcome'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        state.disconnected('cut', 0.7 * life + 1, 0)
        state.timePassed(state.link.until, 0)
        assert.equal(sent(state.connected(0.8 * life))[0].token, 't1')
        state.tokenArrived('t2', 0.8 * life, 0)
        state.received(welcome, 0.8 * life, 0)
        assert.deepEqual(sent(state.timePassed(0.8 * life, 0)), [{ type: 'authenticate', token: 't2' }])
    },

    'a connection that is lost before `authenticated` says hello with the new token'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        const actions = state.tokenArrived('t2', 0.7 * life, 0)
        state.disconnected('cut', 0.7 * life + 1, 0)
        comeBack(state, state.link.until, 't2')
        // The answer of the former connection comes late.
        assert.deepEqual(orders(authenticated(state, actions, 0.8 * life, { user: 'bob' })), [])
        assert.deepEqual(state.link, { state: 'online' })
    },

    // A token that has ended.

    'a token that has ended, in answer to `hello`: the function is called once more'() {
        const state = online()
        state.disconnected('cut', 50_000, 0)
        state.timePassed(state.link.until, 0)
        state.connected(51_000)
        state.received({ type: 'error', code: 'token_ended', message: 'the token has ended' }, 51_000, 0)
        assert.equal(state.link.state, 'waiting')
        assert.deepEqual(orders(state.timePassed(state.link.until, 0)), ['link', 'ask'])
        state.tokenArrived('t2', 52_000, 0)
        assert.equal(sent(state.connected(52_000))[0].token, 't2')
    },

    'a token that has ended, as bye: the function is called once more'() {
        const state = online()
        state.received({ type: 'bye', reason: 'token_ended' }, 50_000, 0)
        state.disconnected('closed', 50_000, 0)
        assert.deepEqual(orders(state.timePassed(state.link.until, 0)), ['link', 'ask'])
        // The same token again is no error.
        state.tokenArrived('t1', 51_000, 0)
        assert.equal(sent(state.connected(51_000))[0].token, 't1')
    },

    'a token that has ended, in answer to `authenticate`: the function is called once more, after 10 s'() {
        const state = online()
        const [now] = refresh(state, 't2', { type: 'error', code: 'token_ended', message: 'the token has ended' })
        state.disconnected('closed', now, 0)
        state.timePassed(state.link.until, 0)
        assert.deepEqual([state.link.state, state.link.until], ['waiting', now + askPause])
        assert.deepEqual(orders(state.timePassed(now + askPause, 0)), ['link', 'ask'])
    },

    'a token that has ended as bye does not count for the one that came meanwhile'() {
        const state = online()
        state.timePassed(0.7 * life, 0)
        state.tokenArrived('t2', 0.7 * life, 0)
        state.received({ type: 'bye', reason: 'token_ended' }, 0.7 * life, 0)
        state.disconnected('closed', 0.7 * life, 0)
        comeBack(state, state.link.until, 't2')
    },

    'a function that always returns ended tokens is called every 10 s'() {
        const state = new TokenClientState({ client: 'secret-id' })
        state.started(0)
        let [asked, now] = [0, 0]
        while (now < 120_000) {
            state.tokenArrived('t1', now, 0)
            state.connected(now)
            state.received({ type: 'error', code: 'token_ended', message: 'the token has ended' }, now, 0)
            while (state.link.state === 'waiting') {
                now = state.link.until
                state.timePassed(now, 0)
            }
            asked++
        }
        assert.ok(asked >= 8 && asked <= 12, `${asked} calls`)
    },

    // The end of the client.

    'null means signed out, before a connection and while online'() {
        const before = new TokenClientState({ client: 'secret-id' })
        before.started(0)
        const during = online()
        during.timePassed(0.7 * life, 0)
        for (const state of [before, during]) {
            const end = state.tokenArrived(null, 0.7 * life, 0).at(-1)
            assert.deepEqual([end.do, end.reason, end.error.code], ['end', 'signed_out', 'signed_out'])
            assert.deepEqual(state.link, { state: 'ended', reason: 'signed_out' })
        }
    },

    'an answer that comes after the client has ended changes nothing'() {
        for (const answer of [['tokenArrived', 't2'], ['tokenArrived', null], ['tokenFailed', 'no network']]) {
            const state = online()
            const [call] = calls(state.timePassed(0.7 * life, 0))
            assert.equal(state.isNewest(call), true)
            state.closed(0.7 * life)
            // The answer does not become the token of unsaved edits either.
            assert.equal(state.isNewest(call), false)
            assert.deepEqual(state[answer[0]](answer[1], 0.7 * life, 0), [])
            assert.deepEqual(state.link, { state: 'ended', reason: 'closed' })
            assert.deepEqual(state.timePassed(10 * life, 0), [])
        }
    },

    'a token of another user ends the client: refused, in `authenticated` and in `welcome`'() {
        const refused = online()
        refresh(refused, 't2', { type: 'error', code: 'forbidden', message: 'another user' })
        const answered = online()
        refresh(answered, 't2', { user: 'bob' })
        const again = online()
        again.disconnected('cut', 1, 0)
        comeBack(again, again.link.until, 't1', { ...welcome, user: 'bob' })
        for (const state of [refused, answered, again]) assert.deepEqual(state.link, { state: 'ended', reason: 'other_user' })
    },

    'if the program names the user, the welcome of another one ends the client'() {
        for (const State of [ClientState, TokenClientState]) {
            const state = new State({ client: 'secret-id', user: 'ann' })
            state.started(0)
            state.tokenArrived?.('t1', 0, 0)
            state.connected(0)
            state.received({ ...welcome, user: 'bob' }, 0, 0)
            assert.deepEqual(state.link, { state: 'ended', reason: 'other_user' })
        }
    },

    'a token that the server does not know ends the client, and no other one is tried'() {
        const state = online()
        const [, actions] = refresh(state, 't2', { type: 'error', code: 'unauthorized', message: 'the token is unknown' })
        const end = actions.at(-1)
        assert.deepEqual([end.reason, end.error.code], ['unauthorized', 'unauthorized'])
        const first = new TokenClientState({ client: 'secret-id' })
        first.started(0)
        first.tokenArrived('t1', 0, 0)
        first.connected(0)
        first.received({ type: 'error', code: 'unauthorized', message: 'the token is unknown' }, 0, 0)
        assert.deepEqual(first.link, { state: 'ended', reason: 'unauthorized' })
        const revoked = online()
        revoked.received({ type: 'bye', reason: 'revoked' }, 1, 0)
        assert.deepEqual(revoked.link, { state: 'ended', reason: 'revoked' })
    },

    'a token that was accepted before and is refused now is replaced once, because its key may be gone'() {
        const state = online()
        state.disconnected('lost', 1, 0)
        state.timePassed(20_000, 0)
        state.connected(20_000)
        const refusal = { type: 'error', code: 'unauthorized', message: 'no key with this kid' }
        state.received(refusal, 20_000, 0)
        state.timePassed(60_000, 0)
        assert.equal(state.link.state, 'asking')
        state.tokenArrived('t2', 60_000, 0)
        state.connected(60_000)
        state.received(refusal, 60_000, 0)
        assert.deepEqual(state.link, { state: 'ended', reason: 'unauthorized' })
    },

    'a guest, who has no token, connects again'() {
        const state = new ClientState({ client: 'secret-id' })
        state.started(0)
        state.connected(0)
        state.received({ type: 'welcome', user: 'anonymous', unit: 'utf-16', ping: 20, limits: {} }, 0, 0)
        state.received({ type: 'bye', reason: 'token_ended' }, 1, 0)
        state.disconnected('ended', 1, 0)
        assert.equal(state.link.state, 'waiting')
    },

    'without a function, a token that has ended is final: in answer to `hello`, and as bye'() {
        const first = new ClientState({ client: 'secret-id', token: 't1' })
        first.started(0)
        first.connected(0)
        const end = first.received({ type: 'error', code: 'token_ended', message: 'the token has ended' }, 0, 0).at(-1)
        assert.deepEqual([end.do, end.error.code], ['end', 'token_ended'])
        const later = new ClientState({ client: 'secret-id', token: 't1' })
        later.started(0)
        later.connected(0)
        later.received(welcome, 0, 0)
        later.received({ type: 'bye', reason: 'token_ended' }, 1, 0)
        for (const state of [first, later]) assert.deepEqual(state.link, { state: 'ended', reason: 'token_ended' })
    },

    'a refusal for a while changes nothing, and the same token is sent again'() {
        const refusals = [
            [{ code: 'rate_limited', retry_after_ms: 300 }, 300], [{ code: 'storage_failed' }, askPause],
            [{ code: 'internal' }, askPause],
        ]
        for (const [refusal, delay] of refusals) {
            const state = online()
            const [now, actions] = refresh(state, 't2', { type: 'error', message: 'later', ...refusal })
            assert.deepEqual([orders(actions), state.link], [[], { state: 'online' }])
            assert.deepEqual(sent(state.timePassed(now + delay - 1, 0)), [])
            const again = state.timePassed(now + delay, 0)
            assert.deepEqual(sent(again), [{ type: 'authenticate', token: 't2' }])
            authenticated(state, again, now + delay)
            assert.deepEqual(orders(state.timePassed(now + delay + 0.7 * life, 0)), ['ask'])
        }
    },

    // What a new token changes.

    'new rights are there after `authenticated`, and followers follow again'() {
        const state = online({ welcome: { ...welcome, rights: 'read' } })
        state.followed('notes/')
        const grants = [{ rights: 'write', prefix: 'notes/' }]
        const [, actions] = refresh(state, 't2', { changed: true, grants })
        assert.deepEqual(orders(actions), ['link', 'deliver', 'send'])
        assert.deepEqual([actions[1].event, actions[2].message], [{ type: 'restarted' }, { type: 'follow', prefix: 'notes/' }])
        assert.deepEqual([state.welcome.rights, state.welcome.grants], [undefined, grants])
    },

    'without new rights, followers go on'() {
        const state = online()
        state.followed('')
        assert.deepEqual(orders(refresh(state, 't2')[1]), [])
    },

    async 'a push in flight keeps its ack'(wasm) {
        const { module } = await load(wasm)
        const state = online()
        const [key, actions] = state.opened(new Replica(module), 'a', {}, 0)
        const { id } = actions.find(({ message }) => message?.type === 'open')
        state.received({ type: 'opened', id, doc: 'a', epoch: 'e', rev: 1, text: 'Milk', rights: 'write', peers: [] }, 0, 0)
        const type = (text) => state.change(key, (document) => document.typed([{ range: [0, 0], text }], 0))
        assert.equal(sent(type('x'))[0].type, 'push')
        refresh(state, 't2')
        assert.equal(sent(type('y')).length, 0)
        const [push] = sent(state.received({ type: 'ack', doc: 'a', seq: 1, rev: 2 }, 80_000, 0))
        assert.deepEqual([push.type, push.seq, push.edits], ['push', 2, [{ range: [0, 0], text: 'y' }]])
    },

    // The function itself.

    async 'the function may answer at once or later, and may throw or reject'() {
        const answers = [
            [() => 't1', 'tokenArrived', 't1'], [async () => 't1', 'tokenArrived', 't1'], [() => null, 'tokenArrived', null],
            [() => { throw new Error('no network') }, 'tokenFailed', 'the token function has failed: no network'],
            [() => Promise.reject('no network'), 'tokenFailed', 'the token function has failed: no network'],
            [() => {}, 'tokenFailed', 'the token function has failed: its answer is undefined, not a string or null'],
        ]
        for (const [get, event, argument] of answers) assert.deepEqual(await call(get), [event, argument])
    },

    async 'only an answer that counts becomes the token of unsaved edits'() {
        for (const isNewest of [true, false]) {
            const keeper = { token: 'before' }
            const event = await asking(() => 'after', keeper)(1)
            event({ isNewest: () => isNewest, tokenArrived() {} }, 0)
            assert.equal(keeper.token, isNewest ? 'after' : 'before')
        }
    },

    async 'a failure does not show a token'() {
        for (const token of ['eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2ln_-', 'caret_abc123']) {
            const [, reason] = await call(() => { throw new Error(`https://a.test/?token=${token} does not answer`) })
            assert.equal(reason, 'the token function has failed: https://a.test/?token=… does not answer')
        }
    },
}

/** A client that was welcomed at the moment 0, with the token t1. */
function online({ jitter = 0, welcome: message = welcome } = {}) {
    const state = new TokenClientState({ client: 'secret-id' })
    state.started(0)
    state.tokenArrived('t1', 0, 0)
    state.connected(0)
    state.received(message, 0, jitter)
    return state
}

/** The client gets another token when it needs one. Returns the moment, and the actions after the server's answer. */
function refresh(state, token, answer) {
    const now = 0.7 * life
    state.timePassed(now, 0)
    return [now, authenticated(state, state.tokenArrived(token, now, 0), now, answer)]
}

/** The server answers the `authenticate` among these actions. */
function authenticated(state, actions, now, answer = {}) {
    const { id } = actions.find(({ message }) => message?.type === 'authenticate')
    return state.received({ type: 'authenticated', user: 'ann', expires_in_ms: life, id, ...answer }, now, 0).filter(isNotWake)
}

/** The client connects again, and says hello with this token. */
function comeBack(state, now, token, message = welcome) {
    assert.deepEqual(orders(state.timePassed(now, 0)), ['link', 'connect'])
    assert.equal(sent(state.connected(now))[0].token, token)
    state.received(message, now, 0)
}

/** The event of the state after a call of the function, with its argument. */
async function call(get) {
    const events = []
    const note = (name) => (argument) => events.push(name, argument)
    const event = await asking(get, null)(1)
    event({ isNewest: () => true, tokenArrived: note('tokenArrived'), tokenFailed: note('tokenFailed') }, 0)
    return events
}

/** The numbers of the calls of the function. */
function calls(actions) { return actions.filter((action) => action.do === 'ask').map(({ call }) => call) }
function orders(actions) { return actions.filter(isNotWake).map((action) => action.do) }
function sent(actions) { return actions.filter((action) => action.do === 'send').map((action) => action.message) }
function isNotWake(action) { return action.do !== 'wake' }
