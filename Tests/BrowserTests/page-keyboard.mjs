// The page with the keyboard alone: the way to a document, the list, menus, and the keys that work everywhere.
import assert from 'node:assert/strict'
import { expectContrast, expectNames, smallControls } from './accessibility.mjs'
import { press, pressOn, replace, shows, type } from './page-support.mjs'
import { startPages, windows } from './pages.mjs'

const hasList = (page) => page.waitFor(() => document.querySelectorAll('.rows .entry').length > 2, 'the list')
const hasText = (page) => page.waitFor(() => document.querySelector('.editor[data-situation="saved"] .text'), 'the text')
const at = (page, path) => page.waitFor((path) => location.pathname === path, `the address ${path}`, path)
const noSheet = (page) => page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
const focused = (page) => page.evaluate(() => {
    const node = document.activeElement
    return node.getAttribute('aria-label') ?? node.innerText.split('\n')[0]
})
const options = (page) => page.evaluate(() => [...document.querySelectorAll('[role=option]')].map((one) => one.innerText.replace(/\n/g, ' ')))
const chosen = (page) => page.evaluate(() => {
    const field = document.querySelector('[role=combobox]')
    const [node, ...others] = document.querySelectorAll('[aria-selected=true]')
    return others.length === 0 && field.getAttribute('aria-activedescendant') === node.id && node.innerText.split('\n')[0]
})

export async function testPageKeyboard(programs) {
    const pages = await startPages(programs)
    for (const name of ['zoo', 'notes/today', 'notes/trip', 'agenda']) await pages.put(name, `${name}\n`)
    await testGoTo(pages)
    await testKeys(pages)
    await testRows(pages)
    await testMenus(pages)
}

async function testGoTo({ testPage }) {
    await testPage('Control and K goes to a document by a part of its name, the last one first', '/d/agenda', async (page) => {
        await Promise.all([hasList(page), hasText(page)])
        await press(page, 'k', { ctrl: true })
        await page.waitFor(() => document.activeElement.matches('[role=combobox]'), 'the field with the focus')
        assert.deepEqual(await options(page), ['agenda', 'trip notes', 'today notes', 'zoo'])
        await expectNames(page)
        await expectContrast(page)
        await type(page, 'NOTES')
        assert.deepEqual(await options(page), ['trip notes', 'today notes', 'Create \u201cNOTES\u201d'])
        for (const name of ['today', 'Create \u201cNOTES\u201d', 'trip', 'today']) {
            assert.notEqual(await chosen(page), name)
            await press(page, 'ArrowDown')
            assert.equal(await chosen(page), name)
        }
        await press(page, 'Enter')
        await at(page, '/d/notes/today')
        await noSheet(page)
        await hasText(page)
        assert.equal(await focused(page), 'Text')
    })

    await testPage('it creates a document, and Escape leaves it where it was', '/', async (page) => {
        await hasList(page)
        await press(page, 'k', { ctrl: true })
        await type(page, 'new/one')
        assert.deepEqual(await options(page), ['Create \u201cnew/one\u201d'])
        await press(page, 'Enter')
        await at(page, '/d/new/one')
        await hasText(page)
        await press(page, 'k', { ctrl: true })
        await replace(page, 'a//b')
        await shows(page, '.go-to ul', 'No name contains this.')
        await press(page, 'Enter')
        await press(page, 'Escape')
        await noSheet(page)
        assert.equal(await focused(page), 'Text')
        await page.evaluate(() => document.querySelector('[aria-label="Settings"]').focus())
    })
}

