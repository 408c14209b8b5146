// The notes of a document, in a screen that has only a text and the notes.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { hasPageOffline, press, reloads, type } from './page-support.mjs'
import { setWindow, startPages, windows } from './pages.mjs'
import { allOr } from './quick.mjs'

/** Shows a small screen with the notes of a document. */
export async function showNotes(page, name, { author = 'Ann', token } = {}) {
    await page.waitFor(() => document.getElementById('late-styles').sheet, 'the style sheet of the notes')
    await page.evaluate(async (name, author, token) => {
        const [{ Caret }, { Notes, keepNotes }, { element, fill }] = await Promise.all(
            ['Clients/javascript/caret', ...['notes', 'dom', 'more-icons'].map((name) => `Sources/CaretPage/page/${name}`)]
                .map((name) => import(`/repository/${name}.js`)))
        const caret = await Caret.connect(location.origin, { name: author, token: token ?? undefined })
        const app = { caret, settings: { person: { name: author } } }
        keepNotes(app)
        const show = () => {
            const notes = new Notes(app, name)
            const text = '# Agenda\n\nMonday, 10:00. Bring the plans for the greenhouse,\nand last year\u2019s list of what grew and what did not.\n'
            const field = element('textarea', { class: 'stub-text', 'aria-label': 'Text' })
            field.value = text
            Object.assign(field.style, { border: 0, padding: '20px', background: 'var(--sheet)', resize: 'none', outlineOffset: '-2px' })
            const screen = element('div', { class: 'screen' },
                element('header', { class: 'bar above' }, element('h1', {}, name)), field, notes.node)
            fill(document.querySelector('main#screen') ?? document.body, screen)
            document.body.dataset.screen = 'editor'
            globalThis.stub = { notes, caret, show }
        }
        show()
    }, name, author, token)
    await page.waitFor(() => document.querySelector('.notes-bar'), 'the notes')
    await openNoteField(page)
}

/** Shows the field for a note, if the user may write notes. */
export const openNoteField = (page) => page.waitFor(() => {
    document.querySelector('.notes-bar > .plain-button:not([hidden])')?.click()
    return !document.querySelector('.notes-field').hidden || !document.querySelector('.notes-bar p').hidden
}, 'the field')

/** Types into the field for a note. */
async function write(page, text) {
    await page.evaluate(() => document.querySelector('.notes-field').focus())
    await type(page, text)
}

/** Closes the notes and shows them again. The page itself would look for a new document every 15 s. */
const showAgain = (page) => page.evaluate(() => {
    stub.notes.close()
    stub.show()
})
const pressSend = (page) => page.evaluate(() => document.querySelector('.notes-send').click())
const savedNote = (page) => page.waitFor(() => document.querySelector('.note.own:not(.sending, .offline)'), 'the saved note')

const open = (page) => page.evaluate(() => document.querySelector('.notes-panel').hidden && document.querySelector('.notes-toggle').click())
const bubbles = (page) => page.evaluate(() => [...document.querySelectorAll('.note')].map((note) =>
    [...note.classList, note.querySelector('.bubble').textContent].join(' ')))
const waitForBubble = (page, text, kind = '') => page.waitFor((text, kind) => [...document.querySelectorAll('.note')].some((note) =>
    note.className.includes(kind) && note.querySelector('.bubble').textContent === text), `the bubble ${text}`, text, kind)
/** Waits for the end of all movement, and returns a rectangle. */
const boxOf = (page, selector) => page.evaluate(async (selector) => {
    const node = document.querySelector(selector)
    await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))
    const { left, top, right, bottom, width, height } = node.getBoundingClientRect()
    return { left, top, right, bottom, width, height, scrolls: node.scrollHeight > node.clientHeight }
}, selector)

