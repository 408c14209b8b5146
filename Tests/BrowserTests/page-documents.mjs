// The list of documents in a browser.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { smallControls } from './accessibility.mjs'
import { testIn } from './browsers.mjs'
import { testDocumentsLayout } from './page-documents-layout.mjs'
import { press, pressOn, replace, shows, type } from './page-support.mjs'
import { isLostConnection, startPages, windows } from './pages.mjs'

export { engines } from './browsers.mjs'

export async function testPageDocuments(programs, engine) {
    const pages = await startPages(programs, [], engine)
    await testFirst(pages)
    await testLive(pages)
    await testNames(pages)
    await testMenu(pages)
    await testTrash(pages)
    await testSearch(pages)
    await testHostile(pages)
    await testDocumentsLayout(pages)
    await testMany(pages)
    await testConnection(pages)
}

/** Waits until the list shows these titles of documents, and of folders in brackets. */
async function lists(page, ...titles) {
    await page.waitFor((wanted) => {
        const nodes = [...document.querySelectorAll('.rows h2 .name, .rows .entry b')]
        return nodes.map((one) => one.matches('.name') ? `[${one.textContent}]` : one.textContent).join() === wanted
    }, `a list of ${titles}`, titles.join())
}

const hasFirstRows = () => document.querySelectorAll('.rows .entry').length >= 200

const focused = (page) => page.evaluate(() =>
    document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText.split('\n')[0])

async function testFirst({ testPage }) {
    await testPage('without documents, the page shows how to make the first one', '/', async (page) => {
        await shows(page, '.list-state', /^No documents yet\. New document Or from a shell: caret put --create NAME FILE$/)
        assert.deepEqual(await smallControls(page, '.documents'), [])
        await pressOn(page, 'New document')
        await page.waitFor(() => document.activeElement.matches('dialog input'), 'the field with the focus')
        await type(page, 'first')
        await press(page, 'Enter')
        await page.waitFor(() => location.pathname === '/d/first', 'the address of the document')
        await lists(page, 'first')
        assert.equal(await page.evaluate(() => document.querySelector('[aria-current]').textContent.startsWith('first')), true)
    })
}

async function testLive({ testPage, put, caret }) {
    await put('agenda', 'abc')
    await put('notes/today', '')
    await testPage('what others do with documents is seen at once', '/', async (page) => {
        await lists(page, 'agenda', 'first', '[notes]', 'today')
        await shows(page, '[href="/d/agenda"] .about', '3 characters · just now')
        await put('agenda', 'a')
        await shows(page, '[href="/d/agenda"] .about', '1 character · just now')
        await caret.rename('first', 'notes/first')
        await lists(page, 'agenda', '[notes]', 'first', 'today')
        await caret.delete('notes/first')
        await lists(page, 'agenda', '[notes]', 'today')
    })

    await testPage('rows in view show the first words of their texts', '/', async (page) => {
        await put('notes/today', '\n  Milk,\n\tbread \u202eand tea\n')
        await put('long', 'x'.repeat(100_000))
        const first = (name) => `[href="/d/${name}"] .first`
        await shows(page, first('agenda'), 'a')
        await shows(page, first('notes/today'), 'Milk, bread and tea')
        await shows(page, first('long'), 'x'.repeat(200))
        const isCut = await page.evaluate(() => [...document.querySelectorAll('.first')].every((one) => one.offsetHeight < 24))
        assert.equal(isCut, true, 'each beginning has one line')
        await put('agenda', 'One\nTwo')
        await shows(page, first('agenda'), 'One Two')
        await put('agenda', 'a')
        await put('notes/today', '')
        await shows(page, first('notes/today'), '')
        await caret.delete('long')
        await lists(page, 'agenda', '[notes]', 'today')
    })

    await testPage('the focus stays on a row while others create documents', '/', async (page) => {
        await lists(page, 'agenda', '[notes]', 'today')
        await page.evaluate(() => document.querySelector('[href="/d/notes/today"]').focus())
        await put('b')
        await put('notes/a')
        await lists(page, 'agenda', 'b', '[notes]', 'a', 'today')
        assert.equal(await focused(page), 'today')
        await caret.delete('b')
        await caret.delete('notes/a')
        await lists(page, 'agenda', '[notes]', 'today')
        assert.equal(await focused(page), 'today')
    })

    await testPage('a folder is closed and opened, also with keys', '/', async (page) => {
        await lists(page, 'agenda', '[notes]', 'today')
        await page.evaluate(() => document.querySelector('[href="/d/agenda"]').focus())
        await press(page, 'ArrowDown')
        assert.equal(await focused(page), 'notes')
        await press(page, 'Enter')
        await lists(page, 'agenda', '[notes]')
        await shows(page, 'h2 button', 'notes 1 document')
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-expanded')), 'false')
        await press(page, 'Enter')
        await lists(page, 'agenda', '[notes]', 'today')
        await press(page, 'ArrowUp')
        assert.equal(await focused(page), 'agenda')
        await press(page, 'Enter')
        await page.waitFor(() => location.pathname === '/d/agenda', 'the address of the document')
    })
}