async function testKeys({ testPage, put }) {
    await put('long', 'A line\n'.repeat(200))
    await testPage('a document opens with the focus in its text, and the caret and the view at its start', '/d/long', async (page) => {
        const place = () => page.evaluate(() => {
            const { selectionStart, selectionEnd, scrollTop } = document.querySelector('.text')
            return [document.activeElement.className, selectionStart, selectionEnd, scrollTop]
        })
        await Promise.all([hasList(page), hasText(page)])
        await page.waitFor(() => document.querySelector('.text').value.length === 1400, 'the whole text')
        assert.deepEqual(await place(), ['text', 0, 0, 0])
        await page.evaluate(() => document.querySelector('.rows [href="/d/agenda"]').click())
        await page.waitFor(() => document.querySelector('.text').value === 'agenda\n', 'another text')
        assert.deepEqual(await place(), ['text', 0, 0, 0])
    })

    await testPage('a question mark shows the keys, except in a text', '/d/zoo', async (page) => {
        await Promise.all([hasList(page), hasText(page)])
        await type(page, '?')
        await page.waitFor(() => document.querySelector('.text').value.includes('?'), 'the question mark')
        await press(page, 'Escape')
        assert.equal(await focused(page), 'More')
        await press(page, '?')
        await shows(page, '.shortcuts', /^Keyboard Everywhere Go to a document Ctrl K /)
        await expectContrast(page)
        await press(page, 'Escape')
        await noSheet(page)
        await pressOn(page, 'Settings')
        await pressOn(page, 'Keyboard')
        await shows(page, '.shortcuts h2', 'Keyboard')
    })

    await testPage('the first Tab stop skips the list', '/d/zoo', async (page) => {
        await Promise.all([hasList(page), hasText(page)])
        await page.evaluate(() => document.activeElement.blur())
        await page.evaluate(() => document.querySelector('.skip').focus())
        assert.equal(await page.evaluate(() => document.body.firstElementChild === document.activeElement), true)
        await press(page, 'Enter')
        assert.equal(await focused(page), 'Text')
        assert.deepEqual(await page.evaluate(() => [location.pathname, location.hash]), ['/d/zoo', ''])
    })
}

async function testRows({ testPage, put, caret }) {
    await testPage('the list is one Tab stop: the row of the open document, or the one with the last focus', '/d/notes/trip', async (page) => {
        await hasList(page)
        const stops = () => page.evaluate(() => [...document.querySelectorAll('.rows :is(a, button)')].filter((one) => one.tabIndex >= 0).map((one) => one.innerText.split('\n')[0]))
        assert.deepEqual(await stops(), ['trip'])
        await page.evaluate(() => document.querySelector('.rows [tabindex="0"]').focus())
        for (const [key, name] of [
            ['ArrowRight', 'More about trip'], ['ArrowLeft', 'trip'], ['ArrowUp', 'today'], ['Home', 'agenda'], ['End', 'trip'],
            ['ArrowDown', 'trip'], ['ArrowUp', 'today'], ['ArrowRight', 'More about today'], ['ArrowUp', 'notes'],
        ]) {
            await press(page, key)
            assert.equal(await focused(page), name, key)
            assert.equal((await stops()).length, 1)
        }
        await press(page, 'ArrowLeft')
        await page.waitFor(() => document.activeElement.getAttribute('aria-expanded') === 'false', 'a closed folder')
        await press(page, 'ArrowRight')
        await page.waitFor(() => document.activeElement.getAttribute('aria-expanded') === 'true', 'an open folder')
        await put('aa')
        await caret.delete('aa')
        await page.evaluate(() => document.querySelector('.rows [href="/d/zoo"]').focus())
        assert.deepEqual(await stops(), ['zoo'])
        await caret.delete('zoo')
        await page.waitFor(() => !document.querySelector('.rows [href="/d/zoo"]'), 'no row of zoo')
        assert.deepEqual(await stops(), ['trip'])
    })
}

