// States of the page that need more than an address: a link that is cut, a right that is missing, a refusal, a fault.
// pictures.mjs takes their pictures.
import { click, inSituation, insert } from '../Tests/BrowserTests/page-editor.mjs'
import { openNoteField } from '../Tests/BrowserTests/page-notes.mjs'
import { hasPageOffline, pressOn, shows, trapAtInsert, trapsOnDemand, type } from '../Tests/BrowserTests/page-support.mjs'
import { startPages } from '../Tests/BrowserTests/pages.mjs'
import { startRelay } from '../Tests/BrowserTests/relay.mjs'

const text = `# Greenhouse

The frame is ready. We still need glass for the south side.
Ann asks at the glazier, Bob measures.

`

/** The servers on which the states are made. Each document is used once, because a picture changes it. */
export class StateWorld {
    #documents = 0

    static async start(programs) {
        const world = new StateWorld()
        world.programs = programs
        world.open = await startPages(programs, ['--limit-document', '200KiB'])
        world.locked = await startPages(programs, ['--require-tokens'])
        world.empty = await startPages(programs)
        world.reader = await world.locked.addToken('ann', '--read', '')
        const writer = await world.locked.connectAs({ token: await world.locked.addToken('bob', '--write', ''), name: 'Bob' })
        world.writer = writer
        const megabyte = 'A line of a text of a megabyte\n'.repeat(34_000)
        for (const [name, content] of [['megabyte', megabyte], ['rules', 'Whoever comes last waters the plants.\n'], ['rules.notes', '[2026-11-20 09:12] Bob: Agreed?\n'], ['plan', text]]) {
            const document = writer.open(name, { create: true })
            document.append(content)
            await document.saved()
        }
        await world.open.putTrimmed()
        await world.open.put('untouched')
        await world.open.put('large', 'A line of a large text\n'.repeat(5_000))
        return world
    }

    /** A new document. */
    async document(content = text) {
        const name = `plans/greenhouse ${++this.#documents}`
        return [`/d/${encodeURI(name)}`, await this.open.put(name, content)]
    }

    /** Shows a new document behind a link that can be cut. */
    async behindRelay(open, path) {
        const relay = await startRelay(this.open.server.port)
        const document = path ? null : await this.document()
        const page = await open(path ?? document[0], `http://127.0.0.1:${relay.port}`)
        if (!path) await inSituation(page, 'saved')
        await hasPageOffline(page)
        return { relay, page }
    }
}

/** Cuts a link, and waits until the pause before the next attempt is so long that the picture has the same words. */
async function cut(page, relay) {
    relay.goOffline()
    await page.waitFor(() => /attempt in ([6-9]|1\d)/.test(document.body.innerText), 'a long pause')
}

/** What the server sends to the page from now on does not arrive. */
function holdAnswers() {
    const { send } = WebSocket.prototype
    WebSocket.prototype.send = function hold(line) {
        const { type } = JSON.parse(line)
        if (!window.isHolding?.includes(type)) return send.call(this, line)
        if (window.answer) setTimeout(() => this.onmessage({ data: JSON.stringify({ ...JSON.parse(line), ...window.answer }) }))
    }
}

/** Opens a page whose messages of some types get no answer, or this one. */
async function holding(open, origin, path, types, answer) {
    const page = await open('/healthz')
    await page.preload(`() => {
        window.isHolding = ${JSON.stringify(types)}
        window.answer = ${JSON.stringify(answer ?? null)}
        ;(${holdAnswers})()
    }`)
    await page.goTo(origin + path)
    return page
}

/**
 * Each state: a function that opens a page with `open(path, origin)` and brings it into this state. The page gets its
 * window, its colors and its user from `open`.
 */