export async function testPageNotes(programs) {
    const pages = await startPages(programs)
    const { openPage, put } = pages
    const testNotes = (title, name, body, { window = windows.desktop, author } = {}) => test(title, async () => {
        const page = await openPage('/', window)
        await showNotes(page, name, { author })
        await body(page)
        assert.deepEqual(page.problems, [])
        await page.close()
    })
    await testHeights(testNotes)
    await testField(testNotes)
    await testKeys(testNotes)
    await testSending(pages, testNotes)
    await testWithoutServer(programs)
    await testRights(programs)

    const many = allOr(2_000, 10_000, '8,000 of 10,000 notes')
    await testNotes('a text with many notes shows the newest ones, and more on demand', 'long', async (page) => {
        const lines = Array.from({ length: many }, (_, index) => `[2026-11-22 08:15] Bob: Note ${index}\n`)
        await put('long.notes', lines.join(''))
        await showAgain(page)
        await page.waitFor(() => document.querySelector('.notes-count').textContent === '99+', 'the notes')
        await open(page)
        assert.equal((await bubbles(page)).length, 100)
        await page.evaluate(() => document.querySelector('.notes-earlier').click())
        const all = await bubbles(page)
        assert.deepEqual([all.length, all.at(0).split(' ').at(-1), all.at(-1).split(' ').at(-1)], [200, `${many - 200}`, `${many - 1}`])
    })
}

/** The field has 44 px for its first line, and 22 px for each further one, up to six. */
async function testHeights(testNotes) {
    const expectHeights = async (page, limit = 154) => {
        for (const [lines, height] of [[1, 44], [2, 66], [4, 110], [6, 154], [20, 154]]) {
            await page.evaluate((text) => {
                const field = document.querySelector('.notes-field')
                field.value = text
                field.dispatchEvent(new Event('input'))
            }, Array(lines).fill('line').join('\n'))
            const [field, button, bar] = [
                await boxOf(page, '.notes-field'), await boxOf(page, '.notes-send'), await boxOf(page, '.notes-bar'),
            ]
            assert.deepEqual([field.height, field.scrolls], [Math.min(height, limit), lines > 6 || height > limit], `${lines} lines`)
            assert.equal(button.bottom, field.bottom, `${lines} lines`)
            assert.equal(field.top - bar.top, 9, `${lines} lines`)
        }
    }
    await testNotes('the field grows with its lines to a limit, and then scrolls', 'heights', async (page) => {
        await expectHeights(page)
        const [bar, button] = [await boxOf(page, '.notes-bar'), await boxOf(page, '.notes-send')]
        assert.deepEqual([bar.bottom, button.bottom, 375 - button.right], [812, 812 - 34 - 8, 16])
    }, { window: windows.phone })
    await testNotes('in landscape, the field has at most two fifths of the height', 'heights', async (page) => {
        await expectHeights(page, 150)
        const [bar, button, toggle] = [await boxOf(page, '.notes-bar'), await boxOf(page, '.notes-send'), await boxOf(page, '.notes-toggle .icon')]
        assert.deepEqual([bar.bottom, button.bottom, 812 - button.right], [375, 375 - 21 - 8, 60])
        assert.ok(toggle.left >= 60, `${toggle.left}`)
    }, { window: windows.landscape })
    await testNotes('the field grows in browsers that cannot size it by its content', 'heights', async (page) => {
        await page.send('Page.addScriptToEvaluateOnNewDocument', { source: `{
            const supports = CSS.supports
            CSS.supports = (...values) => !values.join().includes('field-sizing') && supports.call(CSS, ...values)
        }` })
        await reloads(page, () => page.send('Page.reload'))
        await page.waitFor(() => document.querySelector('main'), 'the page')
        await showNotes(page, 'heights')
        assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.notes-field')).fieldSizing), 'fixed')
        await expectHeights(page)
    }, { window: windows.phone })
    await testNotes('the bar stays above the keyboard', 'heights', async (page) => {
        await setWindow(page, { ...windows.phone, height: 476, insets: {} })
        assert.equal((await boxOf(page, '.notes-bar')).bottom, 476)
        // A browser that only covers the page reports this.
        await setWindow(page, windows.phone)
        await page.waitFor(() => visualViewport.height === 812, 'the window')
        await page.evaluate(async () => {
            // The page itself hears of its window with the next frame.
            await new Promise((later) => requestAnimationFrame(() => requestAnimationFrame(later)))
            const { followViewport } = await import('/repository/Sources/CaretPage/page/viewport.js')
            const visualViewport = Object.assign(new EventTarget(), { height: 440, offsetTop: 36, scale: 1 })
            followViewport(document.documentElement, { visualViewport, innerHeight: 812 })
        })
        await open(page)
        const [bar, button, panel, title] = [
            await boxOf(page, '.notes-bar'), await boxOf(page, '.notes-send'), await boxOf(page, '.notes-panel'), await boxOf(page, 'h1'),
        ]
        assert.deepEqual([bar.bottom, button.bottom], [476, 476 - 8])
        assert.ok(panel.top >= title.bottom, `${panel.top} ${title.bottom}`)
    }, { window: windows.phone })
}