async function testMenus({ testPage, put, caret }) {
    /** The boxes of the menu and of its button, and whether the window is darkened. */
    const boxes = (page, button) => page.evaluate((button) => {
        const boxOf = (node) => {
            const { left, top, right, bottom } = node.getBoundingClientRect()
            return { left, top, right, bottom }
        }
        const menu = document.querySelector('dialog.menu')
        return { menu: boxOf(menu), button: boxOf(document.querySelector(button)), shade: getComputedStyle(menu, '::backdrop').backgroundColor }
    }, button)
    const open = async (page, button) => {
        await page.evaluate((button) => document.querySelector(button).click(), button)
        await page.waitFor(() => document.querySelector('dialog.menu') && document.getAnimations().every((one) => one.playState !== 'running'), 'the menu')
    }

    await testPage('on a wide window, a menu is at its button, inside the window, and the window stays light', '/d/agenda', async (page) => {
        await Promise.all([hasList(page), hasText(page)])
        for (const button of ['.editor .more', '.editor .name', '.rows li:last-child .round']) {
            await open(page, button)
            const { menu, button: anchor, shade } = await boxes(page, button)
            assert.equal(shade, 'rgba(0, 0, 0, 0)')
            assert.ok(menu.left >= 0 && menu.right <= 1440 && menu.top >= 0 && menu.bottom <= 900, JSON.stringify(menu))
            assert.ok(Math.abs(menu.top - anchor.bottom) < 10 || Math.abs(anchor.top - menu.bottom) < 10, button)
            assert.ok(menu.left === anchor.left || Math.abs(menu.right - anchor.right) < 1 || menu.left < 10, button)
            await expectContrast(page)
            await press(page, 'Escape')
            await noSheet(page)
        }
        await open(page, '.editor .more')
        const items = []
        // A document with one revision has nothing to compare.
        for (const key of ['ArrowDown', 'ArrowDown', 'End', 'ArrowDown', 'ArrowUp', 'Home']) {
            await press(page, key)
            items.push(await focused(page))
        }
        assert.deepEqual(items, ['History', 'Use a monospaced font', 'Do not wrap lines', 'Find and replace', 'Do not wrap lines', 'Find and replace'])
    })

    await put('move/me', 'x')
    await put('move/me.notes', '[2026-11-22 08:15] Ann: Done.\n')
    await testPage('a document is moved to another folder, out of folders, and to a new one, with its notes', '/d/move/me', async (page) => {
        await Promise.all([hasList(page), hasText(page)])
        const move = async (text, ...wanted) => {
            await open(page, '.editor .name')
            await pressOn(page, 'Move to a folder')
            await page.waitFor(() => document.activeElement.matches('[role=combobox]'), 'the field with the focus')
            await replace(page, text)
            assert.deepEqual(await options(page), wanted)
            await press(page, 'Enter')
            await noSheet(page)
        }
        await move('NOTES', 'notes', 'New folder \u201cNOTES\u201d')
        await at(page, '/d/notes/me')
        await move('', 'No folder', 'new')
        await at(page, '/d/me')
        await move('a/new/', 'New folder \u201ca/new\u201d')
        await at(page, '/d/a/new/me')
        const hasNotes = async () => (await caret.list({ prefix: 'a/new/' })).docs.some(({ name }) => name === 'a/new/me.notes')
        while (!await hasNotes()) await page.evaluate(() => new Promise((later) => requestAnimationFrame(later)))
        assert.equal((await caret.read('a/new/me.notes')).text, '[2026-11-22 08:15] Ann: Done.\n')
        await open(page, '.editor .name')
        await pressOn(page, 'Move to a folder')
        await replace(page, 'a//b')
        await shows(page, '.options', 'It cannot be moved to such a folder.')
        await press(page, 'Escape')
        await noSheet(page)
    })

    await testPage('on a phone, a menu is a sheet at the lower end', '/d/agenda', async (page) => {
        await hasText(page)
        await open(page, '.editor .more')
        const { menu, shade } = await boxes(page, '.editor .more')
        assert.deepEqual([menu.left, menu.right, menu.bottom], [0, 375, 812])
        assert.notEqual(shade, 'rgba(0, 0, 0, 0)')
        assert.deepEqual(await smallControls(page, 'dialog'), [])
    }, windows.phone)
}