/** What the sheet for a name says, and the words and state of its button. */
const hint = (page) => page.evaluate(() => {
    const button = document.querySelector('[type=submit]')
    return [document.querySelector('.hint').textContent, button.textContent, button.disabled]
})

async function testNames({ testPage, caret }) {
    await testPage('the sheet for a new document says what is no name', '/', async (page) => {
        await lists(page, 'agenda', '[notes]', 'today')
        await pressOn(page, 'New document')
        const told = []
        for (const text of ['a//b', 'notes/new', 'agenda']) {
            await replace(page, text)
            told.push(await hint(page))
        }
        assert.deepEqual(told, [
            ['Each slash needs a name before it.', 'Create', true], ['In the folder “notes”.', 'Create', false],
            ['There is already a document with this name.', 'Open', false],
        ])
        assert.deepEqual(await smallControls(page, 'dialog'), [])
        await press(page, 'Enter')
        await page.waitFor(() => location.pathname === '/d/agenda' && !document.querySelector('dialog'), 'the open document')
    })

    await testPage('a document is renamed, and a name that exists is refused', '/', async (page) => {
        await lists(page, 'agenda', '[notes]', 'today')
        await pressOn(page, 'More about agenda')
        await pressOn(page, 'Rename')
        assert.deepEqual(await hint(page), ['This is its name now.', 'Rename', true])
        await replace(page, 'notes/today')
        assert.deepEqual(await hint(page), ['There is already a document with this name.', 'Rename', true])
        await replace(page, 'plan')
        await press(page, 'Enter')
        await lists(page, 'plan', '[notes]', 'today')
        await caret.rename('plan', 'agenda')
    })

    await testPage('a document is copied with its named revisions, and the copy is opened', '/', async (page) => {
        await lists(page, 'agenda', '[notes]', 'today')
        const { revision } = await caret.read('agenda')
        await caret.tag('agenda', revision, 'draft')
        await pressOn(page, 'More about agenda')
        await pressOn(page, 'Make a copy')
        assert.deepEqual(await hint(page), ['This name is free.', 'Copy', false])
        assert.equal(await page.evaluate(() => document.activeElement.value), 'agenda copy')
        await replace(page, 'notes/today')
        assert.deepEqual(await hint(page), ['There is already a document with this name.', 'Copy', true])
        await replace(page, 'copy')
        await press(page, 'Enter')
        await page.waitFor(() => location.pathname === '/d/copy' && !document.querySelector('dialog'), 'the open copy')
        await lists(page, 'agenda', 'copy', '[notes]', 'today')
        assert.equal((await caret.read('copy')).text, (await caret.read('agenda')).text)
        assert.deepEqual((await caret.tags('copy')).map(({ name, revision }) => [name, revision]), [['draft', 1]])
        await caret.untag('agenda', 'draft')
        await caret.delete('copy')
    })
}

async function testMenu({ testPage, caret, put }) {
    await testPage('a document is deleted only after a question', '/', async (page) => {
        await put("Bob's list")
        await lists(page, 'agenda', "Bob's list", '[notes]', 'today')
        for (const answer of ['Cancel', 'Delete']) {
            await pressOn(page, "More about Bob's list")
            await pressOn(page, 'Delete')
            await shows(page, '.sheet-body', /You can bring it back for a while\. Cancel/)
            await pressOn(page, answer)
            await page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
            if (answer === 'Cancel') assert.ok((await caret.list()).docs.some(({ name }) => name === "Bob's list"))
        }
        await lists(page, 'agenda', '[notes]', 'today')
        assert.ok(!(await caret.list()).docs.some(({ name }) => name === "Bob's list"))
    })

    await testPage('a document is downloaded as a file', '/', async (page) => {
        await put('notes/today', 'one\ntwo')
        await page.evaluate(() => {
            document.addEventListener('click', (event) => {
                if (!event.target.download) return
                event.preventDefault()
                window.file = fetchText(event.target.href).then((text) => [event.target.download, text])
            }, true)
            const blobs = new Map()
            const create = URL.createObjectURL
            URL.createObjectURL = (blob) => { const url = create.call(URL, blob); blobs.set(url, blob); return url }
            window.fetchText = (url) => blobs.get(url).text()
            const click = HTMLAnchorElement.prototype.click
            HTMLAnchorElement.prototype.click = function () { document.body.append(this); click.call(this); this.remove() }
        })
        await pressOn(page, 'More about today')
        await pressOn(page, 'Download')
        assert.deepEqual(await page.waitFor(() => window.file, 'the file'), ['today.txt', 'one\ntwo'])
    })
}