async function testField(testNotes) {
    const shown = (page) => page.evaluate(() => [...document.querySelectorAll('.notes-bar > *')]
        .filter((one) => one.checkVisibility()).map((one) => one.getAttribute('aria-label') ?? one.textContent))
    await testNotes('the field is there when it is wanted, and Escape puts it away, but no draft', 'wanted', async (page) => {
        const open = ['Notes', 'Your note', 'Send the note']
        assert.deepEqual(await shown(page), open)
        await press(page, 'Escape')
        assert.deepEqual(await shown(page), ['Notes', 'Add a note'])
        assert.equal(await page.evaluate(() => document.activeElement.className.includes('notes-toggle')), true)
        await openNoteField(page)
        assert.equal(await page.evaluate(() => document.activeElement.className.includes('notes-field')), true)
        await type(page, 'A')
        await press(page, 'Escape')
        assert.deepEqual(await shown(page), open)
        await page.evaluate(() => {
            document.querySelector('.notes-field').focus()
            document.execCommand('delete')
        })
        await press(page, 'Escape')
        assert.deepEqual(await shown(page), ['Notes', 'Add a note'])
        // Who reads all notes may want to answer.
        await page.evaluate(() => document.querySelector('.notes-toggle').click())
        assert.deepEqual(await shown(page), open)
        await page.evaluate(() => document.querySelector('.notes-toggle').click())
        assert.deepEqual(await shown(page), ['Notes', 'Add a note'])
    })
}

