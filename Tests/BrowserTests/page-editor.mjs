// The editor of the page, as a user of a browser sees it. A client in Node is the other user.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../CaretPageTests/support.mjs'
import { temporaryFolder } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { box, press, pressOn, replace, shows, trapAtInsert, trapsOnDemand, type } from './page-support.mjs'
import { setWindow, startPages, windows } from './pages.mjs'
import { isSame } from './tabs.mjs'

export { engines } from './browsers.mjs'

export async function testPageEditor(programs, engine) {
    const pages = await startPages(programs, ['--limit-document', '200KiB'], engine)
    await testText(pages)
    await testMenus(pages)
    await testEnds(pages)
    await testRefusals(pages)
    await testPeople(pages)
    await testNewName(pages)
    await testRights(programs, engine)
}

/** Waits until the editor is in a situation, such as 'saved'. */
export function inSituation(page, situation) {
    return page.waitFor((wanted) => document.querySelector('.editor')?.dataset.situation === wanted, `'${situation}'`, situation)
}

export async function showsText(page, text) {
    await page.waitFor((text) => document.querySelector('.text')?.value === text, `the text ${JSON.stringify(text.slice(0, 60))}`, text)
}

/** Clicks the first node of a selector that has these words. */
export const click = (page, selector, words = '') => page.waitFor((selector, words) => {
    const found = [...document.querySelectorAll(selector)].find((node) => node.textContent.includes(words) && !node.disabled)
    found?.click()
    return found !== undefined
}, `${selector} ${words}`, selector, words)

export const words = (page, selector) => page.evaluate((selector) => document.querySelector(selector)?.textContent, selector)

export const notice = (page, pattern) => page.waitFor((source) => new RegExp(source).test(document.querySelector('.notices')?.textContent),
    `the notice ${pattern}`, pattern.source)

export const insert = async (page, text) => {
    await page.evaluate(() => document.querySelector('.text').focus())
    await page.insert(text)
}

/** Cuts the connection of the page, and waits until the editor says so. */
export const goOffline = async (page, relay) => {
    await page.waitFor(() => document.querySelector('.documents'), 'all parts of the page')
    relay.goOffline()
    await inSituation(page, 'offline')
}

/** Runs in the page: whether the browser would ask before it leaves the page. */
const asks = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
export const asksBeforeLeaving = (page) => page.evaluate(asks)
/** Waits until the browser would not ask, because all is saved or kept. */
export const mayLeave = (page) => page.waitFor(`() => !(${asks})()`, 'that all is saved')

async function testText({ testPage, put }) {
    const { cases } = JSON.parse(readFileSync(new URL('../Fixtures/carets.json', import.meta.url)))
    const carets = await put('carets', '')
    await testPage('the caret of the page moves as the table of carets says', '/d/carets', async (page) => {
        await inSituation(page, 'saved')
        await page.evaluate(() => document.querySelector('.text').focus())
        for (const { about, old, selection: [anchor, head], new: text, becomes } of cases) {
            carets.replaceText(old)
            await showsText(page, old)
            await page.evaluate((start, end, direction) => document.querySelector('.text').setSelectionRange(start, end, direction),
                Math.min(anchor, head), Math.max(anchor, head), head < anchor ? 'backward' : 'forward')
            await until(() => isSame(carets.peers[0]?.selections[0], [anchor, head]), `${about}: the selection`)
            carets.replaceText(text)
            await showsText(page, text)
            const selection = await page.evaluate(() => {
                const { selectionStart: start, selectionEnd: end, selectionDirection } = document.querySelector('.text')
                return selectionDirection === 'backward' ? [end, start] : [start, end]
            })
            assert.deepEqual(selection, becomes, about)
        }
    })

    const milk = await put('shopping/milk', 'Milk\n')
    await testPage('typing is saved, and the tick stays without words', '/d/shopping/milk', async (page) => {
        await inSituation(page, 'saved')
        await insert(page, 'Bread\n')
        await until(() => milk.text.includes('Bread'), 'the typed text')
        milk.append('Tea\n')
        await page.waitFor(() => document.querySelector('.text').value.endsWith('Tea\n'), 'the other change')
        await page.waitFor(() => document.querySelector('.quiet-state .mark.tick'), 'the tick alone')
        assert.equal(await words(page, '.words'), 'Saved')
        assert.equal(await page.evaluate(() => document.title), 'shopping/milk \u00b7 Caret')
        assert.equal(await asksBeforeLeaving(page), false)
        await press(page, 's', { ctrl: true })
        await notice(page, /^Everything is saved as you type\.$/)
        await press(page, 'Escape')
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'More')
    })

    await put('large', 'A line of a large text\n'.repeat(5_000))
    await testPage('a large text says once that others appear later', '/d/large', async (page) => {
        await notice(page, /A large text: changes by others appear a little later/)
        await click(page, 'a.back')
        await page.waitFor(() => document.body.dataset.screen === 'documents', 'the documents')
        await page.waitFor(() => document.querySelector('.notices').textContent === '', 'no notice')
        await page.evaluate(() => history.back())
        await inSituation(page, 'saved')
        assert.equal(await words(page, '.notices'), '')
    }, windows.phone)
}

