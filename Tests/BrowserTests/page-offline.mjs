// The page without a network, and with a server that is replaced by another version.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { startChangingSite } from './changing-site.mjs'
import { startPages, windows } from './pages.mjs'
import { allOr } from './quick.mjs'

export async function testPageOffline(programs) {
    const { openPage, server, put } = await startPages(programs)
    const site = await startChangingSite(server.port)
    const files = Object.keys(await (await fetch(`${site.origin}/page/files.json`)).json())
    /** The path of a script whose name begins with a word. */
    const pathOf = (word) => files.find((path) => path.startsWith(`/page/${word}-`) && path.endsWith('.js'))
    const versionsOf = (page) => versionsIn(page, pathOf('app'), pathOf('chunk'))
    await put('agenda', 'Bring a pen.\n')
    // On a slow machine, the page may get the old version once more.
    const update = async (page, version) => {
        site.change = versioned(version)
        await reload(page)
        await page.waitFor(async (version, path) => {
            const names = (await caches.keys()).filter((name) => name.startsWith('caret-files-'))
            const [newest] = names.sort().slice(-1)
            const app = await (await caches.open(newest)).match(path)
            return (await app?.text())?.endsWith(`version ${version}`) && (await caches.match('/page/files.json', { cacheName: newest }))
        }, `version ${version}`, version, pathOf('app'))
        await reload(page)
    }
    const testOffline = (title, body) => test(title, async () => {
        Object.assign(site, { isDown: false, change: (path, bytes) => bytes })
        const page = await openPage('/', windows.phone, 'light', site.origin)
        await waitForSet(page, 1)
        await body(page)
        Object.assign(site, { isDown: false, change: (path, bytes) => bytes })
        await page.close()
    })

    await testOffline('without a server, every address of the page still opens', async (page) => {
        assert.deepEqual(page.problems, [])
        site.isDown = true
        for (const path of ['/', '/d/agenda', '/d/folder/a%20name?rev=2']) {
            await page.goTo(`${site.origin}${path}`)
            await page.waitFor(() => document.querySelector('main#screen'), path)
            assert.ok((await page.evaluate(() => document.title)).endsWith('Caret'))
            assert.ok(await page.evaluate(() => getComputedStyle(document.body).position === 'fixed'), 'the style sheets')
        }
    })

    await testOffline('the worker keeps the files of the page, and nothing else', async (page) => {
        await reload(page)
        const [fromDocs, kept, list] = await page.evaluate(async () => {
            const text = await (await fetch('/docs/agenda')).text()
            await fetch('/metrics')
            const kept = []
            for (const name of (await caches.keys()).filter((name) => name.startsWith('caret-files-'))) {
                for (const { url } of await (await caches.open(name)).keys()) kept.push(new URL(url).pathname)
            }
            return [text, kept, await (await fetch('/page/files.json')).json()]
        })
        assert.equal(fromDocs, 'Bring a pen.\n')
        assert.deepEqual(kept.sort(), ['/page/files.json', ...Object.keys(list)].sort())
        site.isDown = true
        assert.equal(await page.evaluate(() => fetch('/docs/agenda').then(() => 'kept', () => 'not kept')), 'not kept')
    })

    await testOffline('a new version of the server comes with the next load', async (page) => {
        await update(page, 2)
        assert.deepEqual(await versionsOf(page), [2, 2, 2])
    })

    await testOffline('a page begins with the files it has while the worker asks, but runs none of an old version', async (page) => {
        const noted = (version) => (path, bytes) => {
            const changed = versioned(version)(path, bytes)
            return path === pathOf('app') ? `sessionStorage.ran += ' ${version}'\n${changed}` : changed
        }
        let documents = 0
        await page.send('Network.enable')
        page.on('Network.requestWillBeSent', ({ type }) => { if (type === 'Document') documents++ })
        // On a slow machine, the answer about a new version may come too late.
        for (let version = 2; version < 9; version++) {
            await page.evaluate(() => { sessionStorage.ran = '' })
            site.change = noted(version)
            documents = 0
            await reload(page)
            await waitForSet(page, version)
            const ran = await page.evaluate(() => sessionStorage.ran)
            if (ran !== ` ${version}`) continue
            assert.deepEqual(await versionsOf(page), [version, version, version])
            assert.equal(documents, 2)
            documents = 0
            await reload(page)
            assert.equal(documents, 1)
            return
        }
        assert.fail('each page ran an old version')
    })

    await testOffline('a slow server gives the old version at once, and the new one later', async (page) => {
        await update(page, 2)
        const change = versioned(3)
        site.change = async (path, bytes, isForDigest = false) => {
            // The list of digests reads all files, one after the other.
            if (!isForDigest) await new Promise((later) => setTimeout(later, 700))
            return change(path, bytes)
        }
        await reload(page)
        assert.deepEqual(await versionsOf(page), [2, 2, 2])
        await waitForSet(page, 3)
        await reload(page)
        assert.deepEqual(await versionsOf(page), [3, 3, 3])
    })

    for (const share of allOr([0.5, 1.5], [0.02, 0.5, 0.98, 1.02, 1.5, 1.98], 'a new version at four of six moments')) {
        await testOffline(`a server that changes after ${share * 100} % of its files gives no mixed set`, async (page) => {
            await update(page, 2)
            let asked = 0
            const [old, next] = [versioned(3), versioned(4)]
            site.change = (path, bytes, isForDigest = false) => {
                if (path === '/service-worker.js') return bytes
                if (!isForDigest) asked++
                return (asked <= share * (files.length + 1) ? old : next)(path, bytes)
            }
            for (let round = 0; round < 2; round++) {
                await reload(page)
                const versions = await versionsOf(page)
                assert.equal(new Set(versions).size, 1, `${versions}`)
                assert.deepEqual(await versionsInSets(page), (await versionsInSets(page)).map((found) => found.slice(0, 1)))
            }
            await update(page, 4)
            assert.deepEqual(await versionsOf(page), [4, 4, 4])
        })
    }

    await testOffline('an open page keeps its version, also after a new worker has started', async (page) => {
        await update(page, 2)
        await page.send('ServiceWorker.enable')
        site.change = versioned(3)
        await page.evaluate(async () => (await navigator.serviceWorker.ready).update())
        await waitForSet(page, 3)
        await page.send('ServiceWorker.stopAllWorkers')
        assert.match(await page.evaluate(async (path) => (await fetch(path)).text(), pathOf('late')), /version 2$/)
        await reload(page)
        assert.deepEqual(await versionsOf(page), [3, 3, 3])
        await page.waitFor(async () => (await caches.keys()).includes('caret-files-3'), 'the new set')
    })

    await testOffline('if the server has no such files any more, the page does not stay old', async (page) => {
        site.change = (path, bytes) => {
            if (path === '/page/files.json') throw new Error('missing')
            return versioned(2)(path, bytes)
        }
        // If the answer comes too late, the page is an old one.
        for (let attempt = 0; attempt < 9 && (await versionsOf(page))[2] !== 2; attempt++) await reload(page)
        assert.deepEqual(await versionsOf(page), [2, 2, 2])
    })

    await testOffline('the page can be installed', async (page) => {
        const { errors, data } = await page.send('Page.getAppManifest')
        assert.deepEqual(errors, [])
        const { name, display, icons } = JSON.parse(data)
        assert.deepEqual([name, display, icons.map(({ purpose }) => purpose)], ['Caret', 'standalone', ['any', 'maskable']])
        const { installabilityErrors } = await page.send('Page.getInstallabilityErrors')
        // A private window, as tests have, can install nothing.
        assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'), [])
    })
}

