// Unsaved edits of long texts in the browser: what is written for each push, and what a later tab finds.
import assert from 'node:assert/strict'
import { Caret } from '../../Clients/javascript/caret.js'
import { Replica } from '../../Clients/javascript/replica.js'
import { IndexedDevice } from './indexed-device.mjs'
import { inWorlds, settled } from './keeping-world.mjs'
import { isBoundary, load, makeRandom, randomOffset, until } from './support.mjs'

const server = 'http://127.0.0.1'

function makeText(length) { return 'All work and no play.\n'.repeat(length / 22 + 1).slice(0, length) }

/** Types letters one after the other, and waits until the server has each. Returns the bytes written for a letter. */
async function costOfLetters(world, document, count, { at = 100 } = {}) {
    const before = world.device.database.written
    for (let letter = 0; letter < count; letter++) {
        document.edit([{ range: [at + letter, at + letter], text: 'x' }])
        await document.saved()
    }
    return (world.device.database.written - before) / count
}

/** A tab with a document of this text, which is stored in two records. */
async function typingTab(world, text, name = 'a', options = {}) {
    world.device = new IndexedDevice()
    world.server.create(name, text)
    const tab = await world.tab(undefined, options)
    const document = await tab.opened(name)
    await loadLongTexts(document)
    await costOfLetters(world, document, 1)
    return { tab, document }
}

const isText = (record) => record.text !== undefined

/** The records beside those of texts. */
function restsOf(device) { return device.records.filter((record) => !isText(record)) }

/** A tab types into a long text what the server does not get, and crashes. */
async function leaveEdit(world) {
    const { tab, document } = await typingTab(world, makeText(100_000))
    world.server.pushes = 'lose'
    document.append('Milk')
    await until(() => document.isKept)
    tab.crash()
}

