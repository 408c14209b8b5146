// The pictures of the docs. pictures.mjs takes them.
import { mkdirSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from '../Tests/NodeSupport/suite.mjs'
import { setWindow, startPages } from '../Tests/BrowserTests/pages.mjs'
import { click } from '../Tests/BrowserTests/page-editor.mjs'
import { writePicture } from './picture-palette.mjs'
import { agenda, ann, eve, openAs, settle } from './picture-pages.mjs'
import { Terminal } from './picture-terminals.mjs'

const folder = fileURLToPath(new URL('../docs/pictures', import.meta.url))
const plugin = fileURLToPath(new URL('../Clients/editors/neovim', import.meta.url))
const notes = '[2026-11-20 09:12] Ann: Shall we move this to 11:00?\n'
    + '[2026-11-20 09:15] Bob: Fine with me.\n[2026-11-20 09:20] Eve: 11:00 is good.\n'

/** A window of a size, with a mouse or with fingers. */
const sized = (width, height, isTouch = false) => ({ width, height, scale: 2, insets: {}, isTouch })

/** A server with documents, and the people in them. */
class DocWorld {
    /** What people have open. */
    documents = []

    static async start(programs) {
        const world = new DocWorld()
        world.programs = resolve(programs)
        world.pages = await startPages(programs)
        world.people = { Ann: await world.pages.connectAs(ann), Eve: await world.pages.connectAs(eve), Bob: world.pages.caret }
        const first = agenda.replace('six', 'four').replace('10:00', '9:00').replace(/- somebody.*\n/, '')
        await world.change('Ann', first)
        await world.people.Bob.tag('agenda', 1, 'draft')
        const second = first.replace('four', 'six').replace('south wall', 'south wall, two in pots')
        await world.change('Eve', second)
        await world.change('Bob', agenda)
        for (const [name, text] of [
            ['agenda.notes', notes], ['recipes/bean soup', 'Beans, onions, thyme.\n'.repeat(9)], ['recipes/apple cake', 'Apples\n'.repeat(70)],
            ['shopping', 'Milk\nBread\nTea, the green one\n'], ['trip to the coast', 'Friday, by train.\n'.repeat(40)],
        ]) await world.pages.put(name, text)
        return world
    }

    /** Saves a text of the document `agenda` as a person. */
    async change(person, text) {
        const document = this.people[person].open('agenda', { create: true })
        await document.opened()
        document.replaceText(text)
        await document.close()
    }

    /** Selects words in the document `agenda` as a person, until `leave`. A caret is set before the words. */
    async select(person, words, isCaret = false) {
        const document = this.people[person].open('agenda')
        this.documents.push(document)
        await document.opened()
        const start = document.text.indexOf(words)
        document.select([[start, isCaret ? start : start + words.length]])
    }

    /** Everybody closes the document `agenda`. */
    async leave() {
        for (const document of this.documents.splice(0)) await document.close()
    }

    /** A page of a person, after all its content has appeared. */
    async open(path, window, { person = ann, scheme = 'light' } = {}) {
        const page = await openAs(this.pages, person, path, window, scheme)
        await page.send('Emulation.setScrollbarsHidden', { hidden: true })
        await settle(page)
        return page
    }

    /** A terminal whose programs use the server. */
    terminal(command, options) {
        const env = {
            CARET_SERVER: `127.0.0.1:${this.pages.server.port}`, CARET_NAME: 'Eve', CARET_COLOR: eve.color.slice(1),
            PATH: `${this.programs}${delimiter}${process.env.PATH}`, USER: 'eve', PS1: '\\[\\e[1;32m\\]$\\[\\e[0m\\] ',
        }
        return Terminal.start(command, { ...options, env })
    }

    /** Puts pages side by side on a ground, and returns this page. */
    async frame(pages, scale = 2) {
        const parts = []
        for (const page of pages) {
            const size = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }))
            parts.push({ ...size, bytes: await page.picture() })
        }
        const width = parts.reduce((sum, part) => sum + part.width, 0) + 16 * (parts.length - 1) + 64
        const height = Math.max(...parts.map((part) => part.height)) + 64
        const frame = await this.pages.browser.open('about:blank')
        await setWindow(frame, { ...sized(width, height), scale })
        await frame.evaluate(async (parts) => {
            document.body.style.cssText = 'margin: 0; padding: 32px; display: flex; gap: 16px; background: #e8e4db'
            for (const { bytes, width, height } of parts) {
                const image = new Image(width, height)
                image.src = `data:image/png;base64,${bytes}`
                image.style.cssText = 'border-radius: 12px; box-shadow: 0 6px 28px rgb(0 0 0 / .22)'
                document.body.append(image)
                await image.decode()
            }
        }, parts)
        for (const page of pages) await page.close()
        return frame
    }
}

