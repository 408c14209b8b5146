// Tabs that crash while people type, with a real server. See live.mjs for the variables.
import assert from 'node:assert/strict'
import { connect, lines } from '../../Clients/javascript/caret-node.js'
import { Device } from './device.mjs'
import { withServer } from './live.mjs'
import { applyEdits, makeRandom, makeScalars, pause, randomOffset, until } from './support.mjs'

const rounds = Number(process.env.CARET_ROUNDS ?? 2)

export const cases = {
    'tabs that crash neither lose nor double an edit that was kept': (wasm) => withServer(async (server) => {
        for (let seed = 0; seed < rounds; seed++) {
            try {
                await typeAtRandom(server, wasm, `shared-${seed}`, makeRandom(seed))
            } catch (error) {
                throw new Error(`with seed ${seed}: ${error.stack}`)
            }
        }
    }),
}

/** Some people type in a document, in tabs of one device that crash, until everything is saved. */
async function typeAtRandom(server, wasm, name, random) {
    const scalar = makeScalars()
    const device = new Device()
    device.duration = () => random.below(12)
    const people = []
    for (let count = 2 + random.below(3); count > 0; count--) {
        people.push(new Person(device, { server, wasm, name, scalar }))
    }
    for (const person of people) await person.start()
    await people[0].document.opened()
    for (let step = 0; step < 150; step++) {
        for (const person of people) await person.act(random)
        if (step % 50 === 25) await server.kill()
        await pause(random.below(15))
    }
    for (const person of people) await person.finish()
    await until(() => people.every((person) => person.document.text === people[0].document.text))
    const { text } = await people[0].caret.read(name)
    for (const person of people) assert.deepEqual([person.document.text, person.view], [text, text])
    const found = [...text]
    assert.equal(new Set(found).size, found.length, 'no scalar is in the text twice')
    for (const one of people.flatMap((person) => person.kept)) assert.ok(text.includes(one), `${one} was kept`)
    const typed = new Set(people.flatMap((person) => person.typed))
    assert.ok(found.every((one) => typed.has(one)))
    await Promise.all(people.map((person) => person.caret.close()))
    assert.deepEqual(device.names, [])
}

/** Somebody who types at random, in one tab after the other. */
class Person {
    typed = []
    /** What a tab had kept, or the server had saved, when it crashed. */
    kept = []
    #unkept = []
    #device
    #world

    constructor(device, world) {
        this.#device = device
        this.#world = world
    }

    async start() {
        const { server, wasm, name } = this.#world
        this.keeping = this.#device.tab(this.keeping?.id)
        const { keeping } = this
        let socket = null
        // A tab that has crashed makes no connections.
        const transport = () => (keeping.hasCrashed ? { start() {}, send() {}, close() {} }
            : (socket = lines('127.0.0.1', server.port)()))
        this.cut = () => socket?.close()
        this.caret = await connect('127.0.0.1', server.port, { wasm, transport, keep: keeping })
        this.document = this.caret.open(name, { create: true })
        this.view = this.document.text
        this.document.addEventListener('change', ({ edits }) => { this.view = applyEdits(this.view, edits) })
    }

    async act(random) {
        if (random.chance(40)) this.#type(random)
        if (random.chance(3)) this.cut()
        this.#note()
        if (random.chance(4)) await this.#crash()
    }

    #type(random) {
        const text = Array.from({ length: 1 + random.below(3) }, this.#world.scalar)
        this.typed.push(...text)
        this.#unkept.push(...text)
        const offset = randomOffset(this.view, random)
        this.document.edit([{ range: [offset, offset], text: text.join('') }])
    }

    #note() { if (this.document.isKept) this.kept.push(...this.#unkept.splice(0)) }

    async #crash() {
        // What was typed last may be lost.
        this.#unkept = []
        this.keeping.crash()
        this.cut()
        await this.start()
    }

    async finish() {
        this.caret.reconnect()
        await this.document.saved()
        this.#note()
    }
}