export const cases = inWorlds({
    async 'a push to a text of 1 MB stores a few hundred bytes'(world) {
        const { document } = await typingTab(world, makeText(1_000_000))
        const cost = await costOfLetters(world, document, 100)
        assert.ok(cost < 1000, `${cost} bytes a letter`)
    },

    async 'a push stores little although others write at the other end of the text'(world) {
        const text = makeText(1_000_000)
        const { document } = await typingTab(world, text)
        const other = await otherUser(world, 'a')
        const before = world.device.database.written
        for (let letter = 0; letter < 50; letter++) {
            other.document.append('y')
            await other.document.saved()
            document.edit([{ range: [100 + letter, 100 + letter], text: 'x' }])
            await document.saved()
        }
        const cost = (world.device.database.written - before) / 50
        assert.ok(cost < 6000, `${cost} bytes a letter`)
        await other.end()
    },

    async 'the whole text is stored again when the changes since then become many'(world) {
        const { tab, document } = await typingTab(world, makeText(100_000))
        const numbers = new Set()
        for (let letter = 0; letter < 300; letter++) {
            // Always elsewhere, so that the changes cannot be joined.
            const at = (letter * 997) % 90_000
            document.edit([{ range: [at, at], text: 'x' }])
            await document.saved()
            const texts = world.device.records.filter(isText)
            assert.equal(texts.length, 1)
            numbers.add(texts[0].number)
        }
        assert.ok(numbers.size > 1 && numbers.size < 10, `${numbers.size} texts`)
        await tab.caret.close()
    },

    async 'while the page continues, the text of a saved document stays for a moment only'(world) {
        const { document } = await typingTab(world, makeText(100_000))
        const { records } = world.device.database
        document.edit([{ range: [0, 0], text: 'x' }])
        await document.saved()
        await until(() => [...records.values()].every(isText))
        assert.equal(records.size, 1)
        const cost = await costOfLetters(world, document, 1)
        assert.ok(cost < 1000, `${cost} bytes for the next letter`)
    },

    async 'a text that a crashed tab has left without unsaved edits is removed'(world) {
        const { tab, document } = await typingTab(world, makeText(100_000))
        await document.saved()
        await until(() => world.device.records.every(isText))
        assert.equal((await (await world.tab()).caret.kept()).length, 0)
        assert.equal(world.device.records.length, 1, 'the text of a tab that is there stays')
        tab.crash()
        await world.tab()
        await until(() => world.device.records.length === 0)
    },

    async 'what version 0.1.0 has stored is continued, and its record is replaced'(world) {
        for (const text of ['short\n', makeText(100_000)]) {
            world.device = new IndexedDevice()
            world.server.create('a', text)
            world.server.pushes = 'lose'
            const first = await world.tab()
            const document = await first.opened('a')
            document.append('Milk')
            await settled()
            first.crash()
            const [keepsake] = [...first.keeping.truth.values()]
            const members = 'account bytes client creates earlier name number restores server time user'
            assert.equal(Object.keys(keepsake).sort().join(' '), members, 'the form of 0.1.0')
            world.device.database.records.clear()
            world.device.putOld(keepsake)
            world.server.isReachable = false
            const second = await world.tab()
            const continued = second.open('a')
            assert.equal(continued.text, `${text}Milk`)
            continued.append(' and Tea')
            await until(() => continued.isKept)
            continued.append('!')
            await until(() => continued.isKept)
            second.crash()
            const third = await world.tab()
            assert.equal(third.open('a').text, `${text}Milk and Tea!`)
            world.server.pushes = 'commit'
            world.goOnline(third)
            await third.open('a').saved()
            assert.equal(world.server.text('a'), `${text}Milk and Tea!`)
            assert.deepEqual(world.server.numbers('a'), [1, 1, 2])
            third.crash()
            world.server.received.length = 0
        }
    },

    async 'version 0.1.0 in another tab leaves the new records alone'(world) {
        await leaveEdit(world)
        // From keepsakes.js of 0.1.0.
        const isKeepsake = (found) => typeof found?.client === 'string' && Number.isSafeInteger(found.number)
            && typeof found.name === 'string' && found.bytes instanceof Uint8Array
        assert.deepEqual(world.device.records.map(isKeepsake), [false, false])
    },

    async 'a keepsake without its text is damaged'(world) {
        await leaveEdit(world)
        const text = world.device.records.find(isText)
        world.device.database.delete([text.server, text.client, text.number])
        world.server.isReachable = false
        const next = await world.tab()
        assert.deepEqual((await next.caret.kept()).map(({ name, state }) => [name, state]), [['a', 'damaged']])
    },

    async 'the edits of a closed tab can be forgotten'(world) {
        await leaveEdit(world)
        world.server.isReachable = false
        const next = await world.tab(undefined, { user: 'bob' })
        const [entry] = await next.caret.kept()
        assert.equal(await next.caret.forget(entry), true)
        assert.deepEqual(world.device.records, [])
    },

    async 'the edits of a closed tab without a user can be claimed'(world) {
        await leaveEdit(world)
        const [before] = restsOf(world.device)
        world.device.putOld({ ...before, user: undefined, account: 'another' })
        const next = await world.tab(undefined, { token: 'of Ann' })
        await until(() => next.caret.link.state === 'online')
        const [entry] = await next.caret.kept()
        assert.equal(entry.state, 'unknownUser')
        assert.equal(await next.caret.claim(entry), true)
        const [claimed] = restsOf(world.device)
        assert.equal(claimed.user, 'ann')
        assert.deepEqual(world.device.records.filter(isText).map(({ number }) => number), [claimed.base])
        next.crash()
        world.server.pushes = 'commit'
        await world.tab(undefined, { token: 'of Ann' })
        await until(() => restsOf(world.device).length === 0)
        assert.equal(world.server.text('a').split('Milk').length, 2)
    },

    async 'if another user has signed in, the edits stay with the former one'(world) {
        const { tab, document } = await typingTab(world, makeText(100_000), 'a', { token: async () => 'of Ann' })
        world.server.pushes = 'lose'
        document.append('Milk')
        await until(() => document.isKept)
        await world.signInAs('bob', tab)
        await until(() => restsOf(world.device)[0].account === null)
        await settled()
        world.server.user = 'ann'
        world.server.pushes = 'commit'
        const next = await world.tab(undefined, { user: 'ann' })
        await next.open('a').saved()
        assert.equal(world.server.text('a').split('Milk').length, 2)
    },

    async 'text that is typed offline after a crash is stored without the whole text each time'(world) {
        await leaveEdit(world)
        world.server.isReachable = false
        const second = await world.tab()
        const continued = second.open('a')
        const typeLetter = async () => {
            const before = world.device.database.written
            continued.append('!')
            await until(() => continued.isKept)
            return world.device.database.written - before
        }
        await typeLetter()
        assert.ok(await typeLetter() < 1000)
        second.crash()
        const third = await world.tab()
        assert.match(third.open('a').text, /Milk!!$/)
        third.crash()
        // What the server may have got of the first tab is compared with the text of that tab.
        const [keepsake] = await world.device.tab().list(server)
        assert.match(keepsake.earlier, /Milk$/)
    },

    async 'after a failure of the storage, the whole text is stored again'(world) {
        const { device, put, change, check } = await storing(world)
        change()
        device.database.failures = [true]
        await assert.rejects(put())
        change()
        await put()
        await check()
        // The client has not waited for the first call any more.
        change()
        device.database.failures = [false, true]
        const late = put()
        change()
        await assert.rejects(put())
        await late
        change()
        await put()
        await check()
    },

    async 'a text that was removed while it was being stored is stored again'(world) {
        const { put, remove, change, check } = await storing(world)
        await remove()
        // The first call stores only the changes, and the second one stores the text too.
        for (let count = 0; count < 2; count++) {
            change()
            const late = put()
            await Promise.all([remove(), late])
            change()
            await put()
            await check()
            await Promise.all([put(), remove(), put()])
            await check()
            await remove()
        }
    },

    async 'a text is removed a minute after its keepsake, but stays if the keepsake could not be removed'(world) {
        const { device, put, remove, check } = await storing(world)
        const waiting = await timersDuring(async () => {
            device.database.failures = [true]
            await assert.rejects(remove())
            await Promise.all([remove(), put()])
        })
        assert.deepEqual(waiting, [])
        await check()
        const [timer] = await timersDuring(remove)
        assert.deepEqual(device.records.map(isText), [true])
        timer.task()
        await settled()
        assert.equal(device.records.length, 0)
        await put()
        await check()
    },

    async 'a text that is removed late leaves the text of a later client with the same id alone'(world) {
        const { device, put, remove, check } = await storing(world)
        const [timer] = await timersDuring(remove)
        const later = device.tab()
        // So that it has the file for long texts.
        await later.list(server)
        await put(undefined, later)
        await check()
        timer.task()
        await settled()
        await check()
    },

    async 'calls that do not wait for each other lose no text, in 100 random runs'(world) {
        for (let seed = 0; seed < 100; seed++) await randomCalls(world, seed)
    },

    async 'after a crash at any moment, the next tab finds exactly what was stored last, in 60 random runs'(world) {
        let crashes = 0
        for (let seed = 0; seed < 60; seed++) crashes += await randomRun(world, seed)
        assert.ok(crashes > 60, `${crashes} crashes`)
    },
})