/** Sets the caret of a page's user after some words. */
async function setCaret(page, words) {
    await page.evaluate((words) => {
        const field = document.querySelector('main textarea')
        const end = field.value.indexOf(words) + words.length
        field.focus()
        field.setSelectionRange(end, end)
    }, words)
}

/** Each picture: a function that makes a page with it. */
const pictures = {
    async 'two-browsers'(world) {
        await world.select('Bob', 'greenhouse')
        const wide = await world.open('/d/agenda', sized(760, 560, true))
        const narrow = await world.open('/d/agenda', sized(340, 560, true), { person: eve })
        await setCaret(wide, 'fence')
        await setCaret(narrow, 'together')
        for (const page of [wide, narrow]) await settle(page)
        return world.frame([wide, narrow], 1.5)
    },
    async 'page-documents'(world) {
        return world.frame([await world.open('/d/agenda', sized(960, 560))])
    },
    async 'page-editor'(world) {
        await world.select('Bob', 'greenhouse')
        await world.select('Eve', 'together', true)
        const page = await world.open('/d/agenda', sized(720, 470))
        await setCaret(page, 'fence')
        await settle(page)
        return world.frame([page])
    },
    async 'page-history'(world) {
        // The history has the names of those who have the document open.
        await world.select('Eve', 'together', true)
        return world.frame([await world.open('/d/agenda?rev=2', sized(720, 460))])
    },
    async 'page-phones'(world) {
        await world.select('Bob', 'greenhouse')
        const list = await world.open('/', sized(330, 680, true))
        const notes = await world.open('/d/agenda', sized(330, 680, true), { scheme: 'dark' })
        await click(notes, '.notes-toggle')
        await settle(notes)
        return world.frame([list, notes])
    },
    async 'cli-watch'(world) {
        await world.select('Ann', 'fence', true)
        await world.select('Bob', 'greenhouse')
        const terminal = await world.terminal(['caret', 'watch', 'agenda'], { columns: 62, rows: 12 })
        await terminal.shows(/Ann.*Bob|Bob.*Ann/)
        return world.frame([await terminal.page(world.pages.browser)])
    },
    async 'cli-diff'(world) {
        const terminal = await world.terminal(['bash', '--norc', '--noprofile'], { columns: 62, rows: 17 })
        await terminal.shows(/^\$/)
        await terminal.type('caret diff agenda@draft agenda')
        await terminal.shows(/\n\$ *\n*$/)
        return world.frame([await terminal.page(world.pages.browser)])
    },
    async neovim(world) {
        await world.select('Ann', 'fence', true)
        await world.select('Bob', 'greenhouse')
        const settings = `set runtimepath+=${plugin}\nset termguicolors laststatus=2 noshowcmd noruler fillchars=eob:\\ \n`
            + 'set statusline=\\ %f%=%{v:lua.CaretStatus()}\\ \n'
        const terminal = await world.terminal(['nvim', '-u', 'init.vim', '-c', 'CaretOpen agenda'], { columns: 66, rows: 13, files: { 'init.vim': settings } })
        await terminal.shows(/Bob[^]*Ann/)
        await terminal.press('6', 'G', 'A')
        await terminal.shows(/INSERT/)
        return world.frame([await terminal.page(world.pages.browser)])
    },
}

/** Takes the pictures whose names, such as `docs/neovim`, are wanted. If one fails, the others are still taken. */
export async function takeDocPictures(programs, isWanted) {
    const found = Object.entries(pictures).filter(([name]) => isWanted(`docs/${name}`))
    if (found.length === 0) return
    mkdirSync(folder, { recursive: true })
    const world = await DocWorld.start(programs)
    for (const [name, show] of found) {
        await test(`docs/${name}`, async () => {
            const page = await show(world)
            await writePicture(page, `${folder}/${name}.png`)
            await page.close()
            await world.leave()
        })
    }
}