async function testMenus({ testPage, put, caret, origin }) {
    await put('plans/garden', 'Tomatoes\n')
    /** How often the server was asked for a document that does not exist. */
    const missing = async () => (await (await fetch(`${origin}/metrics`)).text()).match(/code="not_found"\} (\d+)/)[1]
    await testPage('the menu of the name copies, renames, deletes', '/d/plans/garden', async (page) => {
        await inSituation(page, 'saved')
        await page.evaluate(() => {
            navigator.clipboard.writeText = async (text) => { window.copied = text }
        })
        await click(page, '.editor .name')
        await click(page, 'dialog[open] button', 'Copy the link')
        await notice(page, /^The link is copied/)
        assert.equal(await page.evaluate(() => window.copied), `${origin}/d/plans/garden`)
        await click(page, '.editor .name')
        await click(page, 'dialog[open] button', 'Rename')
        const type = (text) => page.waitFor((text) => {
            const field = document.querySelector('dialog input')
            if (!field) return false
            field.value = text
            field.dispatchEvent(new Event('input'))
            return true
        }, 'the field', text)
        await type('plans//x')
        assert.equal(await words(page, '.problem'), 'Each slash needs a name before it.')
        assert.equal(await page.evaluate(() => document.querySelector('dialog [type=submit]').disabled), true)
        await type('plans/yard')
        const before = await missing()
        await click(page, 'dialog[open] [type=submit]')
        await notice(page, /Now called \u201cplans\/yard\u201d/)
        await page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
        // The document has no notes, so the page renames none.
        assert.equal(await missing(), before)
        assert.deepEqual(await page.evaluate(() => [location.pathname, document.querySelector('.leaf').textContent]), ['/d/plans/yard', 'yard'])
        await click(page, '.editor .name')
        await click(page, 'dialog[open] button', 'Delete')
        await click(page, 'dialog[open] .actions button.danger', 'Delete')
        await page.waitFor(() => location.pathname === '/', 'the documents')
        await assert.rejects(caret.read('plans/yard'), { code: 'not_found' })
    })

    await put('plans/shed', 'Tomatoes\n')
    await testPage('the menu of the name downloads', '/d/plans/shed', async (page) => {
        await inSituation(page, 'saved')
        const downloads = temporaryFolder()
        await page.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads })
        await click(page, '.editor .name')
        await click(page, 'dialog[open] button', 'Download')
        const file = join(downloads, 'shed.txt')
        await until(() => existsSync(file) && readFileSync(file, 'utf8') === 'Tomatoes\n', 'the file')
    }, windows.desktop, 'downloads')

    const list = await put('list', 'a')
    await testPage('the menu of the editor undoes, and sets font and wrap', '/d/list', async (page) => {
        await inSituation(page, 'saved')
        const choose = async (label) => {
            await click(page, '.editor .more')
            await click(page, 'dialog[open] button', label)
        }
        await insert(page, 'b')
        await until(() => list.text.length === 2, 'the typed text')
        const undo = async (label) => {
            const button = `.undo-buttons [aria-label=${label}]:enabled`
            await page.waitFor((button) => document.querySelector(button), label, button)
            const { left, top } = await box(page, button)
            await page.click(left + 20, top + 20)
            assert.equal(await page.evaluate(() => document.activeElement.className), 'text', 'the text keeps the focus')
        }
        await undo('Undo')
        await showsText(page, 'a')
        await undo('Redo')
        await until(() => list.text.length === 2, 'the text after redo')
        await setWindow(page, windows.phone)
        await choose('Undo')
        await showsText(page, 'a')
        await choose('Redo')
        await until(() => list.text.length === 2, 'the text after redo from the menu')
        await setWindow(page, windows.desktop)
        const style = () => page.evaluate(() => {
            const { fontFamily, fontSize, whiteSpace } = getComputedStyle(document.querySelector('.text'))
            return [/mono/.test(fontFamily), fontSize, whiteSpace]
        })
        assert.deepEqual(await style(), [false, '16px', 'pre-wrap'])
        await choose('monospaced')
        await choose('Do not wrap')
        assert.deepEqual(await style(), [true, '16px', 'pre'])
        await choose('History')
        await page.waitFor(() => location.search.startsWith('?rev='), 'the history')
    })
}