/** The timers of a minute that this call sets. They do not run. */
async function timersDuring(call) {
    const before = globalThis.setTimeout
    const timers = []
    globalThis.setTimeout = (task, time) => {
        if (time !== 60_000) return before(task, time)
        timers.push({ task })
        return timers.at(-1)
    }
    await call().finally(() => { globalThis.setTimeout = before })
    return timers
}

/** A storage that has a long text in two records, and a replica that `change` changes. */
async function storing(world, length = 100_000) {
    const device = new IndexedDevice()
    const tab = device.tab()
    const replica = new Replica((await load(world.wasm)).module)
    let revision = 0
    replica.connected()
    replica.received({ type: 'opened', epoch: 'e', rev: 0, text: makeText(length), rights: 'write', peers: [] })
    replica.typed([{ range: [0, 0], text: 'x' }])
    const state = { replica, pushed: {}, heard: null }
    const key = { server, client: 'c', number: 1 }
    await tab.lock(server, key.client)
    const put = (document = state, by = tab) => by.put({ ...key, name: 'a', bytes: replica.keepsake }, document)
    await put()
    await import('../../Clients/javascript/long-texts.js')
    await settled()
    await put()
    /** What another tab finds. */
    const found = async () => (await device.tab().list(server)).map(({ bytes }) => bytes)
    return {
        device, put, found,
        remove: () => tab.remove(key),
        check: async () => assert.deepEqual(await found(), [replica.keepsake]),
        get bytes() { return replica.keepsake },
        change(edit = { range: [500, 500], text: 'y' }) {
            const message = { type: 'change', rev: ++revision, edits: [edit] }
            replica.received(message)
            state.heard?.(message)
        },
    }
}