async function reload(page) {
    await page.goTo(await page.evaluate(() => location.href))
    await page.waitFor(() => document.querySelector('main#screen'), 'the page')
}

const waitForSet = (page, number) => page.waitFor(async (number) => {
    const names = (await caches.keys()).filter((name) => name.startsWith('caret-files-'))
    const newest = names.find((name) => name === `caret-files-${number}`)
    const isReady = newest && await (await caches.open(newest)).match('/page/files.json')
    const { installing, waiting, active } = await navigator.serviceWorker.ready
    return isReady && !installing && !waiting && active.state === 'activated'
}, `set ${number}`, number)

/** Adds a version to the scripts and style sheets, as if all had changed. */
function versioned(version) {
    return (path, bytes) => (/\.(js|css)$/.test(path) ? `${bytes}\n${path.endsWith('.css')
        ? `:root { --version-${path.match(/(\w+)-/)[1]}: ${version} }` : `/* version ${version}`.replace('/*', '//')}` : bytes)
}

/** The versions of two scripts, and of a style sheet that the page has loaded. */
const versionsIn = (page, ...paths) => page.evaluate(async (paths) => {
    const number = async (path) => Number((await (await fetch(path)).text()).match(/version (\d+)$/)?.[1])
    return [...await Promise.all(paths.map(number)),
        Number(getComputedStyle(document.documentElement).getPropertyValue('--version-start'))]
}, paths)

/** For each set, the versions of its files. */
const versionsInSets = (page) => page.evaluate(async () => {
    const found = []
    for (const name of (await caches.keys()).filter((name) => name.startsWith('caret-files-'))) {
        const cache = await caches.open(name)
        const texts = await Promise.all((await cache.keys()).map(async (key) => (await cache.match(key)).text()))
        found.push([...new Set(texts.map((text) => text.match(/version (\d+)$/)?.[1]).filter(Boolean))])
    }
    return found
})