/** Documents that do not exist, or end. */
async function testEnds({ testPage, put, caret, origin }) {
    await testPage('a missing document has a page, and can be created', '/d/new/thing', async (page) => {
        await inSituation(page, 'missing')
        await shows(page, '.state-page', /There is nothing here yet.*new\/thing.*Create.*Back/)
        await assert.rejects(caret.read('new/thing'), { code: 'not_found' })
        await click(page, '.state-page button', 'Create')
        await inSituation(page, 'saved')
        await insert(page, 'Hello')
        const created = caret.open('new/thing')
        await until(() => created.text === 'Hello', 'the new text')
    })

    await testPage('a document that somebody else creates appears in place of "Not found"', '/d/new/other', async (page) => {
        await inSituation(page, 'missing')
        await shows(page, '.words', 'Not found')
        const [mark, words] = [await box(page, '.editor .mark svg'), await box(page, '.editor .words')]
        assert.ok(mark.right <= words.left && mark.top < words.bottom && words.top < mark.bottom, JSON.stringify([mark, words]))
        await put('new/other', 'Here\n')
        await inSituation(page, 'saved')
        await showsText(page, 'Here\n')
        await caret.delete('new/other')
    })

    await testPage('what cannot be a name has a page without Create', '/d/a//b', async (page) => {
        await shows(page, '.state-page', /cannot be opened.*not a name/)
        assert.equal(await page.evaluate(() => [...document.querySelectorAll('.state-page button')].some((one) => one.textContent === 'Create')), false)
    })

    const story = await put('story', 'Once upon a time\n')
    await testPage('a renamed document keeps its editor, at a new address', '/d/story', async (page) => {
        await inSituation(page, 'saved')
        await page.evaluate(() => { document.querySelector('.editor').dataset.same = 'yes' })
        await caret.rename('story', 'tales/story')
        await page.waitFor(() => location.pathname === '/d/tales/story', 'the new address')
        await notice(page, /Now called \u201ctales\/story\u201d/)
        assert.equal(await page.evaluate(() => document.querySelector('.editor').dataset.same), 'yes')
        await insert(page, '!')
        await until(() => story.text.includes('!'), 'the typed text')
    })

    await put('end', 'The last words\n')
    await testPage('the text of a deleted document stays, to copy it or to bring the document back', '/d/end', async (page) => {
        await inSituation(page, 'saved')
        const { epoch } = await caret.read('end')
        await caret.delete('end')
        await inSituation(page, 'deleted')
        await shows(page, '.banner', /This document was deleted\./)
        assert.deepEqual(await page.evaluate(() => [document.querySelector('.text').value, document.querySelector('.text').readOnly]),
            ['The last words\n', true])
        await click(page, '.banner button', 'Copy')
        await notice(page, /^The text is copied/)
        await click(page, '.banner button', 'Bring back')
        await inSituation(page, 'saved')
        await showsText(page, 'The last words\n')
        await page.waitFor(() => document.querySelector('.text').readOnly === false, 'a field for writing')
        await mayLeave(page)
        const { text, ...found } = await caret.read('end')
        assert.deepEqual([text, found.epoch, found.revision], ['The last words\n', epoch, 1], 'the same document, with its history')
    }, windows.desktop, 'clipboard')

    await testTrap({ testPage, put, origin })
}