export const states = {
    async 'documents-loading'(open, { open: { origin } }) {
        const page = await holding(open, origin, '/', ['follow'])
        await page.waitFor(() => document.querySelector('.entry.waiting'), 'grey rows')
        return page
    },
    async 'documents-empty'(open, { empty }) {
        const page = await open('/', empty.origin)
        await shows(page, '.list-state', /^No documents yet/)
        return page
    },
    async 'documents-no-match'(open, { open: { origin } }) {
        const page = await open('/', origin)
        await page.waitFor(() => document.querySelector('.entry:not(.waiting)'), 'rows')
        await page.evaluate(() => document.querySelector('[type=search]').focus())
        await type(page, 'Winter plans')
        await shows(page, '.list-state', /^No name contains/)
        return page
    },
    async 'documents-offline'(open, world) {
        const { page, relay } = await world.behindRelay(open, '/')
        await page.waitFor(() => document.querySelector('.entry:not(.waiting)'), 'rows')
        await cut(page, relay)
        return page
    },
    async 'documents-not-saved'(open, world) {
        const { page, relay } = await world.behindRelay(open)
        relay.goOffline()
        await inSituation(page, 'offline')
        await insert(page, 'Glass is expensive.\n')
        await shows(page, '.banner', /Kept on this device/)
        await page.evaluate(() => document.querySelector('a.back').click())
        await page.waitFor(() => document.querySelector('.entry .about')?.textContent.includes('Not saved')
            || [...document.querySelectorAll('.entry .about')].some((one) => one.textContent.includes('Not saved')), 'the mark')
        await cut(page, relay)
        return page
    },
    async 'documents-disconnected'(open, { open: { origin } }) {
        return holding(open, origin, '/', ['hello'], { type: 'error', code: 'unsupported_protocol', message: 'this server is too old for the page' })
    },
    async 'documents-name-refused'(open, { open: { origin } }) {
        const page = await open('/', origin)
        await pressOn(page, 'New document')
        await page.waitFor(() => document.activeElement.matches('dialog input'), 'the field')
        await type(page, 'plans//winter')
        return page
    },
    async 'sign-in'(open, { locked }) {
        const page = await open('/d/rules', locked.origin)
        await page.waitFor(() => document.querySelector('.sign-in')?.open, 'the sheet')
        return page
    },
    async 'sign-in-refused'(open, { locked }) {
        const page = await open('/d/rules', locked.origin)
        await page.waitFor(() => document.querySelector('.sign-in')?.open, 'the sheet')
        await type(page, 'x'.repeat(43))
        await pressOn(page, 'Sign in')
        await shows(page, '.sign-in .problem', /does not know this token/)
        return page
    },
    async 'settings-forget'(open, { open: { origin } }) {
        const page = await open('/', origin)
        await pressOn(page, 'Settings')
        await pressOn(page, 'Forget this device')
        return page
    },
    async 'editor-opening'(open, world) {
        const [path] = await world.document()
        const page = await holding(open, world.open.origin, path, ['open'])
        await shows(page, '.words', 'Opening\u2026')
        return page
    },
    async 'editor-still-saving'(open, world) {
        const [path] = await world.document()
        const page = await holding(open, world.open.origin, path, ['push'])
        await inSituation(page, 'saved')
        await insert(page, 'Glass is expensive.\n')
        await shows(page, '.words', 'Still saving\u2026')
        return page
    },
    async 'editor-disk-full'(open, world) {
        const [path] = await world.document()
        const page = await holding(open, world.open.origin, path, ['push'],
            { type: 'error', code: 'storage_full', message: 'the disk is full', retry_after_ms: 1_000 })
        await inSituation(page, 'saved')
        await insert(page, 'Glass is expensive.\n')
        await shows(page, '.banner', /disk is full/)
        return page
    },
    async 'editor-offline'(open, world) {
        const { page, relay } = await world.behindRelay(open)
        await cut(page, relay)
        await insert(page, 'Glass is expensive.\n')
        await shows(page, '.banner', /Kept on this device/)
        return page
    },
    async 'editor-reading'(open, { locked, reader }) {
        const page = await open(`/d/rules#token=${reader}`, locked.origin)
        await inSituation(page, 'reading')
        await page.waitFor(() => document.querySelector('.notes-count')?.textContent === '1', 'the notes')
        return page
    },
    async 'editor-megabyte'(open, { locked, reader }) {
        const page = await open(`/d/megabyte#token=${reader}`, locked.origin)
        await inSituation(page, 'reading')
        await page.evaluate(() => { const field = document.querySelector('textarea'); field.scrollTop = field.scrollHeight / 2 })
        return page
    },
    async 'editor-crowd'(open, world) {
        const lines = Array.from({ length: 40 }, (_, number) => `${number + 1}. Who waters the plants on this day?\n`)
        const [path, own] = await world.document(lines.join(''))
        for (const [number, line] of lines.entries()) {
            const document = (await world.open.connectAs({ name: `Gardener ${number + 1}` })).open(own.name)
            await document.opened()
            const at = lines.slice(0, number).join('').length + number % line.length
            document.select([[at, at]])
        }
        const page = await open(path, world.open.origin)
        await page.waitFor(() => /\+3\d/.test(document.querySelector('.more-faces')?.textContent), 'the people')
        return page
    },
    async 'editor-refused'(open, world) {
        const [path] = await world.document()
        const page = await open(path, world.open.origin)
        await inSituation(page, 'saved')
        await insert(page, 'A very long list. '.repeat(12_000))
        await inSituation(page, 'refused')
        await shows(page, '.banner', /is not saved/)
        return page
    },
    async 'editor-refused-shown'(open, world) {
        const [path] = await world.document()
        const page = await holding(open, world.open.origin, path, ['push'], { type: 'error', code: 'forbidden', message: 'no' })
        await inSituation(page, 'saved')
        await page.evaluate(() => document.querySelector('.text').setSelectionRange(14, 23))
        await insert(page, 'The frame and the door are')
        await inSituation(page, 'refused')
        await click(page, '.banner button', 'Show')
        await page.waitFor(() => document.querySelector('.difference ins'), 'the difference')
        return page
    },
    async 'editor-discard'(open, world) {
        const [path] = await world.document()
        const page = await holding(open, world.open.origin, path, ['push'], { type: 'error', code: 'forbidden', message: 'no' })
        await inSituation(page, 'saved')
        await insert(page, 'Glass is expensive.\n')
        await inSituation(page, 'refused')
        await click(page, '.banner button', 'Discard')
        return page
    },
    async 'editor-renamed'(open, world) {
        const [path, document] = await world.document()
        const page = await open(path, world.open.origin)
        await inSituation(page, 'saved')
        await world.open.caret.rename(document.name, document.name.replace('plans', 'done'))
        await shows(page, '.notices', /Now called/)
        return page
    },
    async 'editor-deleted'(open, world) {
        const [path, document] = await world.document()
        const page = await open(path, world.open.origin)
        await inSituation(page, 'saved')
        await world.open.caret.delete(document.name)
        await shows(page, '.banner', /was deleted/)
        return page
    },
    async 'editor-damaged'(open, world) {
        const [path] = await world.document()
        const page = await holding(open, world.open.origin, path, ['open'], { type: 'error', code: 'damaged', message: 'damaged' })
        await inSituation(page, 'damagedPage')
        await page.waitFor(() => document.querySelector('.state-page'), 'the page')
        return page
    },
    async 'sign-in-revoked'(open, world) {
        const [path] = await world.document()
        const page = await holding(open, world.open.origin, path, ['push'], { type: 'bye', reason: 'revoked' })
        await inSituation(page, 'saved')
        await insert(page, 'Glass is expensive.\n')
        await page.waitFor(() => document.querySelector('.sign-in aside'), 'the text that is not saved')
        return page
    },
    async 'editor-large'(open, { open: { origin } }) {
        const page = await open('/d/large', origin)
        await shows(page, '.notices', /large text/)
        return page
    },
    async 'editor-fault'(open, world) {
        const [path] = await world.document()
        const page = await open('/healthz', world.open.origin)
        await trapsOnDemand(page)
        await page.goTo(world.open.origin + path)
        await inSituation(page, 'saved')
        await trapAtInsert(page, 'Glass is expensive.\n')
        await page.waitFor(() => document.querySelector('.to-copy'), 'the text')
        return page
    },
    async 'editor-without-module'(open, world) {
        const [path] = await world.document()
        const page = await open('/healthz', world.open.origin)
        await page.preload('() => { delete globalThis.WebAssembly }')
        await page.goTo(world.open.origin + path)
        await page.waitFor(() => document.querySelector('.to-copy')?.value, 'the text')
        return page
    },
    async 'editor-people'(open, world) {
        const [path, document] = await world.document()
        const friends = ['Bob', 'Eve', 'A friend with a name that is much too long for a phone'].map((name) => world.open.connectAs({ name }))
        const others = (await Promise.all(friends)).map((caret) => caret.open(document.name))
        for (const [index, other] of others.entries()) {
            await other.opened()
            other.select([[30 * index + 14, 30 * index + 23]])
        }
        const page = await open(path, world.open.origin)
        await page.waitFor(() => document.querySelectorAll('.faces .avatar').length === 3, 'the faces')
        await page.waitFor(() => document.querySelector('.notes-bar'), 'all parts')
        await click(page, '.faces')
        await page.waitFor(() => document.querySelectorAll('.people-list li').length > 3, 'the list')
        return page
    },
    async 'history-trimmed'(open, { open: { origin } }) {
        const page = await open('/d/trimmed?rev=5', origin)
        await shows(page, '.history-author', /History begins/)
        return page
    },
    async 'history-without-changes'(open, { open: { origin } }) {
        const page = await open('/d/untouched?rev=', origin)
        await shows(page, '.history-author', /No changes yet/)
        return page
    },
    async 'history-offline'(open, world) {
        const { page, relay } = await world.behindRelay(open, '/d/trimmed?rev=7')
        await page.waitFor(() => document.querySelector('.history-text pre'), 'a text')
        relay.goOffline()
        await shows(page, '.banner', /What is loaded can be played/)
        return page
    },
    async 'compare-equal'(open, { open: { origin } }) {
        const page = await open('/d/trimmed?from=7&to=7', origin)
        await page.waitFor(() => document.querySelector('.compare-text > .empty'), 'no difference')
        return page
    },
    async 'notes-empty'(open, world) {
        const [path] = await world.document()
        const page = await open(path, world.open.origin)
        await page.waitFor(() => document.querySelector('.notes-toggle'), 'the notes')
        await click(page, '.notes-toggle')
        return page
    },
    async 'notes-long'(open, world) {
        const [path, { name }] = await world.document()
        await world.open.put(`${name}.notes`, '[2026-11-20 09:12] Bob: Shall we order the glass?\n[2026-11-20 09:15] Ann: Not before Friday.\n  The frame must dry first.\nA line that is no note\n')
        const page = await open(path, world.open.origin)
        await page.waitFor(() => document.querySelector('.notes-count')?.textContent === '3', 'the notes')
        await click(page, '.notes-toggle')
        await page.evaluate(() => document.querySelector('.notes-field').focus())
        await type(page, Array.from({ length: 9 }, (_, line) => `Line ${line + 1} of a longer note`).join('\n'))
        return page
    },
    async 'notes-too-long'(open, world) {
        const [path] = await world.document()
        const page = await open(path, world.open.origin)
        await page.waitFor(() => document.querySelector('.notes-bar'), 'the notes')
        await openNoteField(page)
        await type(page, 'word '.repeat(900))
        return page
    },
    async 'notes-offline'(open, world) {
        const { page, relay } = await world.behindRelay(open)
        await page.waitFor(() => document.querySelector('.notes-bar'), 'the notes')
        await cut(page, relay)
        await openNoteField(page)
        await type(page, 'I call the glazier.')
        await page.evaluate(() => document.querySelector('.notes-send').click())
        await page.waitFor(() => document.querySelector('.note.offline'), 'the note')
        return page
    },
    async 'notes-refused'(open, { locked }) {
        // The server lists at most 100 rights, so the page does not know that the notes are not among these.
        const rights = Array.from({ length: 100 }, (_, index) => ['--write', `=other ${index}`])
        const token = await locked.addToken('ann', '--read', '', '--write', '=plan', ...rights.flat())
        const page = await open(`/d/plan#token=${token}`, locked.origin)
        await page.waitFor(() => document.querySelector('.notes-bar'), 'the notes')
        await openNoteField(page)
        await type(page, 'I am late.')
        await page.evaluate(() => document.querySelector('.notes-send').click())
        await page.waitFor(() => document.querySelector('.note.refused'), 'the refused note')
        return page
    },
}
