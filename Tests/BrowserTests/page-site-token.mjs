// A page whose site signs its users in (page_token_path), behind one origin with a backend.
import assert from 'node:assert/strict'
import { until } from '../CaretPageTests/support.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { lowContrasts, smallControls } from './accessibility.mjs'
import { unrelatedToCuts } from './browsers.mjs'
import { makeSite, startJoinedSite } from './joined-site.mjs'
import { connectsNow, hasPageOffline, press, pressOn, shows, type } from './page-support.mjs'
import { isLostConnection, startPages, windows } from './pages.mjs'

export { engines } from './browsers.mjs'

export async function testPageSiteToken(programs, engine) {
    const made = await makeSite()
    const pages = await startPages(programs, made.options, engine)
    const site = await startJoinedSite(programs, pages.server.port, made)
    const open = (path, window = windows.desktop) => pages.openPage(path, window, 'light', site.origin)
    const all = { ...pages, site, open }
    await testSigningIn(all)
    await testSignedOut(all)
    await testVerifiedName(all)
    await testReloads(all)
}

/** The page has all its parts, and a connection. */
const isOnline = () => document.querySelector('.link')?.dataset.link === 'online'
const signInIsOpen = () => document.querySelector('.sign-in')?.open === true

/** Who is signed in, as the settings say, and the buttons below. */
async function account(page) {
    await pressOn(page, 'Settings')
    await page.waitFor(() => document.querySelector('.account p'), 'the settings')
    const found = await page.evaluate(() => [
        document.querySelector('.account p').textContent,
        [...document.querySelectorAll('.account button')].map((button) => button.textContent),
    ])
    await press(page, 'Escape')
    return found
}

/** Everything that this browser has stored for the page, as one text. */
const storedText = (page) => page.evaluate(async () => {
    const texts = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })]
    for (const name of await caches.keys()) {
        const cache = await caches.open(name)
        for (const request of await cache.keys()) texts.push(request.url, await (await cache.match(request)).text())
    }
    for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((done) => { indexedDB.open(name).onsuccess = ({ target }) => done(target.result) })
        for (const store of database.objectStoreNames) {
            const rows = await new Promise((done) => {
                database.transaction(store).objectStore(store).getAll().onsuccess = ({ target }) => done(target.result)
            })
            texts.push(JSON.stringify(rows))
        }
        database.close()
    }
    return texts.join('\n')
})

/** Browsers report each answer with such a status. */
const without = (page, status) => unrelatedToCuts(page.problems).filter((problem) => !problem.includes(`status of ${status}`))

async function testSigningIn({ site, open, addToken }) {
    await test('the page gets its token from the site, and no storage has it', async () => {
        const page = await open('/sign-in/ann')
        await page.waitFor(isOnline, 'the documents')
        const [{ cookie, origin, 'caret-page': field }] = site.requests
        assert.deepEqual([cookie, origin, field], ['session=ann', site.origin, '1'])
        assert.deepEqual(await account(page), ['Signed in as ann', ['Forget this device']])
        await hasPageOffline(page)
        const before = site.requests.length
        await page.reload()
        await page.waitFor(isOnline, 'the documents')
        assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null))
        assert.equal(site.requests.length, before + 1)
        const stored = await storedText(page)
        assert.ok(stored.includes('/page/app-') && stored.includes('caret-token-path'))
        // The header of each token begins so.
        assert.ok(!stored.includes('eyJ'), 'a token is stored')
        assert.deepEqual(page.problems, [])
        await page.close()
    })

    await test('neither a link with a token nor an older token changes who is signed in', async () => {
        const bob = await addToken('bob', '--write', '')
        const page = await open('/sign-in/ann')
        await page.waitFor(isOnline, 'the documents')
        await page.evaluate((token) => { for (const storage of [localStorage, sessionStorage]) storage.setItem('caret.token', token) }, bob)
        await page.goTo('about:blank')
        await page.goTo(`${site.origin}/#token=${bob}`)
        await page.waitFor(isOnline, 'the documents')
        assert.deepEqual(await account(page), ['Signed in as ann', ['Forget this device']])
        const left = await page.evaluate(() => [location.hash, localStorage.getItem('caret.token'), sessionStorage.getItem('caret.token')])
        assert.deepEqual(left, ['', null, null])
        assert.deepEqual(page.problems, [])
        await page.close()
    })
}

