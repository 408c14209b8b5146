// The editor while its connection is cut, or its server is killed. No text may be lost.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { until } from '../CaretPageTests/support.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { click, asksBeforeLeaving, goOffline, inSituation, insert, showsText, words } from './page-editor.mjs'
import { shows } from './page-support.mjs'
import { startPages, windows } from './pages.mjs'
import { startRelay } from './relay.mjs'

export async function testPageEditorLinks(programs) {
    const pages = await startPages(programs)
    const relay = await startRelay(pages.server.port)
    const openBehindRelay = async (path) => {
        relay.goOnline()
        const page = await pages.openPage(path, windows.phone)
        await page.goTo(`http://127.0.0.1:${relay.port}${path}`)
        await inSituation(page, 'saved')
        return page
    }
    /** The failed connections are reported, and nothing else may be. */
    const expectCutsOnly = async (page) => {
        const others = page.problems.filter((problem) => !/WebSocket connection to .* failed|ERR_CONNECTION|502|when fetching the script|Failed to load resource/.test(problem))
        assert.deepEqual(others, [])
        await page.close()
    }

    await test('while offline, typing goes on, and is saved afterwards', async () => {
        const trip = await pages.put('trip', 'Pack\n')
        const page = await openBehindRelay('/d/trip')
        await goOffline(page, relay)
        await insert(page, 'Boots\n')
        await page.waitFor(() => /Next attempt in \d+/.test(document.querySelector('.banner')?.textContent), 'the countdown')
        assert.equal(await words(page, '.words'), 'Offline')
        await shows(page, '.banner', /^Offline\. Kept on this device\./)
        assert.equal(await asksBeforeLeaving(page), false)
        trip.append('Maps\n')
        await trip.saved()
        // Going to the documents and back loses nothing.
        await click(page, 'a.back')
        await page.waitFor(() => document.body.dataset.screen === 'documents', 'the documents')
        assert.equal(await asksBeforeLeaving(page), false)
        await page.evaluate(() => history.back())
        await page.waitFor(() => document.querySelector('.text')?.value.includes('Boots'), 'the typed text')
        relay.goOnline()
        await click(page, '.banner button', 'Now')
        await inSituation(page, 'saved')
        await until(() => trip.text.includes('Boots'), 'the typed text of the page')
        await showsText(page, trip.text)
        assert.equal(await page.evaluate(() => document.querySelector('.banner')), null)
        assert.equal(await asksBeforeLeaving(page), false)
        await expectCutsOnly(page)
    })

    await test('what was typed before leaving is saved without the editor', async () => {
        const diary = await pages.put('diary', 'Monday\n')
        const page = await openBehindRelay('/d/diary')
        await goOffline(page, relay)
        await insert(page, 'Sunny\n')
        await click(page, 'a.back')
        await page.waitFor(() => document.body.dataset.screen === 'documents', 'the documents')
        relay.goOnline()
        await until(() => diary.text.includes('Sunny'), 'the typed text')
        await expectCutsOnly(page)
    })

    await test('text typed while the server is dead is saved by the next one', async () => {
        const poem = await pages.put('poem', 'Roses\n')
        const page = await pages.openPage('/d/poem')
        await inSituation(page, 'saved')
        const { server } = pages
        server.child.kill('SIGKILL')
        await once(server.child, 'close')
        await inSituation(page, 'offline')
        await insert(page, 'Violets\n')
        await pages.restart()
        await inSituation(page, 'saved')
        await until(() => poem.text.includes('Violets') && poem.text.includes('Roses'), 'both texts')
        await showsText(page, poem.text)
        await expectCutsOnly(page)
    })
}
