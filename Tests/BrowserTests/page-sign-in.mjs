// Signing in, signing out and the settings, in Chromium.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { lowContrasts, smallControls } from './accessibility.mjs'
import { press, pressOn, reloads, replace, shows, type } from './page-support.mjs'
import { setWindow, startPages, windows } from './pages.mjs'

export async function testPageSignIn(programs) {
    const locked = await startPages(programs, ['--require-tokens'])
    await locked.server.caret(['put', 'agenda', '--create'], 'text')
    await testSigningIn(locked, await locked.addToken('ann', '--write', ''))
    await testLosingToken(locked, await locked.addToken('bob', '--write', ''))
    const open = await startPages(programs)
    await testSettings(open)
    await testForgetting(open)
}

const stored = (page) => page.evaluate(() => [sessionStorage.getItem('caret.token'), localStorage.getItem('caret.token')])
const signInIsOpen = () => document.querySelector('.sign-in')?.open === true
const problem = (page) => page.evaluate(() => document.querySelector('.sign-in .problem').textContent)

async function testSigningIn({ testPage, origin }, ann) {
    await testPage('without a token the page asks for one, and refuses an unknown one', '/d/agenda', async (page) => {
        await page.waitFor(signInIsOpen, 'the sheet')
        assert.equal(await problem(page), '')
        await shows(page, '.sign-in .host', `to ${origin.slice('http://'.length)}`)
        assert.equal(await page.evaluate(() => document.activeElement.name), 'token')
        await press(page, 'Enter')
        assert.equal(await problem(page), 'Enter a token.')
        await type(page, 'x'.repeat(43))
        await press(page, 'Enter')
        await shows(page, '.sign-in .problem', 'The server does not know this token, or it has ended.')
        assert.deepEqual(await stored(page), [null, null])
        for (let turn = 0; turn < 3; turn++) await press(page, 'Escape')
        assert.ok(await page.evaluate(signInIsOpen))
        await replace(page, ` ${ann} `)
        await reloads(page, () => press(page, 'Enter'))
        await shows(page, '.rows .entry b', 'agenda')
        assert.deepEqual(await stored(page), [ann, null])
        assert.equal(await page.evaluate(() => location.pathname), '/d/agenda')
    })

    await testPage('the token can be shown, and stays on the device only on request', '/', async (page) => {
        await page.waitFor(signInIsOpen, 'the sheet')
        await type(page, ann)
        const typeOfField = () => page.evaluate(() => document.querySelector('[name=token]').type)
        await pressOn(page, 'Show the token')
        assert.equal(await typeOfField(), 'text')
        await pressOn(page, 'Show the token')
        assert.equal(await typeOfField(), 'password')
        await pressOn(page, 'Stay signed in on this device')
        await reloads(page, () => pressOn(page, 'Sign in'))
        await shows(page, '.rows .entry b', 'agenda')
        assert.deepEqual(await stored(page), [ann, ann])
        await pressOn(page, 'Settings')
        await shows(page, '.account p', 'Signed in as ann')
        await reloads(page, () => pressOn(page, 'Sign out'))
        await page.waitFor(signInIsOpen, 'the sheet')
        assert.deepEqual(await stored(page), [null, null])
    })
}

async function testLosingToken({ server, testPage, openPage }, bob) {
    await testPage('after a token is revoked, the page asks for another one', '/', async (page) => {
        await page.waitFor(signInIsOpen, 'the sheet')
        await type(page, bob)
        await reloads(page, () => press(page, 'Enter'))
        await shows(page, '.rows .entry b', 'agenda')
        const [number] = (await server.caret(['token', 'list'])).split('\n').find((line) => line.includes('bob')).match(/\d+/)
        await server.caret(['token', 'revoke', number])
        await page.waitFor(signInIsOpen, 'the sheet')
        assert.equal(await problem(page), 'Your token was revoked. You need another one.')
        assert.deepEqual(await stored(page), [null, null])
    })

    await test('the sign-in has sizes and contrasts that everybody can use', async () => {
        const page = await openPage('/', windows.small)
        await page.waitFor(signInIsOpen, 'the sheet')
        await press(page, 'Enter')
        await expectUsable(page, '.sign-in', '.sign-in')
        await page.close()
    })
}