/** Calls the storage at random, mostly before the earlier calls have ended. */
async function randomCalls(world, seed) {
    const random = makeRandom(seed)
    const storage = await storing(world, 20_000)
    const stored = [storage.bytes]
    let [last, isShort] = [[storage.bytes], false]
    const [calls, read] = [[], []]
    const checkAll = async () => {
        await Promise.all(calls.splice(0))
        assert.deepEqual(await storage.found(), last, `seed ${seed}: what was stored last`)
        for (const bytes of read.splice(0)) {
            assert.ok(stored.some((one) => Buffer.compare(one, bytes) === 0), `seed ${seed}: what was never stored`)
        }
    }
    for (let step = 0; step < 60; step++) {
        const event = random.below(100)
        if (event < 30) storage.change()
        else if (event < 35) {
            storage.change(isShort ? { range: [600, 600], text: makeText(18_000) } : { range: [600, 18_600], text: '' })
            isShort = !isShort
        } else if (event < 65) {
            const { bytes } = storage
            stored.push(bytes)
            // Without a document, as `claim` does.
            calls.push(storage.put(random.chance(10) ? null : undefined).then(() => { last = [bytes] }, () => {}))
        } else if (event < 85) calls.push(storage.remove().then(() => { last = [] }, () => {}))
        else if (event < 92) storage.device.database.failures.push(random.chance(50))
        else calls.push(storage.found().then((found) => read.push(...found)))
        if (random.chance(30)) await new Promise((resolve) => setImmediate(resolve))
        if (random.chance(20)) await checkAll()
    }
    await checkAll()
}

/** Another user, whose client keeps nothing. */
async function otherUser(world, name) {
    const transport = world.server.transport()
    const caret = await Caret.connect(server, { wasm: world.wasm, keep: false, transport: transport.make })
    const document = caret.open(name)
    await document.opened()
    return {
        document,
        /** Sends again what the server has lost, and ends. */
        async end() {
            transport.connection.end()
            caret.reconnect()
            await caret.close()
        },
    }
}

/**
 * Somebody types at random in a tab, which crashes after a random transaction, and then in the next one. Another user
 * types too. Returns how many tabs have crashed there, and not later.
 */
