// Random runs of clients with tokens that end. Calls of the token function fail, connections are lost, and the server
// refuses tokens for a while, while edits are in flight. No edit may be lost or doubled. Time passes only in the runs.
//
// CARET_TOKEN_RUNS says how many runs there are; 1,000 if it is not set.
import assert from 'node:assert/strict'
import { Replica } from '../../Clients/javascript/replica.js'
import { askPause, longestCall } from '../../Clients/javascript/token-client.js'
import { ModelServer } from './model-server.mjs'
import { load, makeRandom, makeScalars, randomOffset } from './support.mjs'
import { TokenClientState } from './token-client.mjs'

const runs = Number(process.env.CARET_TOKEN_RUNS ?? 1_000)

export const cases = {
    async 'while tokens end and refreshes fail, no edit is lost or doubled'(wasm) {
        const { module, core } = await load(wasm)
        const counts = { refreshed: 0, ended: 0, failed: 0, late: 0, typed: 0 }
        for (let seed = 0; seed < runs; seed++) {
            const run = new Run(module, core, makeRandom(seed), counts)
            try {
                for (let step = 0; step < 400; step++) run.step()
                run.finish()
            } catch (error) {
                error.message = `seed ${seed}: ${error.message}`
                throw error
            }
        }
        for (const [what, count] of Object.entries(counts)) assert.ok(count > runs / 2, `${what}: ${count}`)
    },
}

/** Two clients of one user, and a server. */
class Run {
    now = 0
    /** Nothing fails any more. */
    isCalm = false
    #tokens = 0
    #random
    #clients
    #scalar = makeScalars()
    #typed = []

    constructor(module, core, random, counts) {
        this.#random = random
        this.counts = counts
        this.document = new ModelServer(core)
        this.#clients = ['one', 'two'].map((name) => new Client(this, new Replica(module), name, random))
    }