async function testKeys(testNotes) {
    const valueOf = (page) => page.evaluate(() => document.querySelector('.notes-field').value)
    await testNotes('Enter sends with a keyboard, and Shift and Enter make a line', 'keys', async (page) => {
        await write(page, 'One')
        await press(page, 'Enter', { shift: true })
        await write(page, 'Two')
        assert.equal(await valueOf(page), 'One\nTwo')
        await press(page, 'Enter')
        await waitForBubble(page, 'One\nTwo', 'own')
        assert.equal(await valueOf(page), '')
        assert.equal(await page.evaluate(() => document.activeElement.className.includes('notes-field')), true)
        await press(page, 'Enter')
        assert.equal((await bubbles(page)).length, 1)
    })
    await testNotes('Enter makes a line on a phone, and the button sends', 'phone', async (page) => {
        await write(page, 'One')
        await press(page, 'Enter')
        await write(page, 'Two')
        assert.equal(await valueOf(page), 'One\nTwo')
        await pressSend(page)
        await waitForBubble(page, 'One\nTwo', 'own')
    }, { window: windows.phone })
    await testNotes('Escape closes the panel, and the focus goes back to its button', 'keys', async (page) => {
        await open(page)
        await page.evaluate(() => document.querySelector('.notes-panel a').focus())
        await press(page, 'Escape')
        assert.deepEqual(await page.evaluate(() => [document.querySelector('.notes-panel').hidden, document.activeElement.className]),
            [true, 'round notes-toggle'])
    })
    await testNotes('the button says how many characters are too many', 'keys', async (page) => {
        await write(page, 'x'.repeat(4_212))
        const button = await page.evaluate(() => {
            const { textContent, disabled, ariaLabel } = document.querySelector('.notes-send')
            return [textContent, disabled, ariaLabel]
        })
        assert.deepEqual(button, ['212 too many', true, 'The note has 212\u00a0characters too many'])
        await press(page, 'Enter')
        assert.equal((await valueOf(page)).length, 4_212)
    })
    await testNotes('a draft survives a reload and a visit to another document', 'drafts', async (page) => {
        await write(page, 'A thought')
        await reloads(page, () => page.send('Page.reload'))
        await page.waitFor(() => document.querySelector('main'), 'the page')
        await showNotes(page, 'other')
        assert.equal(await valueOf(page), '')
        await showNotes(page, 'drafts')
        assert.equal(await valueOf(page), 'A thought')
        // Somebody renames the document.
        const moved = await page.evaluate(async () => {
            const { Notes } = await import('/repository/Sources/CaretPage/page/notes.js')
            const app = { caret: stub.caret, settings: { get: () => '' } }
            return new Notes(app, 'renamed', { draft: stub.notes.draft }).draft
        })
        assert.equal(moved, 'A thought')
    })
}

async function testSending({ put, caret, server }, testNotes) {
    await testNotes('the first note makes the document, and not earlier', 'fresh', async (page) => {
        await open(page)
        await page.waitFor(() => document.querySelector('.notes-scroll .empty').textContent.startsWith('No notes yet'), 'the words')
        assert.ok(!(await server.caret(['ls'])).includes('fresh.notes'))
        await write(page, 'Hello\nall')
        await pressSend(page)
        await savedNote(page)
        assert.match(await server.caret(['cat', 'fresh.notes']), /^\[\d{4}-\d\d-\d\d \d\d:\d\d\] Ann: Hello\n {2}all\n$/)
        const [, written] = (await server.caret(['cat', 'fresh.notes'])).match(/^\[(.*?)\]/)
        assert.ok(Math.abs(Date.parse(`${written.replace(' ', 'T')}Z`) - Date.now()) < 90_000, written)
    })
    await testNotes('notes of others appear at once, on the left, and are counted', 'live', async (page) => {
        const notes = await put('live.notes', '[2026-11-22 08:15] Bob: One\n')
        await showAgain(page)
        await page.waitFor(() => document.querySelector('.notes-count').textContent === '1', 'the first note')
        notes.append('[2026-11-22 08:20] Eve: Two\n')
        await page.waitFor(() => document.querySelector('.notes-count.unread')?.textContent === '2', 'the second note')
        assert.equal(await page.evaluate(() => document.querySelector('.notes-toggle').ariaLabel), 'Notes: 2, 1 new')
        await open(page)
        assert.equal(await page.evaluate(() => document.querySelector('.notes-count').className), 'notes-count')
        notes.append('no form\n[2026-11-22 08:21] Ann: Mine\n')
        await waitForBubble(page, 'Mine', 'own')
        assert.deepEqual(await bubbles(page), ['note other first One', 'note other first Two', 'note bare first no form', 'note own first Mine'])
        const [left, right] = [await boxOf(page, '.note.other .bubble'), await boxOf(page, '.note.own .bubble')]
        assert.ok(left.left < 400 && right.right > 1_400, JSON.stringify([left, right]))
    })
    await testNotes('after somebody deletes the notes, a new one begins them again', 'gone', async (page) => {
        await write(page, 'One')
        await pressSend(page)
        await savedNote(page)
        await caret.delete('gone.notes')
        await page.waitFor(() => document.querySelector('.notes-scroll .empty:not([hidden])'), 'no notes')
        await write(page, 'Two')
        await pressSend(page)
        await savedNote(page)
        assert.match(await server.caret(['cat', 'gone.notes']), /^\S+ \S+ Ann: Two\n$/)
    })
}

