// Unsaved edits of users with tokens that change: clients with a device and a server in memory.
import assert from 'node:assert/strict'
import { inWorlds, settled } from './keeping-world.mjs'
import { until } from './support.mjs'

/** A token function that answers with another token each time. */
function changing() { return async () => `token-${++lastToken}` }
let lastToken = 0

/** A tab that types a text without a connection, and crashes. */
async function leaveOffline(world, options) {
    world.server.isReachable = false
    const tab = await world.tab(undefined, options)
    tab.open('a', { create: true }).append('Milk\n')
    await settled()
    tab.crash()
    return tab
}

/** The names and states of what is kept. */
async function states(tab) { return (await tab.caret.kept()).map(({ name, user, state }) => [name, user, state]) }

export const cases = inWorlds({
    async 'a token for each tab, online and offline: every edit is saved once'(world) {
        for (const user of ['ann', undefined]) {
            world.server.create('a')
            const lines = []
            for (const pushes of ['lose', 'offline', 'commitSilently', 'commit', 'offline', 'lose']) {
                // A client without a known user was online once.
                world.server.isReachable = pushes !== 'offline' || user === undefined
                world.server.pushes = pushes === 'offline' ? 'lose' : pushes
                const tab = await world.tab(undefined, { token: changing(), user })
                const document = tab.open('a')
                if (user === undefined) await document.opened()
                lines.push(`${lines.length} ${pushes}\n`)
                document.append(lines.at(-1))
                await until(() => document.isKept)
                await settled()
                tab.crash()
            }
            world.server.isReachable = true
            world.server.pushes = 'commit'
            const tab = await world.tab(undefined, { token: changing(), user })
            await tab.opened('a')
            await until(() => world.device.keepsakes.length === 0)
            assert.deepEqual(world.server.text('a').match(/.*\n/g).sort(), lines)
            await tab.caret.close()
        }
        const tokens = world.server.received.filter(({ type }) => type === 'hello').map(({ token }) => token)
        assert.ok(new Set(tokens).size >= 10)
    },

    async 'with a named user, the text of the last tab is there before the welcome, whatever the token is'(world) {
        await world.leaveOnline('a', 'Milk\n', { token: changing(), user: 'ann' })
        world.server.isReachable = false
        const tab = await world.tab(undefined, { token: changing(), user: 'ann' })
        const document = tab.open('a')
        assert.equal(document.text, 'Milk\n')
        document.append('Tea\n')
        world.goOnline(tab)
        await document.saved()
        assert.equal(world.server.text('a'), 'Milk\nTea\n')
        assert.deepEqual(await states(tab), [])
        const tokens = world.server.received.filter(({ type }) => type === 'hello').map(({ token }) => token)
        assert.equal(new Set(tokens).size, tokens.length)
    },

    async 'with a named user, text that was typed before the first welcome is there too'(world) {
        await leaveOffline(world, { token: changing(), user: 'ann' })
        const tab = await world.tab(undefined, { token: changing(), user: 'ann' })
        assert.equal(tab.open('a').text, 'Milk\n')
        world.goOnline(tab)
        await until(() => world.server.text('a') === 'Milk\n')
        await until(() => world.device.keepsakes.length === 0)
    },

    async 'with a named user, a new token as a string shows the text of the former one'(world) {
        await world.leaveOnline('a', 'Milk\n', { token: 'old' })
        const tab = await world.tab(undefined, { token: 'new', user: 'ann' })
        assert.equal(tab.open('a').text, 'Milk\n')
        await tab.open('a').saved()
        assert.equal(world.server.text('a'), 'Milk\n')
    },

    async 'without a named user, the text is saved after the welcome, and not shown before'(world) {
        await world.leaveOnline('a', 'Milk\n', { token: changing() })
        world.server.isReachable = false
        const tab = await world.tab(undefined, { token: changing() })
        assert.equal(tab.open('a').text, '')
        assert.deepEqual(await states(tab), [['a', 'ann', 'unknownUser']])
        world.goOnline(tab)
        await until(() => world.server.text('a') === 'Milk\n')
        assert.deepEqual(world.server.numbers('a'), [1, 1])
        await until(() => world.device.keepsakes.length === 0)
    },

    async 'a text without a user is listed, and neither sent nor lost, until the person removes it'(world) {
        await leaveOffline(world, { token: changing() })
        world.server.isReachable = true
        const tab = await world.tab(undefined, { token: changing() })
        assert.equal((await tab.opened('a', { create: true })).text, '')
        await settled()
        assert.deepEqual(world.server.numbers('a'), [])
        assert.deepEqual(await states(tab), [['a', undefined, 'unknownUser']])
        const [kept] = await tab.caret.kept()
        assert.equal(await tab.caret.forget(kept), true)
        assert.deepEqual(world.device.keepsakes, [])
    },

    async 'a text without a user is saved as soon as the person claims it, and not before the user is known'(world) {
        await leaveOffline(world, { token: changing() })
        const tab = await world.tab(undefined, { token: changing() })
        const [kept] = await tab.caret.kept()
        assert.equal(await tab.caret.claim(kept), false)
        world.goOnline(tab)
        await until(() => tab.caret.link.state === 'online')
        await settled()
        let told = 0
        tab.caret.addEventListener('kept', () => told++)
        assert.equal(await tab.caret.claim(kept), true)
        await until(() => world.server.text('a') === 'Milk\n')
        await until(() => told === 2)
        assert.deepEqual([world.device.keepsakes, await states(tab)], [[], []])
    },

    async 'a text cannot be claimed while another tab has it, and one of another user never'(world) {
        world.server.isReachable = false
        const first = await world.tab(undefined, { token: changing() })
        first.open('a', { create: true }).append('Milk\n')
        await until(() => world.device.keepsakes.length === 1)
        const second = await world.tab(undefined, { token: changing(), user: 'bob' })
        const [kept] = await second.caret.kept()
        assert.deepEqual([kept.state, await second.caret.claim(kept)], ['otherTab', false])
        world.goOnline(first)
        world.server.pushes = 'lose'
        await until(() => world.device.keepsakes[0].user === 'ann')
        first.crash()
        await second.caret.claim(kept)
        assert.deepEqual(await states(second), [['a', 'ann', 'otherUser']])
    },

    async 'a text without a user is saved with the same token, whether a function answers with it or not'(world) {
        for (const token of [async () => 'same', () => 'same', 'same']) {
            world.server.delete('a')
            await leaveOffline(world, { token: async () => 'same' })
            world.server.isReachable = true
            await world.tab(undefined, { token })
            await until(() => world.server.text('a') === 'Milk\n')
            await until(() => world.device.keepsakes.length === 0)
        }
    },

    async 'two clients that have no token yet are not of the same user'(world) {
        const never = () => new Promise(() => {})
        await leaveOffline(world, { token: never })
        const tab = await world.tab(undefined, { token: never })
        assert.equal(tab.open('a', { create: true }).text, '')
        assert.deepEqual(await states(tab), [['a', undefined, 'unknownUser']])
    },

    async 'the welcome names the user of texts that were typed before it'(world) {
        world.server.isReachable = false
        const first = await world.tab(undefined, { token: changing() })
        const document = first.open('a')
        document.append('Milk\n')
        await settled()
        assert.equal(world.device.keepsakes[0].user, undefined)
        world.goOnline(first)
        await assert.rejects(document.saved(), { code: 'not_found' })
        await until(() => world.device.keepsakes[0].user === 'ann')
        first.crash()
        world.server.create('a')
        await world.tab(undefined, { token: changing() })
        await until(() => world.server.text('a') === 'Milk\n')
    },

    async 'if the server names another user than the program, the client ends, and the text stays'(world) {
        for (const token of [changing(), 'token-of-bob']) {
            world.server.user = 'ann'
            world.server.create('a')
            await world.leaveOnline('a', 'Milk\n', { token: changing(), user: 'ann' })
            world.server.user = 'bob'
            const wrong = await world.tab(undefined, { token, user: 'ann' })
            assert.equal(wrong.open('a').text, 'Milk\n')
            await until(() => wrong.caret.link.state === 'ended')
            assert.equal(wrong.caret.link.reason, 'other_user')
            await settled()
            const bob = await world.tab(undefined, { token, user: 'bob' })
            assert.equal((await bob.opened('a')).text, '')
            assert.deepEqual(await states(bob), [['a', 'ann', 'otherUser']])
            world.server.user = 'ann'
            const ann = await world.tab(undefined, { token: changing(), user: 'ann' })
            await ann.open('a').saved()
            assert.equal(world.server.text('a'), 'Milk\n')
            await until(() => world.device.keepsakes.length === 0)
        }
    },

    async 'if another user has signed in meanwhile, the unsaved text stays with the former one'(world) {
        world.server.create('a')
        const tab = await world.tab(undefined, { token: changing() })
        const document = await tab.opened('a')
        world.server.pushes = 'lose'
        document.append('Milk\n')
        await until(() => document.isKept)
        await world.signInAs('bob', tab)
        assert.equal(tab.caret.link.reason, 'other_user')
        world.server.pushes = 'commit'
        await settled()
        const bob = await world.tab(undefined, { token: changing() })
        assert.equal((await bob.opened('a')).text, '')
        world.server.user = 'ann'
        await world.tab(undefined, { token: changing() })
        await until(() => world.server.text('a') === 'Milk\n')
    },

    async 'an id that the program has chosen is not used while its edits may be of the user'(world) {
        const options = { client: 'chosen-id' }
        await world.leaveOnline('a', 'Milk\n', { token: changing(), ...options })
        const tab = await world.tab(undefined, { token: changing(), ...options })
        const document = tab.open('a')
        document.append('Tea\n')
        await document.saved()
        await until(() => world.server.text('a').includes('Milk\n'))
        assert.equal(world.server.text('a').length, 'Milk\nTea\n'.length)
        const clients = world.server.received.filter(({ type }) => type === 'hello').map(({ client }) => client)
        assert.deepEqual(clients.map((client) => client === 'chosen-id'), [true, false, true])
        await until(() => world.device.keepsakes.length === 0)
        const named = await world.tab(undefined, { token: changing(), user: 'ann', ...options })
        await named.opened('a')
        assert.equal(world.server.received.findLast(({ type }) => type === 'hello').client, 'chosen-id')
    },

    async 'if the function answers null, the user is signed out, and the text stays'(world) {
        world.server.create('a')
        let isSignedIn = true
        const first = await world.tab(undefined, { token: () => (isSignedIn ? 't' : null) })
        const document = await first.opened('a')
        world.server.pushes = 'lose'
        document.append('Milk\n')
        await until(() => document.isKept)
        first.crash()
        world.server.pushes = 'commit'
        isSignedIn = false
        const tab = await world.tab(undefined, { token: () => null, user: 'ann' })
        const reasons = []
        tab.caret.addEventListener('signedOut', ({ reason }) => reasons.push(reason))
        await until(() => reasons.length === 1)
        assert.deepEqual([reasons, tab.caret.link.reason, tab.open('a').text], [['signed_out'], 'signed_out', 'Milk\n'])
        await settled()
        await world.tab(undefined, { token: changing() })
        await until(() => world.server.text('a') === 'Milk\n')
    },

    async 'a token as a string that has ended signs the user out'(world) {
        world.server.create('a')
        const tab = await world.tab(undefined, { token: 't' })
        await tab.opened('a')
        const reasons = []
        tab.caret.addEventListener('signedOut', ({ reason }) => reasons.push(reason))
        tab.transport.connection.reply({ type: 'bye', reason: 'token_ended' })
        await until(() => reasons.length === 1)
        assert.deepEqual([reasons, tab.caret.link], [['token_ended'], { state: 'ended', reason: 'token_ended' }])
    },

    async 'a function that fails is offline, and the link says why'(world) {
        const tab = await world.tab(undefined, { token: () => { throw new Error('no network') } })
        await until(() => tab.caret.link.state === 'waiting')
        assert.equal(tab.caret.link.reason, 'the token function has failed: no network')
        assert.equal(world.server.received.length, 0)
        await tab.caret.close()
    },
})