async function testSignedOut({ site, open }) {
    await test('nobody is signed in: the page asks for no token, and works after a sign-in and a reload', async () => {
        const page = await open('/', windows.small)
        await page.waitFor(signInIsOpen, 'the sheet')
        await shows(page, '.sign-in .quiet-text', 'You are not signed in to this site, or your session has ended. Sign in there, and then reload this page.')
        assert.equal(await page.evaluate(() => document.querySelector('.sign-in input')), null)
        for (let turn = 0; turn < 3; turn++) await press(page, 'Escape')
        assert.ok(await page.evaluate(signInIsOpen))
        assert.deepEqual([await smallControls(page, '.sign-in'), await lowContrasts(page, '.sign-in')], [[], []])
        await page.evaluate(() => fetch('/sign-in/ann').then(() => {}))
        await page.loads(() => pressOn(page, 'Reload'))
        await page.waitFor(isOnline, 'the documents')
        assert.deepEqual(without(page, 401), [])
        await page.close()
    })

    await test('a backend that fails means offline, and the page goes on by itself', async () => {
        const page = await open('/')
        await page.waitFor(signInIsOpen, 'the sheet')
        site.answer = 503
        await page.evaluate(() => fetch('/sign-in/ann').then(() => {}))
        await page.reload()
        await shows(page, '.link', /Offline/)
        assert.ok(!await page.evaluate(signInIsOpen))
        assert.match(await page.evaluate(() => document.querySelector('.link .state').title), /\/sign-in\/token has answered with status 503/)
        site.answer = null
        await connectsNow(page)
        assert.deepEqual(without(page, 503).filter((problem) => !problem.includes('status of 401')), [])
        await page.close()
    })
}

async function testVerifiedName({ server, site, open }) {
    await test('a name of the token is read-only in the settings, and others see that it is verified', async () => {
        await server.caret(['put', 'names', '--create'], 'Milk')
        site.claims = ['--name', 'Ann Bird', '--color', '#0a8264']
        const ann = await open('/sign-in/ann')
        await ann.waitFor(isOnline, 'the documents')
        await pressOn(ann, 'Your name and color')
        await shows(ann, '.settings .person', /Ann Bird Your name comes from your account\.$/)
        assert.equal(await ann.evaluate(() => document.querySelector('.settings [name=settings-color], .settings [type=text]')), null)
        assert.deepEqual([await smallControls(ann, '.settings'), await lowContrasts(ann, '.settings')], [[], []])
        await press(ann, 'Escape')
        await ann.goTo(`${site.origin}/d/names`)
        await ann.waitFor(() => document.querySelector('.text')?.value === 'Milk', 'the text')
        await ann.waitFor(isOnline, 'the whole page')
        site.claims = []
        const bob = await open('/sign-in/bob')
        await bob.waitFor(isOnline, 'the documents')
        await bob.goTo(`${site.origin}/d/names`)
        await bob.waitFor(isOnline, 'the whole page')
        await pressOn(bob, 'People: Ann Bird')
        await shows(bob, '.people-list button b', 'Ann Bird')
        const marks = (page) => page.evaluate(() => [...document.querySelectorAll('.people-list .verified')].map((mark) => mark.getAttribute('aria-label')))
        assert.deepEqual(await marks(bob), ['verified'])
        await pressOn(ann, 'People: bob')
        await shows(ann, '.people-list button b', 'bob')
        assert.deepEqual(await marks(ann), [])
        await shows(ann, '.people-list div.person', /Ann Bird You$/)
        assert.deepEqual([...ann.problems, ...bob.problems], [])
        for (const page of [ann, bob]) await page.close()
    })
}

