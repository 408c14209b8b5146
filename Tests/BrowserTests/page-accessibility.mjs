// The checks of accessibility.mjs on all screens, and the checks themselves on pages that have faults.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import {
    expectAccessible, expectContrast, expectFocus, expectHarmless, expectNames, expectStillness, expectTouchTargets, hostileColors,
    hostileTexts,
} from './accessibility.mjs'
import { showNotes } from './page-notes.mjs'
import { setWindow, startPages, windows } from './pages.mjs'
import { allOr } from './quick.mjs'

export async function testPageAccessibility(programs) {
    const pages = await startPages(programs)
    await testChecks(pages)
    await testScreens(pages)
    await testHostileNotes(pages)
}

const screens = { documents: '/', editor: '/d/agenda', history: '/d/agenda?rev=1', compare: '/d/agenda?from=1&to=2' }

async function testScreens({ openPage, put }) {
    const agenda = await put('agenda', 'Bring a pen.\n')
    agenda.append('Bring paper.\n')
    await agenda.saved()
    await put('agenda.notes', '[2026-11-22 08:15] Bob: One\nplain\n[2026-11-22 08:15] Ann: Two\n')
    for (const [name, window] of [['phone', windows.phone], ['desktop', windows.desktop]]) {
        for (const [screen, path] of Object.entries(screens)) {
            await test(`${screen} on a ${name}: names, focus, contrast, targets, stillness`, async () => {
                const page = await openPage(path, window)
                await page.waitFor(() => document.querySelector('.screen') && !document.querySelector('[aria-busy="true"]'), 'the screen')
                await expectInSchemes(page, window)
                await page.close()
            })
        }
        await test(`notes on a ${name}: names, focus, contrast, targets, stillness`, async () => {
            const page = await openPage('/', window)
            await showNotes(page, 'agenda')
            await page.waitFor(() => document.querySelector('.notes-count').textContent === '3', 'the notes')
            await expectInSchemes(page, window)
            await page.evaluate(() => document.querySelector('.notes-toggle').click())
            await expectInSchemes(page, window)
            await page.close()
        })
    }
}

async function expectInSchemes(page, window) {
    const isPhone = window === windows.phone
    for (const scheme of allOr([isPhone ? 'light' : 'dark'], ['light', 'dark'], 'names, focus and contrast in the other scheme of each window')) {
        await setWindow(page, window, scheme)
        await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))))
        await expectAccessible(page, { isPhone })
    }
    await expectStillness(page)
}

async function testHostileNotes({ openPage, put, caret }) {
    await test('hostile notes and names do nothing, and stay in their boxes', async () => {
        const lines = hostileTexts.flatMap((text) => [`[2026-11-22 08:15] ${text}: ${text}\n`, `[2026-11-22 08:16] Eve: ${text}\n  ${text}\n`, `${text}\n`])
        await put('<b>hostile</b>.notes', lines.join('').replace(/[\u0000\r]/g, ''))
        for (const window of [windows.small, windows.phone, windows.landscape, windows.desktop]) {
            const page = await openPage('/', window)
            await showNotes(page, '<b>hostile</b>', { author: hostileTexts[0] })
            await page.waitFor(() => document.querySelector('.notes-count').textContent !== '', 'the notes')
            await page.evaluate(() => document.querySelector('.notes-toggle').click())
            assert.ok(await page.evaluate(() => document.querySelectorAll('.note').length) > 20)
            await expectHarmless(page)
            await page.evaluate(() => { for (const button of document.querySelectorAll('.bubble button')) button.click() })
            await expectHarmless(page)
            await page.close()
        }
    })
    await test('a hostile color of a person changes no style', async () => {
        await put('colors.notes', '[2026-11-22 08:15] Eve: One\n')
        for (const color of hostileColors) {
            const page = await openPage('/', windows.phone)
            const colors = await page.evaluate(async (color) => {
                const { avatar } = await import('/repository/Sources/CaretPage/page/dom.js')
                const node = avatar({ name: 'Eve', client: 'x', color })
                document.body.append(node)
                return [node.style.getPropertyValue('--color'), getComputedStyle(node).backgroundImage]
            }, color)
            assert.match(colors[0], /^#[0-9a-f]{6}$/)
            assert.equal(colors[1], 'none')
            await expectHarmless(page)
            await page.close()
        }
        assert.equal(caret.link.state, 'online')
    })
}

/** Each check must find the fault that it is for. */
async function testChecks({ browser }) {
    const faults = [
        ['a button without a name', expectNames, '<button><svg></svg></button>', /without a name/],
        ['gray text on white', expectContrast, '<p style="color: #888">text</p>', /too low/],
        ['half transparent text', expectContrast, '<div style="opacity: .5"><p style="color: #444">text</p></div>', /too low/],
        ['a pale placeholder', expectContrast, '<style>::placeholder { color: #aaa }</style><input placeholder="x">', /too low/],
        ['a small button', expectTouchTargets, '<button style="height: 30px; width: 90px">x</button>', /90×30/],
        ['a focus that cannot be seen', expectFocus, '<style>* { outline: none !important }</style><button>x</button><a href="#">y</a>', /not visible/],
        ['a trap for the focus', expectFocus, '<button>a</button><textarea onkeydown="event.preventDefault()"></textarea><button>b</button>', /stays at/],
        ['a changed order', expectFocus, '<button>a</button><button tabindex="2">b</button>', /positive tabindex/],
        ['a transition', expectStillness, '<p style="transition: color 1s">x</p>', /nodes that move/],
        ['an animation', expectStillness, '<style>@keyframes k { to { opacity: 0 } }</style><p style="animation: k 9s infinite">x</p>', /nodes that move/],
        ['a script that has run', expectHarmless, '<script>globalThis.hasRun = 1</script>', /hasRun: 1/],
        ['a line that is too wide', expectHarmless, `<p>${'M'.repeat(900)}</p>`, /MMM/],
        ['a text outside of its box', expectHarmless, `<div style="width: 50px">${'M'.repeat(9)}</div>`, /MMM/],
        ['a control of the direction', expectHarmless, '<p>a\u202eb</p>', /bidi/],
    ]
    for (const [name, check, body, message] of faults) {
        await test(`the checks find ${name}`, async () => {
            const page = await browser.open(`data:text/html;charset=utf-8,${encodeURIComponent(`<!doctype html><html lang=en><title>x</title><body style="background: white">${body}`)}`)
            await assert.rejects(check(page), message)
            await page.close()
        })
    }
    await test('the checks accept a page without faults', async () => {
        const body = '<h1>Title</h1><p>Read <a href="#">more</a>.</p><button style="min-width: 44px; height: 44px">a</button>'
        const page = await browser.open(`data:text/html,${encodeURIComponent(`<!doctype html><html lang=en><title>x</title><body>${body}`)}`)
        await expectAccessible(page, { isPhone: true })
        await expectStillness(page)
        await expectHarmless(page)
        await page.close()
    })
}
