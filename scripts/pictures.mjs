// Makes pictures of the page, of `caret` in a terminal and of Neovim, with a real server and in Chromium.
//
//     node scripts/pictures.mjs [FOLDER [NAME...]]
//
// FOLDER has the programs; .build/release if it is missing. Writes every screen and state, in light and dark, on a phone
// and on a desktop, to .build/pictures, and the pictures of the docs to docs/pictures. A NAME is the
// beginning of a picture's name: with NAMEs, only these pictures are taken. Pictures of the docs are named `docs/…`.
//
// With AXE=FILE, axe-core checks the screens and states, and no pictures are taken. FILE is axe.min.js, for example from
// the package axe-playwright-python of PyPI. A finding is a failure.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runSuite, test } from '../Tests/NodeSupport/suite.mjs'
import { startPages, windows } from '../Tests/BrowserTests/pages.mjs'
import { takeDocPictures } from './picture-docs.mjs'
import { agenda, ann, openAs, rest, settle } from './picture-pages.mjs'
import { states, StateWorld } from './picture-states.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = `${root}.build/pictures`
const [programs = `${root}.build/release`, ...wanted] = process.argv.slice(2)
const axe = process.env.AXE && readFileSync(process.env.AXE, 'utf8')
const isWanted = (name) => wanted.length === 0 || wanted.some((one) => name.startsWith(one))

const shopping = 'Milk\nBread\nTea, the green one\n'

/** Documents with some history, and what others do in them. */
async function prepare(pages) {
    const document = await pages.put('agenda', agenda.split('\n').slice(0, 5).join('\n'))
    for (const text of [agenda.replace('six', 'four'), agenda]) {
        document.replaceText(text)
        await document.saved()
    }
    await pages.caret.tag('agenda', 2, 'draft')
    await pages.put('notes/shopping', shopping)
    await pages.put('notes/trip to the coast', 'Friday, by train.\n'.repeat(40))
    await pages.put('release notes', 'Version 1\n')
    await pages.put('agenda.notes', '[2026-11-20 09:12] Ann: Shall we move this to 11:00?\n'
        + '[2026-11-20 09:15] Bob: Fine with me.\n  I can bring the plans then, too.\n[2026-11-20 09:20] Eve: 11:00 is good.\n')
    const at = agenda.indexOf('greenhouse')
    document.select([[at, at + 'greenhouse'.length]])
    return document
}

/** Each screen and state: its path, and the controls that are pressed there, as selectors. */
const screens = {
    documents: ['/'],
    'documents-settings': ['/', '[aria-label=Settings]'],
    'documents-new': ['/', '[aria-label="New document"]'],
    'documents-deleted': ['/', '.trash-button'],
    editor: ['/d/agenda'],
    'editor-menu': ['/d/agenda', '.more'],
    'editor-name': ['/d/agenda', '.screen h1 button'],
    'editor-rename': ['/d/agenda', '.screen h1 button', 'menu li:nth-child(1) button'],
    'editor-delete': ['/d/agenda', '.screen h1 button', 'menu .danger-text'],
    history: ['/d/agenda?rev=2'],
    'history-names': ['/d/agenda?rev=2', '[aria-label="Named revisions"]'],
    'history-people': ['/d/agenda?rev=2', '[aria-label^="Show changes"]'],
    'history-restore': ['/d/agenda?rev=2', '.restore'],
    compare: ['/d/agenda?from=1&to=3'],
    missing: ['/d/nothing'],
}

/** Presses a control as soon as there is one. */
function pressFirst(page, selector) {
    return page.waitFor((selector) => {
        const control = [...document.querySelectorAll(`dialog[open]:last-of-type :is(${selector}), body:not(:has(dialog[open])) :is(${selector})`)]
            .find((one) => one.checkVisibility())
        control?.click()
        return control !== undefined
    }, selector, selector)
}

/** What axe-core finds on a page. */
async function findings(page) {
    await page.send('Runtime.evaluate', { expression: axe })
    return page.evaluate(async () => {
        const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    })
}

/** For each window and scheme, takes a picture of the page that `show` makes. If one fails, the others are still taken. */
async function inAllWindows(name, show) {
    for (const window of ['phone', 'desktop']) {
        for (const scheme of ['light', 'dark']) {
            await test(`${name}-${window}-${scheme}`, async () => {
                const page = await show(windows[window], scheme)
                if (axe) assert.deepEqual(await findings(page), [])
                else await page.screenshot(`${all}/${name}-${window}-${scheme}.png`)
                await page.close()
            })
        }
    }
}

async function takeScreens() {
    const found = Object.entries(screens).filter(([name]) => isWanted(name))
    if (found.length === 0) return
    const pages = await startPages(programs)
    await prepare(pages)
    for (const [name, [path, ...presses]] of found) {
        await inAllWindows(name, async (window, scheme) => {
            const page = await openAs(pages, ann, path, window, scheme)
            await settle(page)
            for (const control of presses) await pressFirst(page, control)
            await settle(page)
            return page
        })
    }
}

async function takeStates() {
    const found = Object.entries(states).filter(([name]) => isWanted(name))
    if (found.length === 0) return
    const world = await StateWorld.start(programs)
    for (const [name, show] of found) {
        await inAllWindows(name, async (window, scheme) => {
            const open = (path, origin = world.open.origin) => openAs(world.open, ann, path, window, scheme, origin)
            const page = await show(open, world)
            await rest(page)
            return page
        })
    }
}

await runSuite(async function pictures() {
    mkdirSync(all, { recursive: true })
    if (!axe) await takeDocPictures(programs, isWanted)
    await takeScreens()
    await takeStates()
})