/** In a small window, light and dark, controls are large enough, texts have contrast, and `body` is not too wide. */
async function expectUsable(page, selector, body) {
    for (const scheme of ['light', 'dark']) {
        await setWindow(page, windows.small, scheme)
        assert.deepEqual([await smallControls(page, selector), await lowContrasts(page, selector)], [[], []])
        assert.ok(await page.evaluate((body) => document.querySelector(body).scrollWidth <= innerWidth, body))
    }
}

/** Chooses one of several settings. */
const choose = (page, name) => page.evaluate((name) => document.querySelector(`dialog [aria-label="${name}"]`).click(), name)

async function testSettings({ testPage }) {
    const look = (page) => page.evaluate(() => {
        const root = document.documentElement
        return [getComputedStyle(root).colorScheme, root.dataset.font, root.classList.contains('unwrapped')]
    })

    await testPage('the look changes at once, and is the same after a reload', '/', async (page) => {
        await pressOn(page, 'Settings')
        await choose(page, 'Dark')
        await choose(page, 'Monospace')
        await pressOn(page, 'Wrap long lines')
        assert.deepEqual(await look(page), ['dark', 'monospace', true])
        await page.evaluate(() => { window.isOld = true })
        await pressOn(page, 'Close')
        await page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
        assert.equal(await page.evaluate(() => window.isOld), true, 'the page was loaded again')
        await reloads(page, () => page.send('Page.reload'))
        await page.waitFor(() => document.querySelector('.list-state'), 'the page')
        assert.deepEqual(await look(page), ['dark', 'monospace', true])
    })

    await testPage('a new name and color hold after the sheet is closed', '/', async (page) => {
        await shows(page, '.link', 'Connected Connected')
        await pressOn(page, 'Your name and color')
        await type(page, '\u00c5sa')
        await page.evaluate(() => document.querySelector('.swatch :checked').focus())
        await press(page, 'ArrowRight')
        await press(page, 'ArrowRight')
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Red')
        await press(page, 'Escape')
        const own = () => page.evaluate(() => {
            const avatar = document.querySelector('.documents .avatar')
            return [avatar.textContent, getComputedStyle(avatar).backgroundColor]
        })
        await shows(page, '.documents .avatar', '\u00c5')
        assert.deepEqual(await own(), ['\u00c5', 'rgb(217, 47, 35)'])
        await reloads(page, () => page.send('Page.reload'))
        await page.waitFor(() => document.querySelector('.documents .avatar'), 'one\u2019s own mark')
        assert.deepEqual(await own(), ['\u00c5', 'rgb(217, 47, 35)'])
    })
}

async function testForgetting({ testPage, openPage }) {
    await testPage('a device that is forgotten keeps nothing', '/', async (page) => {
        await pressOn(page, 'Settings')
        await choose(page, 'Light')
        assert.equal(await page.evaluate(() => localStorage.length), 1)
        await pressOn(page, 'Forget this device')
        await pressOn(page, 'Cancel')
        assert.equal(await page.evaluate(() => localStorage.length), 1)
        await pressOn(page, 'Settings')
        await pressOn(page, 'Forget this device')
        await reloads(page, () => pressOn(page, 'Forget'))
        assert.equal(await page.evaluate(() => localStorage.length), 0)
    })

    await test('the settings have sizes and contrasts that everybody can use', async () => {
        const page = await openPage('/', windows.small)
        await pressOn(page, 'Settings')
        await expectUsable(page, 'dialog', '.sheet-body')
        await page.close()
    })
}