async function testReloads({ server, site, open }) {
    const textIs = (page, text) => page.waitFor((text) => document.querySelector('.text')?.value === text, `the text ${text}`, text)
    const serverHas = (name, text) => until(async () => (await server.caret(['cat', name])) === text, `the text ${text} at the server`)
    const textOf = (page) => page.evaluate(() => document.querySelector('.text').value)
    /** A page with the document, and the caret at the end of its text. */
    const editor = async (name) => {
        await server.caret(['put', name, '--create'], 'Milk')
        const page = await open('/sign-in/ann')
        await page.waitFor(isOnline, 'the documents')
        await page.goTo(`${site.origin}/d/${name}`)
        await textIs(page, 'Milk')
        await focusAtEnd(page)
        return page
    }
    const focusAtEnd = (page) => page.evaluate(() => {
        const field = document.querySelector('.text')
        field.focus()
        field.setSelectionRange(field.value.length, field.value.length)
    })
    /** Browsers report that they did not reach the server, or that a page was left while it loaded a file. */
    const isExpected = (problem) => isLostConnection(problem) || /\/sign-in\/token|NS_BINDING_ABORTED/.test(problem)
    /** Loads the page again as soon as it does not ask before. It asks while a change is not on the device. */
    const reloads = async (page) => {
        await page.waitFor(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })), 'text that is kept')
        await page.reload()
    }
    /** The text arrived once, and the page can go on. */
    const goesOn = async (page, name) => {
        await textIs(page, 'Milk and tea')
        await serverHas(name, 'Milk and tea')
        await focusAtEnd(page)
        await type(page, '!')
        await serverHas(name, 'Milk and tea!')
        assert.equal(await textOf(page), 'Milk and tea!')
        assert.deepEqual(page.problems.filter((problem) => !isExpected(problem)), [])
        await page.close()
    }

    await test('a page that was loaded again without a connection has the unsaved text with its next token', async () => {
        const page = await editor('offline')
        site.goOffline()
        await type(page, ' and tea')
        await shows(page, '.banner', /Kept on this device/)
        await page.reload()
        assert.equal(await server.caret(['cat', 'offline']), 'Milk')
        site.goOnline()
        await goesOn(page, 'offline')
    })

    await test('a page that was loaded again before its push was acked has the text once', async () => {
        const page = await editor('unacked')
        site.holdAnswers()
        await type(page, ' and tea')
        await serverHas('unacked', 'Milk and tea')
        await reloads(page)
        await goesOn(page, 'unacked')
    })

    await test('a page that was loaded again while it waited for its next token has the text once', async () => {
        site.claims = ['--expires', '12s']
        const page = await editor('rotation')
        const before = site.requests.length
        let release
        site.answer = () => new Promise((resolve) => { release = resolve })
        await until(() => site.requests.length === before + 1, 'the request for the next token')
        site.answer = null
        site.claims = []
        site.holdAnswers()
        await type(page, ' and tea')
        await serverHas('rotation', 'Milk and tea')
        await reloads(page)
        release()
        await goesOn(page, 'rotation')
    })

    await test('another user who signs in meanwhile does not get the unsaved text, and the first one keeps it', async () => {
        const page = await editor('users')
        site.goOffline()
        await type(page, ' and tea')
        await shows(page, '.banner', /Kept on this device/)
        // With a connection, the page of ann would save the text before it is left.
        await page.goTo(`${site.origin}/sign-in/bob`)
        site.goOnline()
        await page.waitFor(isOnline, 'the documents of bob')
        await page.goTo(`${site.origin}/d/users`)
        await textIs(page, 'Milk')
        assert.equal(await server.caret(['cat', 'users']), 'Milk')
        await page.goTo(`${site.origin}/sign-in/ann`)
        await page.waitFor(isOnline, 'the documents of ann')
        await page.goTo(`${site.origin}/d/users`)
        await goesOn(page, 'users')
    })
}