async function testTrash({ testPage, caret, put }) {
    const remove = async (page, title) => {
        await pressOn(page, `More about ${title}`)
        await pressOn(page, 'Delete')
        await shows(page, '.sheet-body', /You can bring it back for a while/)
        await pressOn(page, 'Delete')
        await page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
    }
    const row = (page, name, pattern) => shows(page, `.trash li:has([aria-label$="${name}"])`, pattern)

    await testPage('a deletion is undone', '/', async (page) => {
        await put('notes/plan', 'abc')
        await put('notes/plan b', 'abc')
        await caret.delete('notes/plan b')
        await lists(page, 'agenda', '[notes]', 'plan', 'today')
        await remove(page, 'plan')
        await lists(page, 'agenda', '[notes]', 'today')
        await shows(page, '.notices', '“notes/plan” was deleted. Undo')
        assert.deepEqual(await smallControls(page, '.notices'), [])
        await pressOn(page, 'Undo')
        await lists(page, 'agenda', '[notes]', 'plan', 'today')
        await shows(page, '.notices', '“notes/plan” is back.')
        assert.equal((await caret.read('notes/plan')).text, 'abc')
    })

    await testPage('deleted documents are listed and brought back', '/', async (page) => {
        await lists(page, 'agenda', '[notes]', 'plan', 'today')
        await caret.delete('notes/plan')
        await put('notes/plan', 'taken')
        await pressOn(page, 'Recently deleted')
        await row(page, 'notes/plan', 'notes/plan Deleted just now · 3 characters Bring back')
        assert.deepEqual(await smallControls(page, 'dialog'), [])
        const names = await page.evaluate(() => [...document.querySelectorAll('.trash b')].map((one) => one.textContent))
        assert.deepEqual(names.slice(0, 2), ['notes/plan', 'notes/plan b'], 'the document that was deleted last is first')
        await pressOn(page, 'Bring back notes/plan')
        await row(page, 'notes/plan', 'notes/plan Another document has this name now. Rename that one first. Bring back')
        await caret.rename('notes/plan', 'notes/other')
        await pressOn(page, 'Bring back notes/plan')
        await row(page, 'notes/plan', 'notes/plan It is back. Open')
        assert.equal(await focused(page), 'Open notes/plan')
        await lists(page, 'agenda', '[notes]', 'other', 'plan', 'today')
        await press(page, 'Enter')
        await page.waitFor(() => location.pathname === '/d/notes/plan' && !document.querySelector('dialog'), 'the document')
        await shows(page, '.words', 'Saved')
        assert.equal(await page.evaluate(() => document.querySelector('textarea').value), 'abc')
        for (const name of ['notes/plan', 'notes/other']) await caret.delete(name)
        await lists(page, 'agenda', '[notes]', 'today')
    })
}

async function testSearch({ testPage, caret }) {
    await testPage('a search filters, opens the first match, and creates', '/', async (page) => {
        await lists(page, 'agenda', '[notes]', 'today')
        await page.evaluate(() => document.querySelector('[type=search]').focus())
        await type(page, 'ODA')
        await lists(page, '[notes]', 'today')
        await press(page, 'Escape')
        await lists(page, 'agenda', '[notes]', 'today')
        await type(page, 'x')
        await lists(page)
        await pressOn(page, 'Clear the search')
        await lists(page, 'agenda', '[notes]', 'today')
        await type(page, 'to')
        await press(page, 'Enter')
        await page.waitFor(() => location.pathname === '/d/notes/today', 'the first match')
        await page.evaluate(() => document.querySelector('[type=search]').focus())
        await replace(page, 'lists/new')
        await shows(page, '.list-state', 'No name contains “lists/new”. Create “lists/new”')
        await pressOn(page, 'Create “lists/new”')
        await page.waitFor(() => location.pathname === '/d/lists/new', 'the new document')
        await lists(page, 'agenda', '[lists]', 'new', '[notes]', 'today')
        await page.evaluate(() => document.querySelector('[type=search]').focus())
        await replace(page, '//')
        await shows(page, '.list-state', 'No name contains “//”.')
        await caret.delete('lists/new')
    })
}

