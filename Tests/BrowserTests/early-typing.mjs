// What a user types into a field before `bind` has run, or before the first text of the document has arrived.
import assert from 'node:assert/strict'
import { connect } from '../../Clients/javascript/caret-node.js'
import { until } from '../CaretPageTests/support.mjs'
import { startServer } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { startRelay } from './relay.mjs'
import { startTabs } from './tabs.mjs'

export { engines } from './browsers.mjs'

export async function testEarlyTyping(programs, engine) {
    const tabs = await startTabs(programs, engine)
    await testTyping(tabs)
    await testScripts(tabs)
    await testReaders(tabs)
}

/** A document with this text, and a page without a client, whose user types in the field. */
async function startEarly({ open, openTab, server }, text) {
    const { tab: first, other, name } = await open(text)
    await first.page.close()
    const relay = await startRelay(server.port)
    const tab = await openTab(name, relay.port, '', { isLate: true })
    await tab.page.waitFor(() => Boolean(globalThis.start), 'a page without a client')
    await tab.focus()
    return { tab, other, name, relay, start: () => tab.evaluate(() => start()) }
}

async function press(tab, text) { for (const letter of text) await tab.press(letter) }

async function testTyping(tabs) {
    await test('what is typed before bind is entered where it was typed', async () => {
        const { tab, other, start } = await startEarly(tabs, 'bread\n')
        await press(tab, 'oat ')
        await start()
        await tab.shows('oat bread\n')
        assert.deepEqual(await tab.selection(), [4, 4])
        await press(tab, 'x')
        await until(() => other.text === 'oat xbread\n', 'the typed text')
        await tab.press('z', { ctrl: true })
        await until(() => other.text === 'bread\n', 'the text after undo')
        assert.deepEqual(tab.page.problems, [])
        await tab.page.close()
    })

    await test('who types already goes on typing until the first text arrives', async () => {
        const { tab, other, relay, start } = await startEarly(tabs, 'bread\n')
        relay.goOffline()
        await press(tab, 'oat')
        await start()
        await tab.page.waitFor(() => Boolean(globalThis.binding), 'a bound field')
        await press(tab, ' ')
        assert.equal(await tab.text(), 'oat ')
        // The program may change its own document meanwhile.
        await tab.evaluate(() => shared.append('!'))
        await tab.press('Backspace')
        assert.equal(await tab.text(), 'oat')
        relay.goOnline()
        await tab.evaluate(() => caret.reconnect())
        await until(() => /^oat/.test(other.text) && other.text.length === 10, 'the typed text')
        await tab.shows(other.text)
        assert.deepEqual(await tab.selection(), [3, 3])
        await tab.page.close()
    })

    await test('an empty document gets what was typed', async () => {
        const { tab, other, start } = await startEarly(tabs, '')
        await press(tab, 'oat')
        await start()
        await until(() => other.text === 'oat', 'the typed text')
        await tab.shows('oat')
        await tab.page.close()
    })

    await test('what is typed into the text of the page goes to the same place in the document', async () => {
        const { tab, other, start } = await startEarly(tabs, 'Tea\nBread\nMilk\n')
        await tab.evaluate(() => { field.defaultValue = 'Tea\nMilk\n' })
        await tab.select(8, 8)
        await press(tab, '!')
        await start()
        await tab.shows('Tea\nBread\nMilk!\n')
        assert.deepEqual(await tab.selection(), [15, 15])
        await until(() => other.text === 'Tea\nBread\nMilk!\n', 'the typed text')
        await tab.page.close()
    })

    await test('a released field that is bound again keeps what was typed meanwhile', async () => {
        const { tab, other, start, name } = await startEarly(tabs, 'abc')
        await start()
        await tab.shows('abc')
        await tab.evaluate(() => binding.release())
        await tab.select(3, 3)
        await press(tab, 'd')
        other.edit([{ range: [0, 0], text: '_' }])
        await tab.page.waitFor(() => shared.text === '_abc', 'the text of the other user')
        await tab.evaluate(() => { globalThis.binding = shared.bind(field) })
        await tab.shows('_abcd')
        await until(() => other.text === '_abcd', 'the typed text')
        await tab.evaluate(() => binding.release())
        await press(tab, 'e')
        await tab.evaluate((name) => {
            globalThis.shared = caret.open(`${name}-2`, { create: true })
            globalThis.binding = shared.bind(field)
        }, name)
        await tab.shows('')
        await tab.page.close()
    })
}

async function testScripts(tabs) {
    await test('neither the text of the page nor a value that a script has set is entered', async () => {
        const { tab, other, start } = await startEarly(tabs, 'abc')
        await tab.evaluate(() => { field.defaultValue = 'Tea' })
        await press(tab, 'x')
        await tab.evaluate(() => { field.value = 'Loading' })
        await start()
        await tab.shows('abc')
        assert.equal(other.text, 'abc')
        assert.equal(await tab.evaluate(() => field.hasAttribute('minlength')), false)
        await tab.page.close()
    })

    await test('a page that is loaded again does not enter its text again', async () => {
        const { tab, other, start } = await startEarly(tabs, '')
        await start()
        await tab.page.waitFor(() => document.title === 'ready', 'an open document')
        await press(tab, 'abc')
        await until(() => other.text === 'abc', 'the typed text')
        // Unlike an address that is opened again, this lets the browser restore the values of fields.
        await tab.page.loads(() => tab.evaluate(() => { setTimeout(() => location.reload()) }))
        await tab.page.waitFor(() => Boolean(globalThis.start), 'a page without a client')
        await tab.focus()
        await press(tab, 'x')
        await start()
        await tab.shows('abc')
        assert.equal(other.text, 'abc')
        await tab.page.close()
    })
}

async function testReaders({ site, programs, wasm, openTab }) {
    await test('a user who may only read sees the document without what they have typed', async () => {
        const locked = await startServer(programs, ['--require-tokens', '--web-origins', site.origin])
        const token = async (...grants) => (await locked.caret(['token', 'add', ...grants])).trim()
        const admin = await connect('127.0.0.1', locked.port, { wasm, token: await token('ann', '--write', '') })
        atEnd(() => admin.close())
        const text = admin.open('a', { create: true })
        text.append('abc')
        await text.saved()
        const tab = await openTab('a', locked.port, await token('bob', '--read', ''), { isLate: true })
        await tab.page.waitFor(() => Boolean(globalThis.start), 'a page without a client')
        await tab.focus()
        await press(tab, 'x')
        await tab.evaluate(() => start())
        await tab.shows('abc')
        assert.deepEqual(await tab.evaluate(() => [field.readOnly, shared.saving.state]), [true, 'saved'])
        await tab.page.close()
    })
}