async function testTrap({ testPage, put, origin }) {
    const fragile = await put('fragile', 'Some words\n')
    await testPage('after a fault of the module, the text can be copied', '/', async (page) => {
        await trapsOnDemand(page)
        await page.goTo(`${origin}/d/fragile`)
        await inSituation(page, 'saved')
        await insert(page, 'one ')
        await until(() => fragile.text.includes('one'), 'the typed text')
        await trapAtInsert(page, 'two ')
        await inSituation(page, 'trapped')
        await page.waitFor(() => document.querySelector('.to-copy'), 'the text to copy')
        assert.match(await page.evaluate(() => document.querySelector('.to-copy').value), /one two /)
        assert.equal(await asksBeforeLeaving(page), true)
        await click(page, '.state-page button', 'Copy')
        await notice(page, /^The text is copied/)
        // The fault is reported, and nothing else.
        assert.deepEqual(page.problems.splice(0).filter((problem) => !problem.includes('has a fault')), [])
    }, windows.desktop, 'preloads')
}

async function testRefusals({ testPage, put, caret, origin }) {
    const log = await put('log', 'Monday\n')
    await testPage('if the server cannot save, the page says why, and saves as soon as it can', '/', async (page) => {
        await page.preload(refusePushes)
        await page.goTo(`${origin}/d/log`)
        await inSituation(page, 'saved')
        await page.evaluate(() => { window.isFull = true })
        await insert(page, 'Sunday\n')
        await shows(page, '.banner', /^1 change is not saved\. The server\u2019s disk is full\. It will continue by itself/)
        assert.equal(await words(page, '.words'), 'Still saving\u2026')
        await page.evaluate(() => { window.isFull = false })
        await inSituation(page, 'saved')
        assert.equal(await page.evaluate(() => document.querySelector('.banner')), null)
        assert.ok(log.text.includes('Sunday'))
    }, windows.desktop, 'preloads')

    const book = await put('book', 'Chapter one\n')
    await testPage('refused changes are shown, kept, and discarded when asked', '/', async (page) => {
        await page.preload(keepNothing)
        await page.goTo(`${origin}/d/book`)
        await inSituation(page, 'saved')
        await page.evaluate(() => document.querySelector('.text').setSelectionRange(0, 7))
        await insert(page, `Part ${'x'.repeat(250_000)}`)
        await inSituation(page, 'refused')
        await shows(page, '.banner', /^1 change is not saved\. The document would be larger.*200 KiB/)
        assert.equal(await asksBeforeLeaving(page), true)
        await click(page, '.banner button', 'Show')
        await page.waitFor(() => document.querySelector('.difference del')?.textContent === 'Chapter', 'what was removed')
        assert.equal(await page.evaluate(() => document.querySelector('.difference ins').textContent.length), 250_005)
        await page.evaluate(() => document.querySelector('dialog').close())
        // Typing goes on, and nothing of it is lost.
        await insert(page, '!')
        book.append('Chapter two\n')
        await page.waitFor(() => document.querySelector('.text').value.endsWith('Chapter two\n'), 'the change by others')
        assert.match(await page.evaluate(() => document.querySelector('.text').value), /^Part x+! one\n/)
        await click(page, '.banner button', 'Try again')
        await inSituation(page, 'refused')
        await click(page, '.banner button', 'Discard')
        await click(page, 'dialog[open] .actions button.danger', 'Discard')
        await showsText(page, 'Chapter one\nChapter two\n')
        await inSituation(page, 'saved')
        assert.equal(await asksBeforeLeaving(page), false)
    }, windows.desktop, 'preloads')

    await put('note', 'x'.repeat(1_000))
    await testPage('refused changes outlive a visit to the documents', '/', async (page) => {
        await page.preload(keepNothing)
        await page.goTo(`${origin}/d/note`)
        await inSituation(page, 'saved')
        await insert(page, 'y'.repeat(250_000))
        await inSituation(page, 'refused')
        await click(page, 'a.back')
        await page.waitFor(() => document.body.dataset.screen === 'documents', 'the documents')
        await notice(page, /Keep this tab open until \u201cnote\u201d is saved/)
        assert.equal(await asksBeforeLeaving(page), true)
        await page.evaluate(() => history.back())
        await inSituation(page, 'refused')
        assert.equal(await page.evaluate(() => document.querySelector('.text').value.length), 251_000)
        await caret.delete('note')
        await inSituation(page, 'deleted')
        await shows(page, '.banner', /not saved, but the text is still here/)
        assert.equal(await asksBeforeLeaving(page), true)
    }, windows.phone, 'preloads')
}

/** Runs in the page: its storage is full, so that unsaved changes are only on the page. */
function keepNothing() {
    IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') }
}

