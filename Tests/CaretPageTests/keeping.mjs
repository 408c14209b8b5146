// Unsaved edits that survive their tab: clients with a device and a server in memory.
import assert from 'node:assert/strict'
import { Caret } from '../../Clients/javascript/caret.js'
import { lockByChannel } from '../../Clients/javascript/channel-lock.js'
import { inWorlds, settled } from './keeping-world.mjs'
import { applyEdits, until } from './support.mjs'

/** A tab after another one has crashed, without a connection, with text that was never sent. */
async function tabAfterCrash(world) {
    world.server.isReachable = false
    const first = await world.tab()
    first.open('a', { create: true }).append('Milk\n')
    await settled()
    first.crash()
    return world.tab()
}

export const cases = inWorlds({
    async 'text that was never sent is there in the next tab, and is sent'(world) {
        const second = await tabAfterCrash(world)
        const document = second.open('a')
        assert.equal(document.text, 'Milk\n')
        document.append('Tea\n')
        world.goOnline(second)
        await document.saved()
        assert.equal(world.server.text('a'), 'Milk\nTea\n')
        assert.equal(second.caret.link.state, 'online')
    },

    async 'text of the last tab stays kept while the caret moves and no connection is made'(world) {
        const second = await tabAfterCrash(world)
        world.device.hold()
        const document = second.open('a')
        document.select([[2, 2]])
        second.caret.reconnect()
        await settled()
        assert.deepEqual([document.text, document.isKept], ['Milk\n', true])
        document.append('Tea\n')
        assert.equal(document.isKept, false)
        world.device.release()
        await until(() => document.isKept)
    },

    async 'text that was undone before it was sent does not come back'(world) {
        for (const drop of ['undo', 'discard']) {
            world.server.isReachable = false
            const first = await world.tab()
            const document = first.open('a', { create: true })
            document.append('Milk\n')
            await until(() => document.isKept)
            document[drop]()
            assert.deepEqual([document.text, document.isKept], ['', false])
            await until(() => document.isKept)
            first.crash()
            const second = await world.tab()
            assert.equal(second.open('a').text, '')
            second.crash()
        }
    },

    async 'a push that was committed without an ack is committed once'(world) {
        world.server.create('a')
        const first = await world.tab()
        const document = await first.opened('a')
        world.server.pushes = 'commitSilently'
        document.append('Milk\n')
        await settled()
        document.append('Tea\n')
        await until(() => document.isKept)
        first.crash()
        assert.equal(world.server.text('a'), 'Milk\n')
        world.server.pushes = 'commit'
        const second = await world.tab()
        assert.equal(second.open('a').text, 'Milk\nTea\n')
        await second.open('a').saved()
        assert.deepEqual([world.server.text('a'), world.server.numbers('a')], ['Milk\nTea\n', [1, 2]])
    },

    async 'a push that never arrived is sent again with its number'(world) {
        await world.leaveOnline('a', 'Milk\n')
        const second = await world.tab()
        await second.open('a').saved()
        assert.deepEqual([world.server.text('a'), world.server.numbers('a')], ['Milk\n', [1, 1]])
    },

    async 'a push is sent only after it is stored'(world) {
        world.server.create('a')
        const tab = await world.tab()
        const document = await tab.opened('a')
        world.device.hold()
        document.append('Milk\n')
        await settled()
        assert.deepEqual([world.server.numbers('a'), document.isKept], [[], false])
        world.device.release()
        await document.saved()
        assert.deepEqual([world.server.text('a'), document.isKept], ['Milk\n', true])
    },

    async 'a crash before the first write loses the edit, and sends nothing'(world) {
        world.server.create('a')
        const first = await world.tab()
        const document = await first.opened('a')
        world.device.hold()
        document.append('Milk\n')
        first.crash()
        world.device.release()
        const second = await world.tab()
        assert.equal((await second.opened('a')).text, '')
        assert.deepEqual(world.server.numbers('a'), [])
    },

    async 'a push waits for nothing after its connection has ended'(world) {
        world.server.create('a')
        const tab = await world.tab()
        const document = await tab.opened('a')
        world.device.hold()
        document.append('Milk\n')
        await settled()
        tab.transport.connection.end()
        tab.caret.reconnect()
        await settled()
        world.device.release()
        await document.saved()
        assert.deepEqual([world.server.text('a'), world.server.numbers('a')], ['Milk\n', [1]])
    },

    async 'saved edits leave nothing on the device'(world) {
        world.server.create('a')
        const tab = await world.tab()
        const document = await tab.opened('a')
        document.append('Milk\n')
        await document.saved()
        assert.deepEqual(await tab.caret.kept(), [])
        await tab.caret.close()
        assert.deepEqual(world.device.keepsakes, [])
    },

    async 'two tabs have different ids, even if one is a copy of the other'(world) {
        world.server.isReachable = false
        const first = await world.tab()
        first.open('a', { create: true }).append('Milk\n')
        await settled()
        const second = await world.tab(first.keeping.id)
        const document = second.open('a', { create: true })
        assert.equal(document.text, '')
        document.append('Tea\n')
        await settled()
        assert.notEqual(first.keeping.id, second.keeping.id)
        assert.equal(new Set(world.device.keepsakes.map(({ client }) => client)).size, 2)
        assert.deepEqual((await second.caret.kept()).map(({ state }) => state).sort(), ['here', 'otherTab'])
    },

    async 'two tabs that start together do not continue the same client'(world) {
        await world.leave('a')
        const tabs = await Promise.all([world.tab(), world.tab()])
        assert.deepEqual(tabs.map((tab) => tab.open('a', { create: true }).text).sort(), ['', 'text of a\n'])
    },

    async 'a tab that is loaded again continues its own client'(world) {
        const ids = await world.leave('a', 'b', 'c')
        for (const [index, name] of ['a', 'b', 'c'].entries()) {
            const tab = await world.tab(ids[index])
            assert.deepEqual([tab.open(name).text, tab.keeping.id], [`text of ${name}\n`, ids[index]])
        }
    },

    async 'texts of several ended tabs, and those that nobody opens, are saved'(world) {
        await world.leave('a', 'b', 'c')
        world.server.isReachable = true
        const tab = await world.tab()
        await until(() => ['a', 'b', 'c'].every((name) => world.server.text(name) === `text of ${name}\n`))
        await until(() => world.device.keepsakes.length === 0)
        assert.deepEqual(await tab.caret.kept(), [])
    },

    async 'a document that the program opens while it is being saved stays open'(world) {
        await world.leave('a')
        world.server.isReachable = true
        world.server.pushes = 'lose'
        const tab = await world.tab()
        await until(() => world.server.numbers('a').length === 1)
        const document = tab.open('a')
        assert.equal(document.text, 'text of a\n')
        world.server.pushes = 'commit'
        tab.transport.connection.end()
        tab.caret.reconnect()
        await document.saved()
        await settled()
        document.append('Tea\n')
        await document.saved()
        assert.equal(world.server.text('a'), 'text of a\nTea\n')
    },

    async 'a document that was deleted meanwhile stays kept'(world) {
        await world.leaveOnline('a', 'Milk\n')
        world.server.delete('a')
        const second = await world.tab()
        const again = second.open('a')
        await assert.rejects(again.saved(), { code: 'not_found' })
        assert.equal(again.text, 'Milk\n')
        await until(() => again.isKept)
        await again.close()
        assert.deepEqual(world.device.names, ['a'])
        assert.deepEqual((await second.caret.kept()).map(({ name, state }) => [name, state]), [['a', 'here']])
        await second.open('a', { create: true }).saved()
        assert.equal(world.server.text('a'), 'Milk\n')
    },

    async 'a program may create a deleted document that the client tries to save'(world) {
        await world.leaveOnline('a', 'Milk\n')
        world.server.delete('a')
        const tab = await world.tab()
        await world.server.gets('open')
        await tab.open('a', { create: true }).saved()
        assert.equal(world.server.text('a'), 'Milk\n')
    },

    async 'a keepsake of another user is not used, and not lost'(world) {
        await world.leaveOnline('a', 'Milk\n', { token: 'of-ann' })
        world.server.user = 'bob'
        const second = await world.tab(undefined, { token: 'of-bob' })
        assert.equal((await second.opened('a')).text, '')
        await settled()
        assert.equal(world.server.text('a'), '')
        assert.deepEqual((await second.caret.kept()).map(({ name, user, state }) => [name, user, state]),
            [['a', 'ann', 'otherUser']])
        // With a new token, the user is known only after the welcome.
        world.server.user = 'ann'
        await world.tab(undefined, { token: 'of-ann-too' })
        await until(() => world.server.text('a') === 'Milk\n')
    },

    async 'if the server names another user than the keepsakes, the client ends'(world) {
        await world.leaveOnline('a', 'Milk\n')
        world.server.user = 'bob'
        const second = await world.tab()
        await until(() => second.caret.link.state === 'ended')
        assert.equal(second.caret.link.reason, 'other_user')
        await settled()
        const third = await world.tab()
        assert.equal((await third.opened('a')).text, '')
        assert.deepEqual(world.device.names, ['a'])
        world.server.user = 'anonymous'
        await world.tab()
        await until(() => world.server.text('a') === 'Milk\n')
    },

    async 'without a token, the text of a user whom a proxy has named is not shown to the next user'(world) {
        world.server.user = 'ann'
        await world.leaveOnline('a', 'Milk\n')
        world.server.isReachable = false
        world.server.user = 'bob'
        const bob = await world.tab()
        const document = bob.open('a')
        assert.equal(document.text, '')
        world.goOnline(bob)
        await document.opened()
        assert.equal(document.text, '')
        assert.deepEqual((await bob.caret.kept()).map(({ name, user, state }) => [name, user, state]),
            [['a', 'ann', 'otherUser']])
        await bob.caret.close()
        world.server.user = 'ann'
        await world.tab()
        await until(() => world.server.text('a') === 'Milk\n')
    },

    async 'a damaged keepsake is not used, is listed, and can be removed'(world) {
        await world.leave('a')
        world.device.damage('a')
        world.server.isReachable = true
        const tab = await world.tab()
        const document = await tab.opened('a', { create: true })
        assert.equal(document.text, '')
        document.append('Tea\n')
        await document.saved()
        const [kept] = await tab.caret.kept()
        assert.deepEqual([kept.name, kept.state], ['a', 'damaged'])
        assert.equal(await tab.caret.forget(kept), true)
        await tab.caret.close()
        assert.deepEqual(world.device.keepsakes, [])
    },

    async 'a keepsake older than the last push is dropped, and later edits stay'(world) {
        world.server.create('a', '')
        const first = await world.tab()
        const document = await first.opened('a')
        world.server.pushes = 'lose'
        document.append('Milk\n')
        document.append('Bread\n')
        await until(() => document.isKept)
        const old = world.device.keepsakes
        world.server.pushes = 'commit'
        first.transport.connection.end()
        first.caret.reconnect()
        await document.saved()
        document.append('Tea\n')
        await document.saved()
        first.crash()
        // A power cut brings an old state of the storage back.
        world.device.stored = new Map(old.map((keepsake) => [JSON.stringify(['x']), keepsake]))
        world.server.isReachable = false
        const second = await world.tab()
        const again = second.open('a')
        let view = again.text
        again.addEventListener('change', ({ edits }) => { view = applyEdits(view, edits) })
        again.append('Salt\n')
        world.goOnline(second)
        await again.saved()
        assert.equal(world.server.text('a'), 'Milk\nBread\nTea\nSalt\n')
        assert.equal(view, again.text)
    },

    async 'a restore by the same client does not make a keepsake look old'(world) {
        world.server.create('a', '')
        const first = await world.tab()
        const document = await first.opened('a')
        await first.caret.restore('a', 0)
        world.server.pushes = 'lose'
        document.append('Milk\n')
        await settled()
        first.crash()
        world.server.pushes = 'commit'
        const second = await world.tab()
        await second.open('a').saved()
        assert.equal(world.server.text('a'), 'Milk\n')
    },

    async 'a restore keeps the refused edits of a document that is closed'(world) {
        world.server.create('a', '')
        const first = await world.tab()
        const document = await first.opened('a')
        world.server.pushes = 'refuse'
        document.append('Milk\n')
        await assert.rejects(document.saved(), { code: 'too_large' })
        await document.close()
        await first.caret.restore('a', 0)
        first.crash()
        world.server.pushes = 'commit'
        const second = await world.tab()
        await second.open('a').saved()
        assert.equal(world.server.text('a'), 'Milk\n')
    },

    async 'a document that is closed with unsaved edits continues from them'(world) {
        world.server.isReachable = false
        const tab = await world.tab()
        const document = tab.open('a', { create: true })
        document.append('Milk\n')
        // `close` waits up to 4 s for the server, so this test ends the wait.
        const closed = document.close()
        document.endWaiting(new Error('the test does not wait'))
        await closed
        const again = tab.open('a')
        assert.equal(again.text, 'Milk\n')
        world.goOnline(tab)
        await again.saved()
        assert.equal(world.server.text('a'), 'Milk\n')
    },

    async 'a second `close` does not close the document that was opened after the first'(world) {
        world.server.isReachable = false
        const tab = await world.tab()
        const document = tab.open('a', { create: true })
        document.append('Milk\n')
        const closings = [document.close()]
        document.endWaiting(new Error('the test does not wait'))
        closings.push(document.close())
        await closings[0]
        const again = tab.open('a')
        again.append('Tea\n')
        await Promise.all([...closings, document.close()])
        await settled()
        again.append('Oats\n')
        world.goOnline(tab)
        await again.saved()
        assert.deepEqual([world.server.text('a'), await tab.caret.kept()], ['Milk\nTea\nOats\n', []])
    },

    async 'if the storage fails, the client continues and says so'(world) {
        world.server.create('a')
        const tab = await world.tab()
        const document = await tab.opened('a')
        const faults = []
        tab.caret.addEventListener('keeping', ({ error }) => faults.push(error?.code))
        world.device.fault = new Error('the disk is full')
        world.server.pushes = 'lose'
        document.append('Milk\n')
        await until(() => faults.length > 0)
        assert.deepEqual([document.isKept, tab.caret.keepingError.code, faults], [false, 'storage', ['storage']])
        assert.match(tab.caret.keepingError.message, /the disk is full/)
        assert.deepEqual(world.server.numbers('a'), [1])
        const offline = await world.tab()
        assert.equal(offline.caret.keepingError.code, 'storage')
        assert.equal((await offline.opened('a')).isKept, true)
        await offline.caret.close()
        document.discard()
    },

    async 'a document says at once that its edits could not be stored, and when they are'(world) {
        world.server.create('a')
        const tab = await world.tab()
        const document = await tab.opened('a')
        const told = []
        document.addEventListener('keeping', ({ isKept, error }) => told.push([isKept, error?.code]))
        world.server.pushes = 'lose'
        document.append('Milk\n')
        await until(() => told.length === 1)
        world.device.fault = new Error('the disk is full')
        document.append('Tea\n')
        await until(() => told.length === 2)
        assert.deepEqual(told, [[true, undefined], [false, 'storage']])
        document.discard()
    },

    async 'a client whose storage fails from the start says so'(world) {
        world.device.fault = new Error('the disk is full')
        const tab = await world.tab()
        const faults = []
        tab.caret.addEventListener('keeping', ({ error }) => faults.push(error.code))
        await until(() => faults.length > 0)
        assert.deepEqual(faults, ['storage'])
    },

    async 'whichever of several servers is used, the edits are those of the first one in the list'(world) {
        // This tab knows one server only.
        await world.leave('a')
        const list = ['http://127.0.0.1', 'http://b.test', 'http://c.test']
        for (const used of list) {
            world.server.isReachable = true
            const { make } = world.server.transport()
            const refuse = () => ({ start: ({ closed }) => queueMicrotask(() => closed('refused')), send() {}, close() {} })
            const keep = world.device.tab()
            const transport = (url) => (url.origin === used ? make() : refuse())
            const caret = await Caret.connect(list, { wasm: world.wasm, keep, transport })
            const document = caret.open('a')
            await document.saved()
            assert.deepEqual([caret.server.origin, caret.link.state], [used, 'online'])
            world.server.pushes = 'lose'
            document.append(`by ${used}\n`)
            await until(() => document.isKept)
            keep.crash()
            world.server.pushes = 'commit'
            assert.deepEqual(world.device.keepsakes.map(({ server }) => server), [list[0]])
        }
        const caret = await Caret.connect(list[0], {
            wasm: world.wasm, keep: world.device.tab(), transport: world.server.transport().make,
        })
        const document = caret.open('a')
        await document.saved()
        const lines = ['text of a', ...list.map((used) => `by ${used}`), '']
        assert.equal(world.server.text('a'), lines.join('\n'))
        assert.deepEqual(await caret.kept(), [])
        await caret.close()
    },

    async 'a tab without a storage works as before'(world) {
        world.server.create('a')
        const caret = await Caret.connect('http://127.0.0.1', {
            wasm: world.wasm, keep: false, transport: world.server.transport().make,
        })
        const document = caret.open('a')
        document.append('Milk\n')
        assert.equal(document.isKept, false)
        await document.saved()
        assert.deepEqual([await caret.kept(), caret.keepingError, document.isKept], [[], null, true])
        await caret.close()
    },

    async 'of two tabs that ask for a lock by messages, one gets it'() {
        const options = { patience: 200 }
        const locks = await Promise.all([1, 2, 3].map(() => lockByChannel('caret test', options)))
        assert.equal(locks.filter(Boolean).length, 1)
        assert.equal(await lockByChannel('caret test', options), null)
        locks.find(Boolean)()
        const release = await lockByChannel('caret test', options)
        assert.ok(release)
        release()
    },

    async 'a tab that was stopped loses its lock by messages'() {
        let hasLost = false
        await lockByChannel('caret stopped', { patience: 20, lost: () => { hasLost = true } })
        // The question of another tab, which this tab reads too late.
        const other = new BroadcastChannel('caret stopped')
        other.postMessage({ number: 0, until: Date.now() - 1 })
        await until(() => hasLost)
        other.close()
    },
})
