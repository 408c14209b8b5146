// Runs the shared conversations of Tests/Fixtures/clients with the whole JavaScript client, on a clock of their own.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { Caret } from '../../Clients/javascript/caret.js'
import { Device } from './device.mjs'

const folder = new URL('../Fixtures/clients/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.json')).sort()

export const cases = Object.fromEntries(names.map((name) => [`client conversation ${name}`, async (wasm) => {
    const file = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
    assert.equal(file.kind, 'client')
    assert.ok(file.conversations.length > 0)
    for (const { about, steps, ...settings } of file.conversations) {
        const clock = new Clock()
        try {
            await follow(new Run(wasm, clock, settings, file.welcome), steps, about)
        } finally {
            clock.restore()
        }
    }
}]))

async function follow(run, steps, about) {
    let state = run.state
    for (const [index, step] of steps.entries()) {
        const location = `${about}, step ${index}`
        const outcome = await run.happen(step)
        for (const key of ['out', 'connect', 'answers']) {
            assert.deepEqual(outcome[key], step[key] ?? [], `${location}: ${key}`)
        }
        assert.equal(outcome.error, step.error, `${location}: error`)
        state = { ...state, ...step.state }
        assert.deepEqual(run.state, state, `${location}: state`)
    }
}

/** A client in a conversation. */
class Run {
    #wasm
    #clock
    #settings
    #welcome
    #device = new Device()
    #tab = null
    #caret = null
    #events = null
    #windows = new Map()
    #outcome

    constructor(wasm, clock, settings, welcome) {
        this.#wasm = wasm
        this.#clock = clock
        this.#settings = settings
        this.#welcome = welcome
    }

    async happen(step) {
        this.#outcome = { out: [], connect: [], answers: [] }
        try {
            await this.#pass(step)
        } catch (error) {
            if (error.name !== 'CaretError') throw error
            this.#outcome.error = error.code
        }
        await this.#clock.settle()
        return this.#outcome
    }

    async #pass(step) {
        const { window } = step
        if (step.start) return this.#start()
        if (step.connected) return this.#events.opened()
        if (step.in) return this.#events.received(JSON.stringify(step.in === 'welcome' ? this.#welcome : step.in))
        if (step.cut) return this.#events.closed('the connection was cut')
        if (step.wait !== undefined) return this.#clock.pass(step.wait)
        if (step.open) return void this.#windows.set(window, this.#caret.open(step.open, step))
        if (step.type) return this.#windows.get(window).edit(step.type)
        if (step.discard) return this.#windows.get(window).discard()
        if (step.close) {
            this.#windows.get(step.close).close()
            return void this.#windows.delete(step.close)
        }
        if (step.list) return void this.#request(step.list, this.#caret.list())
        if (step.rename) return void this.#request(step.as, this.#caret.rename(step.rename, step.to))
        if (step.disk) return void (this.#device.fault = step.disk === 'full' ? new Error('the disk is full') : null)
        if (step.kill) return this.#kill()
        throw new TypeError(`${JSON.stringify(step)} has no event`)
    }

    async #start() {
        const { keeps = false, servers = ['a'] } = this.#settings
        this.#tab = keeps ? this.#device.tab() : null
        const transport = (server) => ({
            start: (events) => {
                this.#events = events
                this.#outcome.connect.push(server.hostname)
            },
            send: (line) => this.#outcome.out.push(JSON.parse(line)),
            close: () => {},
        })
        this.#caret = await Caret.connect(servers.map((name) => `http://${name}/`), {
            wasm: this.#wasm, keep: this.#tab, transport, shuffle: false, client: 'client-1',
        })
    }

    async #request(name, answer) {
        try {
            await answer
            this.#outcome.answers.push(name)
        } catch (error) {
            this.#outcome.answers.push(`${name}: ${error.code}`)
        }
    }

    #kill() {
        this.#tab?.crash()
        this.#caret = null
        this.#windows.clear()
    }

    get state() {
        const { state = 'ended', reason } = this.#caret?.link ?? {}
        const ended = this.#caret && state === 'ended' ? reason : null
        const windows = [...this.#windows].map(([name, document]) => {
            const { state, code } = document.saving
            return [name, { text: document.text, saving: state === 'refused' ? code : state }]
        })
        const keepingFault = (this.#caret?.keepingError ?? null) !== null
        return { link: state, ended, keepingFault, windows: Object.fromEntries(windows) }
    }
}

/** Replaces the clock of the process and its random numbers. Time passes only in `pass`. */
class Clock {
    #now = 0
    #timers = new Map()
    #last = 0
    #real = { setTimeout, clearTimeout, now: performance.now, random: Math.random }

    constructor() {
        globalThis.setTimeout = (ring, delay = 0) => {
            this.#timers.set(++this.#last, { at: this.#now + delay, ring })
            return this.#last
        }
        globalThis.clearTimeout = (timer) => this.#timers.delete(timer)
        performance.now = () => this.#now
        Math.random = () => 0
    }

    /** Lets the time pass, and rings the timers in order. */
    async pass(milliseconds) {
        const end = this.#now + milliseconds
        for (let next; (next = this.#next(end));) {
            const [timer, { at, ring }] = next
            this.#timers.delete(timer)
            this.#now = Math.max(this.#now, at)
            ring()
            await this.settle()
        }
        this.#now = end
    }

    #next(end) {
        const due = [...this.#timers].filter(([, { at }]) => at <= end)
        return due.sort(([left, a], [right, b]) => a.at - b.at || left - right)[0]
    }

    /** Waits until the client has nothing to do at this moment. */
    async settle() {
        for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
    }

    restore() {
        globalThis.setTimeout = this.#real.setTimeout
        globalThis.clearTimeout = this.#real.clearTimeout
        performance.now = this.#real.now
        Math.random = this.#real.random
    }
}
