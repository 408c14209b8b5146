// Unsaved text of a tab in a real browser survives the tab: it was closed, has crashed, or is loaded again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { until } from '../CaretPageTests/support.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { startRelay } from './relay.mjs'
import { startTabs } from './tabs.mjs'

export async function testKeeping(programs) {
    const tabs = await startTabs(programs)
    await testEnds(tabs)
    await testSeveral(tabs)
    await testLongText(tabs)
    await testLocks(tabs)
}

/** Opens tabs of one browser user, who reaches the server through a relay. */
async function startUser({ server, site, browser, openTab, caret }, name, origin = site.origin) {
    const relay = await startRelay(server.port)
    const other = caret.open(name, { create: true })
    await other.opened()
    const { browserContextId } = await browser.send('Target.createBrowserContext')
    atEnd(() => browser.send('Target.disposeBrowserContext', { browserContextId }).catch(() => {}))
    return {
        other, relay,
        open: (options) => openTab(name, relay.port, '', { browserContextId, origin, ...options }),
        /** A tab with the text, which the server gets only until `typed`. */
        async typed(text) {
            const tab = await this.open()
            await tab.focus()
            relay.goOffline()
            await tab.page.waitFor(() => shared.saving.state === 'offline', 'a lost connection')
            await tab.type(text)
            await tab.page.waitFor(() => shared.isKept, 'text that is kept')
            return tab
        },
    }
}

async function testEnds(tabs) {
    const ends = {
        'was closed': (tab) => tab.page.send('Page.close'),
        'has crashed': async (tab) => {
            const crashed = once(tab.page, 'Inspector.targetCrashed')
            await tab.page.send('Inspector.enable')
            tab.page.send('Page.crash').catch(() => {})
            await crashed
        },
    }
    for (const [end, run] of Object.entries(ends)) {
        await test(`the text of a tab that ${end} is in the next tab, and arrives once`, async () => {
            const user = await startUser(tabs, `end ${end}`)
            const tab = await user.typed('Milk and Tea')
            await run(tab)
            const next = await user.open({ isOffline: true })
            assert.equal(await next.text(), 'Milk and Tea')
            await next.focus()
            await next.select(12, 12)
            await next.type('!')
            user.relay.goOnline()
            await next.evaluate(() => caret.reconnect())
            await until(() => user.other.text === 'Milk and Tea!', 'the text at the other user')
            await next.page.waitFor(async () => (await caret.kept()).length === 0, 'an empty storage')
        })
    }

    await test('a tab that is loaded again offline continues its own text', async () => {
        const user = await startUser(tabs, 'reload')
        const tab = await user.typed('Milk')
        const rival = await user.open({ isOffline: true })
        assert.equal(await rival.text(), '')
        const before = await tab.evaluate(() => sessionStorage.length)
        assert.equal(before, 1)
        await tab.page.send('Page.reload')
        await tab.page.waitFor(() => document.title === 'ready' && shared.text === 'Milk', 'its text')
        user.relay.goOnline()
        await tab.evaluate(() => caret.reconnect())
        await until(() => user.other.text === 'Milk', 'the text at the other user')
    })
}

async function testSeveral(tabs) {
    await test('texts of several closed tabs are saved by the next tab', async () => {
        const user = await startUser(tabs, 'several')
        const open = [await user.open(), await user.open(), await user.open()]
        user.relay.goOffline()
        for (const [index, tab] of open.entries()) {
            await tab.page.waitFor(() => shared.saving.state === 'offline', 'a lost connection')
            await tab.focus()
            await tab.type(`${index}`)
            await tab.page.waitFor(() => shared.isKept, 'text that is kept')
        }
        for (const tab of open) await tab.page.send('Page.close')
        user.relay.goOnline()
        const next = await user.open()
        await until(() => [...user.other.text].sort().join('') === '012', 'all three texts')
        await next.page.waitFor(async () => (await caret.kept()).length === 0, 'an empty storage')
    })
}

async function testLongText(tabs) {
    await test('edits of a long text are stored without the text, and are in the next tab', async () => {
        const user = await startUser(tabs, 'long')
        const text = 'All work and no play.\n'.repeat(2000)
        user.other.replaceText(text)
        await user.other.saved()
        const tab = await user.open()
        await tab.shows(text)
        await tab.focus()
        await tab.select(0, 0)
        await tab.type('Mi')
        await tab.page.waitFor(() => performance.getEntriesByName(`${origin}/caret/long-texts.js`).length > 0, 'a file')
        await tab.type('lk ')
        await until(() => user.other.text === `Milk ${text}`, 'the text at the other user')
        user.other.append('The end.')
        await tab.shows(`Milk ${text}The end.`)
        user.relay.goOffline()
        await tab.page.waitFor(() => shared.saving.state === 'offline', 'a lost connection')
        await tab.type('and Tea ')
        await tab.page.waitFor(() => shared.isKept, 'text that is kept')
        const records = await tab.evaluate(async () => {
            const request = (one) => new Promise((done) => { one.onsuccess = () => done(one.result) })
            const database = await request(indexedDB.open('caret'))
            const found = await request(database.transaction('keepsakes').objectStore('keepsakes').getAll())
            return found.map(({ head, text }) => [head?.length, text?.length])
        })
        const [[head], [, stored]] = records
        assert.ok(records.length === 2 && head < 1000 && stored >= text.length, JSON.stringify(records))
        await tab.page.send('Page.close')
        const next = await user.open({ isOffline: true })
        assert.equal(await next.text(), `Milk and Tea ${text}The end.`)
        user.relay.goOnline()
        await next.evaluate(() => caret.reconnect())
        await until(() => user.other.text === `Milk and Tea ${text}The end.`, 'the text at the other user')
        await next.page.waitFor(async () => (await caret.kept()).length === 0, 'an empty storage')
    })
}

async function testLocks(tabs) {
    await test('over plain HTTP, the next tab waits until no tab objects', async () => {
        // Browsers give the lock manager to pages of 127.0.0.1, but not to those of other names over plain HTTP.
        const user = await startUser(tabs, 'plain', tabs.site.plainOrigin)
        const tab = await user.typed('Milk')
        assert.equal(await tab.evaluate(() => navigator.locks === undefined), true)
        const rival = await user.open({ isOffline: true })
        assert.equal(await rival.text(), '')
        await rival.page.send('Page.close')
        await tab.page.send('Page.close')
        const next = await user.open({ isOffline: true })
        assert.equal(await next.text(), 'Milk')
        user.relay.goOnline()
        await next.evaluate(() => caret.reconnect())
        await until(() => user.other.text === 'Milk', 'the text at the other user')
    })
}