    chance(percent) { return !this.isCalm && this.#random.chance(percent) }

    /** The backend of the app makes a token. The name of the token says when it ends. */
    makeToken() { return `t${++this.#tokens}:${this.now + 20_000 + this.#random.below(60_000)}` }

    step() {
        const client = this.#random.pick(this.#clients)
        switch (this.#random.below(10)) {
        case 0: return this.#type(client)
        case 1: return this.chance(10) && client.cut()
        case 2: case 3: return client.answer()
        case 4: return this.#pass(this.#random.below(8_000))
        default: for (let count = this.#random.below(6); count > 0; count--) client.deliver()
        }
    }

    #type(client) {
        const text = this.#scalar()
        const offset = randomOffset(client.document.text, this.#random)
        this.#typed.push(text)
        this.counts.typed++
        client.change((document) => document.typed([{ range: [offset, offset], text }], this.now))
    }

    #pass(milliseconds) {
        const end = this.now + milliseconds
        for (;;) {
            const [next] = this.#clients.filter(({ alarm }) => alarm <= end).sort((left, right) => left.alarm - right.alarm)
            if (!next) break
            this.now = Math.max(this.now, next.alarm)
            next.ring()
        }
        this.now = end
        for (const client of this.#clients) client.endToken()
    }

    /** Everybody is online again, and all edits are saved. */
    finish() {
        this.isCalm = true
        const isQuiet = () => this.#clients.every((client) => client.isQuiet)
        for (let round = 0; round < 200 && !isQuiet(); round++) {
            for (const client of this.#clients) {
                client.answer()
                while (client.deliver());
            }
            if (!isQuiet()) this.#pass(1_000)
        }
        assert.ok(isQuiet(), 'the clients become quiet')
        const { text } = this.document
        for (const { document } of this.#clients) assert.equal(document.text, text)
        assert.deepEqual([...text].sort(), [...this.#typed].sort())
        for (const { document } of this.#clients) document.replica.free()
    }
}

/** A client, its connection, and the call of its token function. */
class Client {
    alarm = Infinity
    #run
    #random
    #name
    #key
    /** The messages in both directions; null without a connection. */
    #line = null
    /** The calls without an answer: { call, since, hangs }. One that hangs has no answer before the next call. */
    #calls = []
    #lastCall = 0
    #token = null
    #arrivedAt = -Infinity

    constructor(run, replica, name, random) {
        this.#run = run
        this.#random = random
        this.#name = name
        this.state = new TokenClientState({ client: name })
        this.#perform(this.state.started(0))
        const [key, actions] = this.state.opened(replica, 'a', {}, 0)
        this.#key = key
        this.#perform(actions)
    }

    get document() { return this.state.documents.get(this.#key) }
    get isQuiet() {
        return this.document.saving.state === 'saved' && !this.document.state.hasUnsaved && this.#line?.toClient.length === 0
            && this.#line.session?.out.length === 0
    }

    change(body) { this.#perform(this.state.change(this.#key, body)) }

    ring() {
        this.alarm = Infinity
        this.#perform(this.state.timePassed(this.#run.now, this.#jitter))
    }

    get #jitter() { return this.#random.below(100) / 100 }

    cut() {
        if (!this.#line) return
        this.#close()
        this.#perform(this.state.disconnected('cut', this.#run.now, this.#jitter))
    }

    /** The token function answers, if it was called: with another token, with the same one, or not at all. */
    answer() {
        if (this.#calls.length === 0) return
        const { now } = this.#run
        if (this.#calls[0].hangs && this.#calls.length === 1) return
        const { call } = this.#calls.shift()
        // The client has called again, because this call took too long. Its answer must count for nothing, whatever it is.
        if (call !== this.#lastCall) {
            this.#run.counts.late++
            return this.#perform(this.state.tokenArrived(null, now, this.#jitter, call))
        }
        if (this.#run.chance(40)) {
            this.#run.counts.failed++
            return this.#perform(this.state.tokenFailed('no network', now, this.#jitter, call))
        }
        if (this.#token === null || !this.#run.chance(20)) this.#token = this.#run.makeToken()
        this.#arrivedAt = now
        this.#perform(this.state.tokenArrived(this.#token, now, this.#jitter, call))
    }

    /** Delivers the next message in one direction. Returns false if there is none. */
    deliver() {
        if (!this.#line?.isOver) this.#collect()
        const line = this.#line
        const waiting = ['toServer', 'toClient'].filter((direction) => line?.[direction].length > 0)
        if (waiting.length === 0) return false
        const direction = this.#random.pick(waiting)
        const message = line[direction].shift()
        if (direction === 'toServer') this.#serve(message)
        else if (message === null) this.cut()
        else this.#perform(this.state.received(message, this.#run.now, this.#jitter))
        return true
    }

    /** The server ends a connection, because its token has ended. */
    endToken() {
        if (!this.#line?.token || !hasEnded(this.#line.token, this.#run.now)) return
        this.#run.counts.ended++
        this.#line.token = null
        this.#refuse({ type: 'bye', reason: 'token_ended' })
    }

    #refuse(message) {
        this.#line.isOver = true
        this.#line.toClient.push(message, null)
    }

    #perform(actions) {
        const { now } = this.#run
        for (const action of actions) {
            switch (action.do) {
            case 'ask':
                assert.ok(now >= this.#arrivedAt + askPause, 'the function is called at most every 10 s')
                assert.ok(this.#calls.every(({ since }) => now >= since + longestCall), 'one call at a time')
                this.#lastCall = action.call
                this.#calls.push({ call: action.call, since: now, hangs: this.#run.chance(20) })
                break
            case 'connect':
                this.#line = { toServer: [], toClient: [], token: null, session: null, isOver: false }
                if (this.#run.chance(20)) this.#line.toClient.push(null)
                else this.#perform(this.state.connected(now))
                break
            case 'disconnect': this.#close(); break
            case 'send': this.#line?.toServer.push({ ...action.message, id: action.id }); break
            case 'wake': this.alarm = Math.min(this.alarm, action.at); break
            case 'end': assert.fail(`the client has ended: ${action.reason}`)
            }
        }
    }

    #close() {
        if (this.#line?.session) this.#run.document.disconnect(this.#line.session)
        this.#line = null
    }

    #serve(message) {
        const line = this.#line
        if (line.isOver) return
        const { document, now } = this.#run
        switch (message.type) {
        case 'hello':
            assert.equal(typeof message.token, 'string')
            return this.#admit(message, { type: 'welcome', unit: 'utf-16', ping: 20, limits: {} })
        case 'authenticate':
            if (this.#run.chance(20)) {
                const code = this.#random.pick(['rate_limited', 'storage_failed'])
                return void line.toClient.push({ type: 'error', id: message.id, code, message: 'later', retry_after_ms: 500 })
            }
            if (!hasEnded(message.token, now)) this.#run.counts.refreshed++
            return this.#admit(message, { type: 'authenticated', id: message.id })
        case 'ping': return void line.toClient.push({ type: 'pong' })
        case 'open':
            line.session ??= document.connect(this.#name)
            return document.handle(line.session, { do: 'open', id: message.id, position: message.epoch && message })
        case 'push': return document.handle(line.session, { ...message, do: 'push' })
        }
    }

    #collect() {
        for (const message of this.#line?.session?.out.splice(0) ?? []) this.#line.toClient.push({ doc: 'a', ...message })
    }

    #admit({ id, token }, answer) {
        const { now } = this.#run
        if (hasEnded(token, now)) return this.#refuse({ type: 'error', id, code: 'token_ended', message: 'the token has ended' })
        this.#line.token = token
        this.#line.toClient.push({ user: 'ann', expires_in_ms: endOf(token) - now, ...answer })
    }
}

function endOf(token) { return Number(token.split(':')[1]) }
function hasEnded(token, now) { return endOf(token) <= now }