async function randomRun(world, seed) {
    const random = makeRandom(seed)
    const name = `run ${seed}`
    world.device = new IndexedDevice()
    Object.assign(world.server, { pushes: 'commit', isReachable: true })
    world.server.create(name, makeText(17_000 + random.below(5000)))
    const other = await otherUser(world, name)
    const writers = [new Writer(random, 0), new Writer(random, 5000)]
    let [crashes, truth] = [0, new Map()]
    for (let tabs = 1 + random.below(3); tabs > 0; tabs--) {
        world.server.pushes = 'commit'
        const tab = await world.tab()
        tab.keeping.truth = truth
        const document = tab.open(name)
        if (truth.size === 0) await document.opened()
        if (random.chance(90) && world.server.isReachable) await loadLongTexts(document)
        tab.keeping.transactionsLeft = 1 + random.below(12)
        tab.keeping.crashed = () => tab.transport.cut()
        for (let step = 0; step < 50 && !tab.keeping.hasCrashed; step++) {
            const event = random.below(100)
            if (event < 45) writers[0].edit(document)
            else if (event < 65) writers[1].edit(other.document)
            else disturb(world, tab, document, random)
            for (let round = random.below(4); round > 0; round--) await new Promise((resolve) => setImmediate(resolve))
            if (random.chance(1)) await until(() => document.isKept || tab.keeping.hasCrashed)
        }
        crashes += tab.keeping.hasCrashed
        tab.crash()
        const next = world.device.tab()
        const found = await next.list(server)
        assert.deepEqual(sorted(found), sorted(truth.values()), `seed ${seed}: the keepsakes`)
        next.crash()
        world.server.isReachable = truth.size === 0 || random.chance(60)
    }
    await checkEnd(world, { name, other, truth, writers, seed })
    return crashes
}

/** Something happens that is not an edit. */
function disturb(world, tab, document, random) {
    const { connection } = tab.transport
    const open = connection.sessions.get(document.name)
    const event = random.below(35)
    if (event < 5) world.server.pushes = random.pick(['commit', 'commitSilently', 'lose', 'commit'])
    else if (event < 9) connection.end()
    else if (event < 16) tab.caret.reconnect()
    else if (event < 21) document.undo()
    else if (event < 22) document.discard()
    else if (event < 25 && open) connection.reply({ type: 'change', doc: document.name, rev: 999, edits: [] })
    else if (event < 30 && open) {
        // The whole text, as to a client that reads too slowly.
        open.document.resync(open.session)
        world.server.deliver()
    } else if (event < 32) {
        world.server.isReachable = true
    }
}

/** The next tab saves what the crashed one has left: no letter is lost, and none comes twice. */
async function checkEnd(world, { name, other, truth, writers, seed }) {
    Object.assign(world.server, { pushes: 'commit', isReachable: true })
    const tab = await world.tab()
    const continued = tab.open(name)
    const kept = truth.size > 0 ? continued.text : ''
    await continued.saved()
    await other.end()
    await settled()
    const text = world.server.text(name)
    assert.equal(continued.text, text, `seed ${seed}: both texts`)
    const deleted = new Set(writers.flatMap((writer) => writer.deleted))
    for (const scalar of writers.flatMap((writer) => writer.typed)) {
        const count = text.split(scalar).length - 1
        const mayLack = deleted.has(scalar) || !kept.includes(scalar) && !writers[1].typed.includes(scalar)
        assert.ok(count === 1 || count === 0 && mayLack, `seed ${seed}: ${count} times ${scalar}`)
    }
    tab.crash()
}

/** Somebody who types and deletes at random. Each letter is typed once. */
class Writer {
    typed = []
    deleted = []
    #random
    #last

    constructor(random, first) {
        this.#random = random
        this.#last = first
    }

    edit(document) {
        const [{ text }, random] = [document, this.#random]
        const start = randomOffset(text, random)
        let end = random.chance(30) ? Math.min(text.length, start + random.below(20)) : start
        if (!isBoundary(text, end)) end--
        const isErased = end > start && random.chance(30)
        const letter = isErased ? '' : String.fromCodePoint((++this.#last % 4 === 0 ? 0x20000 : 0x4e00) + this.#last)
        this.deleted.push(...text.slice(start, end))
        this.typed.push(...letter)
        document.edit([{ range: [start, end], text: letter }])
    }
}

/** Types a letter, so that the client loads the file for long texts. */
async function loadLongTexts(document) {
    document.append('begin\n')
    await document.saved()
    await import('../../Clients/javascript/long-texts.js')
    await settled()
}

function sorted(keepsakes) { return [...keepsakes].sort((left, right) => left.number - right.number) }