/** Runs in the page: while it `isFull`, each push gets the answer that a server with a full disk gives. */
function refusePushes() {
    const { send } = WebSocket.prototype
    WebSocket.prototype.send = function refuse(line) {
        const { type, doc, seq } = JSON.parse(line)
        if (type !== 'push' || !window.isFull) return send.call(this, line)
        const error = { type: 'error', doc, seq, code: 'storage_full', message: 'the disk is full', retry_after_ms: 300 }
        setTimeout(() => this.onmessage({ data: JSON.stringify(error) }))
    }
}

async function testPeople({ connectAs, testPage, put }) {
    const lines = Array.from({ length: 300 }, (_, index) => `Line ${index + 1}\n`).join('')
    const bob = await put('party', lines)
    await testPage('people are listed with their places, and news is told', '/d/party', async (page) => {
        await inSituation(page, 'saved')
        // Only who joins after the text has arrived is news.
        await page.waitFor(() => document.querySelector('.editor > .spoken'), 'all parts of the editor')
        const hostile = (await connectAs({ name: '<img src=x onerror=alert(1)>\u202egnp', color: 'url(evil)' })).open('party')
        await hostile.opened()
        bob.select([[lines.indexOf('Line 250'), lines.indexOf('Line 250')]])
        hostile.select([[0, 0]])
        await page.waitFor(() => document.querySelectorAll('.faces .avatar').length === 2, 'two faces')
        await page.waitFor(() => document.querySelector('.editor > .spoken').textContent.includes('joined.'), 'the news')
        await click(page, '.faces')
        await page.waitFor(() => /BobLine 250/.test(document.querySelector('.people-list')?.textContent), 'where Bob is')
        assert.deepEqual(await page.evaluate(() => [document.querySelectorAll('.people-list img').length,
            /\u202e/.test(document.querySelector('.people-list').textContent)]), [0, false])
        const at = lines.indexOf('Line 250')
        bob.edit([{ range: [at, at], text: 'My ' }])
        bob.select([[at + 3, at + 3]])
        await page.waitFor(() => /Line 250, typing/.test(document.querySelector('.people-list').textContent), 'that Bob types')
        await click(page, '.people-list button', 'Bob')
        await page.waitFor(() => {
            const { scrollTop, clientHeight } = document.querySelector('.text')
            const top = 249 * 26.4 + 20
            return !document.querySelector('dialog') && top > scrollTop && top < scrollTop + clientHeight - 26
        }, 'the line of Bob in the view')
        await hostile.close()
        await page.waitFor(() => document.querySelectorAll('.faces .avatar').length === 1, 'one face')
    })
}

/** The user takes another name in the middle of a text. */
async function testNewName({ testPage, put }) {
    const bob = await put('renaming', 'Milk\n')
    await testPage('a new name and color leave the text, its caret and its history as they are', '/d/renaming', async (page) => {
        await inSituation(page, 'saved')
        await page.waitFor(() => document.querySelector('.documents'), 'all parts of the page')
        const field = () => page.evaluate(() => {
            const { value, selectionStart } = document.querySelector('.text')
            return [value, selectionStart]
        })
        await page.evaluate(() => document.querySelector('.text').setSelectionRange(4, 4))
        await insert(page, ' and tea')
        await page.evaluate(() => {
            window.isOld = true
            document.querySelector('[aria-label="Your name and color"]').click()
        })
        assert.equal(await page.evaluate(() => document.activeElement.matches('dialog [type=text]')), true)
        await type(page, '\u00c5sa')
        await press(page, 'Escape')
        // After this frame, the field has the focus again.
        await page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
        for (const key of ' and oats') await press(page, key)
        await until(() => bob.peers.some(({ name }) => name === '\u00c5sa'), 'the new name')
        await until(() => bob.text === 'Milk and tea and oats\n', 'what was typed meanwhile')
        assert.deepEqual(await field(), ['Milk and tea and oats\n', 21])
        await inSituation(page, 'saved')
        await press(page, 'z', { ctrl: true })
        await until(() => bob.text.length < 22, 'the undone text')
        assert.equal(await page.evaluate(() => window.isOld), true, 'the page was loaded again')
    })
}