async function testHostile({ testPage, put, caret }) {
    const names = [
        '<img src=x onerror=alert(1)>', 'x'.repeat(500), 'Z\u0351\u0352\u0353\u0354\u0355\u0356\u0357'.repeat(20),
        '"><script>alert(1)</script>', '\u05d0\u05d1/\u05d2 (1)', 'javascript:alert(1)', 'a?b#c%2F&d',
    ]
    for (const name of names) await put(name)
    await testPage('hostile names run nothing, and stay inside of their rows', '/', async (page) => {
        await page.waitFor((count) => document.querySelectorAll('.rows .entry').length === count, 'all rows', names.length + 2)
        const found = await page.evaluate(() => {
            const scroller = document.querySelector('.scroller')
            return {
                strange: document.querySelectorAll('.documents :is(img, script)').length,
                isWide: scroller.scrollWidth > scroller.clientWidth,
                // Ellipses and lines that were cut off end inside of the row.
                isOutside: [...document.querySelectorAll('.entry :is(b, .about, .round)')].some((part) => {
                    const [inner, outer] = [part.getBoundingClientRect(), part.closest('.entry').getBoundingClientRect()]
                    return inner.left < outer.left || inner.right > outer.right + 1 || inner.bottom > outer.bottom
                }),
                titles: [...document.querySelectorAll('.entry b')].map((one) => one.textContent),
            }
        })
        assert.deepEqual([found.strange, found.isWide, found.isOutside], [0, false, false])
        assert.ok(found.titles.includes('<img src=x onerror=alert(1)>'), found.titles.join())
        await page.evaluate(() => [...document.querySelectorAll('.entry a')].find((one) => one.textContent.startsWith('a?')).click())
        await page.waitFor(() => `${location.pathname}${location.search}${location.hash}` === '/d/a%3Fb%23c%252F%26d', 'an address')
    }, windows.small, 'smallWindows')
    for (const name of names) await caret.delete(name)
}

async function testMany({ testPage, server }) {
    const folder = join(temporaryFolder(), 'many')
    for (let index = 0; index < 1_000; index++) {
        const path = join(folder, `folder ${index % 10}`)
        mkdirSync(path, { recursive: true })
        writeFileSync(join(path, `document ${index}`), '')
    }
    await server.caret(['import', folder])
    await testPage('with 1,000 documents, rows are made when the end comes near', '/', async (page) => {
        await page.waitFor(hasFirstRows, 'the first rows')
        assert.ok(await page.evaluate(() => document.querySelectorAll('.rows .entry').length) < 1_000)
        await page.waitFor(() => {
            const scroller = document.querySelector('.scroller')
            scroller.scrollTop = scroller.scrollHeight
            return document.querySelectorAll('.rows .entry').length === 1_002
        }, 'all rows')
        assert.equal(await page.evaluate(() => document.querySelectorAll('.rows h2').length), 11)
        await page.evaluate(() => document.querySelector('[type=search]').focus())
        await type(page, 'document 777')
        await lists(page, '[folder 7]', 'document 777')
    })
}

/** Runs in the page: the server gets no message before `releaseMessages` is called. */
function holdMessages() {
    const held = []
    const { send } = WebSocket.prototype
    WebSocket.prototype.send = function (line) { held.push([this, line]) }
    window.releaseMessages = () => {
        WebSocket.prototype.send = send
        for (const [socket, line] of held) socket.send(line)
    }
}

async function testConnection({ server, openPage, restart, browser }) {
    await testIn(browser, 'until the documents arrive there are grey rows, and the bar works', ['preloads'], async () => {
        const page = await openPage('/', windows.phone)
        await page.preload(holdMessages)
        await page.reload()
        await page.waitFor(() => document.querySelectorAll('.waiting').length === 6, 'six grey rows')
        const animation = () => page.evaluate(() => getComputedStyle(document.querySelector('.waiting .document')).animationName)
        assert.equal(await animation(), 'breathe')
        await page.reduceMotion()
        assert.equal(await animation(), 'none')
        await shows(page, '.link', 'Connecting… Connecting…')
        await pressOn(page, 'New document')
        await page.waitFor(() => document.querySelector('dialog'), 'the sheet')
        await page.evaluate(() => releaseMessages())
        await page.waitFor(hasFirstRows, 'the rows')
        assert.deepEqual(page.problems, [])
        await page.close()
    })

    await test('offline, the list stays, and "Now" connects at once', async () => {
        const page = await openPage('/', windows.phone)
        await page.waitFor(hasFirstRows, 'the rows')
        await server.stop()
        await shows(page, '.link', /^Offline\. Next attempt in \d+ s Now Offline$/)
        // The pauses between attempts become longer.
        await shows(page, '.link', /attempt in [5-9] s/)
        assert.ok(await page.evaluate(hasFirstRows))
        assert.deepEqual(await smallControls(page, '.documents .bar'), [])
        await restart()
        await pressOn(page, 'Connect now')
        await shows(page, '.link', 'Connected Connected')
        assert.deepEqual(page.problems.filter((problem) => !isLostConnection(problem)), [])
        await page.close()
    })
}
