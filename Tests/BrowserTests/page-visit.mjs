// The first visit of the page: what it loads before the first text, and what comes later.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { startChangingSite } from './changing-site.mjs'
import { inSituation, insert } from './page-editor.mjs'
import { hasPageOffline, pressOn, shows, trapAtInsert, trapsOnDemand } from './page-support.mjs'
import { startPages } from './pages.mjs'
import { measureVisit } from './visit.mjs'

/** The most requests before the first text, and the most bytes that they bring over the network. */
const limits = { requests: 7, bytes: 96_000 }

export async function testPageVisit(programs) {
    const pages = await startPages(programs)
    await pages.put('agenda', 'Bring a pen.\n')
    await testRequests(pages)
    await testFailures(pages)
}

async function testRequests({ origin, openPage }) {
    const testVisit = (title, body) => test(title, async () => {
        const page = await openPage('blank', undefined, 'light', 'about:')
        await body(page)
        assert.deepEqual(page.problems, [])
        await page.close()
    })

    await testVisit('a first visit loads few files before the text of a document', async (page) => {
        const { requests, bytes } = await measureVisit(page, `${origin}/d/agenda`)
        assert.ok(requests.includes('/ws') && requests.includes('/caret/caret.wasm'), `${requests}`)
        assert.ok(requests.length <= limits.requests, `${requests}`)
        assert.ok(bytes > 50_000 && bytes <= limits.bytes, `${bytes} bytes`)
    })

    await testVisit('a second visit loads no file over the network', async (page) => {
        await measureVisit(page, `${origin}/d/agenda`)
        await hasPageOffline(page)
        const { requests, bytes } = await measureVisit(page, `${origin}/d/agenda`)
        assert.ok(requests.includes('/caret/caret.wasm'), `${requests}`)
        assert.equal(bytes, 0)
    })

    await testVisit('each file is loaded once', async (page) => {
        const paths = []
        await page.send('Network.enable')
        page.on('Network.requestWillBeSent', ({ request }) => paths.push(new URL(request.url).pathname))
        await page.goTo(`${origin}/d/agenda`)
        await page.waitFor(() => document.querySelector('.documents .entry:not(.waiting)'), 'the list of documents')
        assert.ok(paths.some((path) => path.startsWith('/page/late-')), `${paths}`)
        assert.equal(new Set(paths).size, paths.length, `${paths}`)
    })
}

async function testFailures({ server, openPage, put }) {
    const site = await startChangingSite(server.port)
    const failing = (name) => (path, bytes) => {
        if (path.startsWith(`/page/${name}`) && !path.endsWith('.json')) throw new Error('missing')
        return bytes
    }

    await test('a text can be edited while the rest of the page is missing, which comes later', async () => {
        site.change = failing('late')
        const page = await openPage('/d/agenda', undefined, 'light', site.origin)
        await inSituation(page, 'saved')
        await pressOn(page, 'More')
        await shows(page, '.notices', /^A part of this page could not be loaded\./)
        assert.equal(await page.evaluate(() => document.querySelector('.documents')), null)
        await page.waitFor(() => document.querySelector('.notices').textContent === '', 'no notice')
        await page.evaluate(() => document.querySelector('a.back').click())
        await shows(page, '.notices', /^A part of this page could not be loaded\./)
        assert.equal(await page.evaluate(() => location.pathname), '/d/agenda')
        site.change = (path, bytes) => bytes
        await insert(page, 'x')
        await page.waitFor(() => document.querySelector('.documents .entry:not(.waiting)'), 'the list of documents')
        await page.waitFor(() => document.querySelector('.notes-bar'), 'the notes')
        await page.close()
    })

    await test('a text can be edited while the carets of others cannot be shown, which come later', async () => {
        site.change = failing('field-layout')
        const page = await openPage('/d/agenda', undefined, 'light', site.origin)
        const other = await openPage('/d/agenda', undefined, 'light', server.origin)
        await inSituation(page, 'saved')
        await insert(page, 'y')
        await Promise.all([inSituation(page, 'saved'), inSituation(other, 'saved')])
        await insert(other, 'z')
        await page.waitFor(() => document.querySelector('.text').value.includes('z'), 'the text of others')
        site.change = (path, bytes) => bytes
        await insert(other, 'w')
        await page.waitFor(() => {
            const hosts = [...document.querySelectorAll('.stage > *')].filter((node) => node.shadowRoot)
            return hosts.some((host) => host.shadowRoot.querySelector('.caret'))
        }, 'the caret of the other')
        await other.close()
        await page.close()
    })

    await test('before the layout is loaded, changes of others do not move the text in the view', async () => {
        let release
        const released = new Promise((resolve) => { release = resolve })
        site.change = async (path, bytes) => {
            if (path.startsWith('/page/field-layout')) await released
            return bytes
        }
        const lines = await put('lines', Array.from({ length: 200 }, (_, index) => `Line ${index}\n`).join(''))
        const page = await openPage('/d/lines', undefined, 'light', site.origin)
        await inSituation(page, 'saved')
        const top = await page.evaluate(() => {
            const field = document.querySelector('.text')
            field.scrollTop = 2_000
            return field.scrollTop
        })
        lines.edit([{ range: [0, 0], text: 'More\n'.repeat(10) }])
        await lines.saved()
        release()
        await page.waitFor(() => document.querySelector('.text').value.startsWith('More'), 'the change')
        const high = await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector('.text')).lineHeight))
        assert.equal(Math.round(await page.evaluate(() => document.querySelector('.text').scrollTop)), Math.round(top + 10 * high))
        site.change = (path, bytes) => bytes
        await page.close()
    })

    await test('after a fault of the module before the rest of the page has arrived, the text can be copied', async () => {
        let release
        const released = new Promise((resolve) => { release = resolve })
        site.change = async (path, bytes) => {
            if (path.startsWith('/page/late')) await released
            return bytes
        }
        const page = await openPage('/healthz', undefined, 'light', site.origin)
        await trapsOnDemand(page)
        await page.send('Page.navigate', { url: `${site.origin}/d/agenda` })
        await inSituation(page, 'saved')
        await trapAtInsert(page, 'x')
        await inSituation(page, 'trapped')
        release()
        await page.waitFor(() => document.querySelector('.to-copy')?.value.includes('x'), 'the text to copy')
        site.change = (path, bytes) => bytes
        await page.close()
    })

    await test('a page that cannot load the screen of its address says so', async () => {
        site.change = failing('late')
        const page = await openPage('/d/agenda?rev=1', undefined, 'light', site.origin)
        await shows(page, '.plain', /^This page cannot start A part of this page could not be loaded\..* agenda /)
        await page.close()
    })
}