async function testWithoutServer(programs) {
    const { openPage, server, restart } = await startPages(programs)
    await test('notes without a server are kept, survive a reload, and are sent once', async () => {
        const page = await openPage('/', windows.phone)
        await showNotes(page, 'offline')
        await page.waitFor(() => stub.caret.link.state === 'online', 'the connection')
        await hasPageOffline(page)
        await server.stop()
        await page.waitFor(() => stub.caret.link.state === 'waiting', 'the end of the connection')
        for (const text of ['One', 'Two']) {
            await write(page, text)
            await pressSend(page)
        }
        await waitForBubble(page, 'Two', 'offline')
        const dialogs = []
        page.once('Page.javascriptDialogOpening', ({ type }) => {
            dialogs.push(type)
            page.send('Page.handleJavaScriptDialog', { accept: true })
        })
        await reloads(page, () => page.send('Page.reload'))
        await page.waitFor(() => !globalThis.stub && document.querySelector('main'), 'the page')
        assert.deepEqual(dialogs, ['beforeunload'])
        // The page itself sends the notes, on any of its screens.
        assert.equal(await page.evaluate(() => JSON.parse(sessionStorage.getItem('caret.notes.offline')).outbox.length), 2)
        await restart()
        await page.waitFor(() => sessionStorage.getItem('caret.notes.offline') === null, 'the end of sending')
        assert.match(await server.caret(['cat', 'offline.notes']), /^\S+ \S+ Ann: One\n\S+ \S+ Ann: Two\n$/)
        await page.close()
    })
}

async function testRights(programs) {
    const { openPage, server, addToken } = await startPages(programs, ['--require-tokens'])
    await server.caret(['put', 'agenda.notes', '--create'], '[2026-11-22 08:15] Bob: One\n')
    await test('without the right to write, the bar only shows the notes', async () => {
        const token = await addToken('ann', '--read', '')
        // Without a token, the page would ask for one.
        const page = await openPage(`/#token=${token}`, windows.phone)
        await showNotes(page, 'agenda', { token })
        await page.waitFor(() => document.querySelector('.notes-count').textContent === '1', 'the note')
        assert.deepEqual(await page.evaluate(() => ['.notes-field', '.notes-send', '.notes-toggle'].map((selector) =>
            document.querySelector(selector).checkVisibility())), [false, false, true])
        await open(page)
        await waitForBubble(page, 'One', 'other')
        await page.close()
    })
    await test('a refused note says why, and goes back to the field', async () => {
        // The server lists at most 100 rights, so the page does not know that the notes are not among these.
        const rights = Array.from({ length: 100 }, (_, index) => ['--write', `=other ${index}`])
        const token = await addToken('ann', '--read', '', '--write', '=plan', ...rights.flat())
        // Without a token, the page would ask for one.
        const page = await openPage(`/#token=${token}`, windows.phone)
        await showNotes(page, 'plan', { token })
        await page.waitFor(() => stub.caret.link.state === 'online', 'the connection')
        await write(page, 'One')
        await pressSend(page)
        await waitForBubble(page, 'One', 'refused')
        const status = await page.evaluate(() => document.querySelector('.note-status').textContent)
        assert.match(status, /^Not sent\. .+\.Try againEdit$/)
        await page.evaluate(() => document.querySelector('.note-status button').click())
        // While it is sent again, there is no such button.
        await page.waitFor(() => {
            document.querySelector('.note.refused .note-status button:last-child')?.click()
            return document.querySelector('.notes-field').value === 'One'
        }, 'the note in the field')
        await page.waitFor(() => !document.querySelector('.note'), 'no bubble')
        await page.close()
    })
}