async function testRights(programs, engine) {
    const pages = await startPages(programs, ['--require-tokens'], engine)
    const admin = await pages.connectAs({ token: await pages.addToken('ann', '--write', '') })
    const text = admin.open('locked/a', { create: true })
    text.append('abc')
    await text.saved()
    const reader = await pages.addToken('bob', '--write', 'open/', '--read', 'locked/')

    await test('a reader is told so, and when writing becomes possible', async () => {
        const page = await pages.openPage(`/d/locked/a#token=${reader}`)
        await inSituation(page, 'reading')
        await showsText(page, 'abc')
        assert.deepEqual([await words(page, '.words'), await page.evaluate(() => document.querySelector('.text').readOnly)],
            ['You may only read this', true])
        await admin.rename('locked/a', 'open/a')
        await notice(page, /You may write now/)
        await inSituation(page, 'saved')
        await insert(page, '!')
        await until(() => text.text.includes('!'), 'the typed text')
        await admin.rename('open/a', 'locked/a')
        await inSituation(page, 'reading')
        await admin.rename('locked/a', 'secret')
        await inSituation(page, 'deleted')
        await shows(page, '.banner', /or you may no longer read it/)
        assert.deepEqual(page.problems, [])
        await page.close()
    })

    const onlyReader = await pages.addToken('eve', '--read', '')
    await test('a user who may only read is not offered to write', async () => {
        const page = await pages.openPage(`/#token=${onlyReader}`)
        const labels = (selector) => page.evaluate((selector) =>
            [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()).map((one) => one.textContent), selector)
        await pressOn(page, 'More about secret')
        assert.deepEqual(await labels('dialog menu button'), ['Download'])
        assert.deepEqual(await labels('.create, .trash-button'), [])
        await press(page, 'Escape')
        await click(page, '.entry a', 'secret')
        await inSituation(page, 'reading')
        assert.deepEqual(await labels('.notes'), [])
        await click(page, '.editor .name')
        assert.deepEqual(await labels('dialog menu button'), ['Copy the link', 'Copy the text', 'Download as text', 'Print'])
        await page.goTo(`${pages.origin}/d/missing`)
        await shows(page, '.state-page', /There is nothing here yet/)
        assert.deepEqual(await labels('.state-page .actions > *'), ['Back'])
        assert.deepEqual(page.problems, [])
        await page.close()
    })

    const drafter = await pages.addToken('dan', '--read', '', '--write', 'drafts/', '--write', '=plan.notes')
    await test('a user who may write some documents is offered New and notes only for these', async () => {
        const page = await pages.openPage(`/#token=${drafter}`)
        await pressOn(page, 'More about secret')
        assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('dialog menu button')].map((one) => one.textContent)), ['Make a copy', 'Download'])
        await pressOn(page, 'Make a copy')
        assert.equal(await page.evaluate(() => document.querySelector('dialog input').value), 'drafts/secret')
        await pressOn(page, 'Cancel')
        await pressOn(page, 'New document')
        const field = () => page.evaluate(() => [document.querySelector('dialog input').value, document.querySelector('.hint').textContent, document.querySelector('[type=submit]').disabled])
        assert.deepEqual(await field(), ['drafts/', 'Type a name after the slash.', true])
        await replace(page, 'other')
        assert.deepEqual(await field(), ['other', 'You may write only “drafts/…”, “plan.notes”.', true])
        await replace(page, 'drafts/a')
        await press(page, 'Enter')
        await inSituation(page, 'saved')
        assert.equal(await page.evaluate(() => location.pathname), '/d/drafts/a')
        assert.equal(await page.evaluate(() => document.querySelector('.notes').checkVisibility()), true)
        await page.goTo(`${pages.origin}/d/other`)
        await shows(page, '.state-page', /There is nothing here yet/)
        assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.state-page .actions > *')].map((one) => one.textContent)), ['Back'])
        assert.deepEqual(page.problems, [])
        await page.close()
    })

    const writer = await pages.addToken('fay', '--read', '', '--write', '=minutes')
    await test('a user who may write one document is offered New until it exists', async () => {
        const page = await pages.openPage(`/#token=${writer}`)
        await shows(page, '[href="/d/secret"]', /secret/)
        await pressOn(page, 'New document')
        assert.equal(await page.evaluate(() => document.querySelector('dialog input').value), 'minutes')
        await pressOn(page, 'Cancel')
        await pages.server.caret(['put', 'minutes', '--create'], 'Ten\n')
        await page.waitFor(() => document.querySelector('[href="/d/minutes"]') && !document.querySelector('.create').checkVisibility(), 'no button')
        assert.deepEqual(page.problems, [])
        await page.close()
    })
}
