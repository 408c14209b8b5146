// Makes pictures of the page of a real server, in Chromium.
//
//     node scripts/pictures.mjs [FOLDER [NAME...]]
//
// FOLDER has the programs; .build/release if it is missing. Writes every screen and state, in light and dark, on a phone
// and on a desktop, to .build/pictures, and the pictures of the docs to docs/pictures. With NAMEs, writes only the
// screens and states whose names begin with one of them.
import { mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runSuite, test } from '../Tests/NodeSupport/suite.mjs'
import { setWindow, startPages, windows } from '../Tests/BrowserTests/pages.mjs'
import { states, StateWorld } from './picture-states.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = `${root}.build/pictures`
const docs = `${root}docs/pictures`
const [programs = `${root}.build/release`, ...wanted] = process.argv.slice(2)
const isWanted = (name) => wanted.length === 0 || wanted.some((one) => name.startsWith(one))

const agenda = `# Agenda

Monday, 10:00. Bring the plans for the greenhouse,
and last year's list of what grew and what did not.

- tomatoes: six plants, the south wall
- beans along the fence
- somebody waters on weekends

Then eat together.
`
const shopping = 'Milk\nBread\nTea, the green one\n'

/** A page of somebody with a name and a color. */
async function openAs(pages, person, path, window, scheme, origin = pages.origin) {
    const page = await pages.openPage('/healthz', window, scheme, origin)
    await page.evaluate((person) => localStorage.setItem('caret.settings', JSON.stringify(person)), person)
    if (path !== '/healthz') await page.goTo(`${origin}${path}`)
    return page
}

/** Waits until the page has its content, and nothing moves any more. */
async function settle(page) {
    await page.waitFor(() => document.querySelector('.screen') && !document.querySelector('[aria-busy="true"]'), 'a screen')
    await rest(page)
}

/** Waits until nothing moves any more, but for what moves all the time. */
async function rest(page) {
    await page.evaluate(async () => {
        await document.fonts.ready
        const ends = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
        await Promise.all(ends.map((one) => one.finished.catch(() => {})))
        for (let frames = 0; frames < 30; frames++) await new Promise(requestAnimationFrame)
    })
}

const ann = { name: 'Ann', color: '#1074cc' }
const eve = { name: 'Eve', color: '#8658d7' }

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
    editor: ['/d/agenda'],
    'editor-menu': ['/d/agenda', '.more'],
    'editor-name': ['/d/agenda', '.screen h1 button'],
    'editor-rename': ['/d/agenda', '.screen h1 button', 'menu li:nth-child(1) button'],
    'editor-delete': ['/d/agenda', '.screen h1 button', 'menu .danger'],
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

/** For each window and scheme, takes a picture of the page that `show` makes. If one fails, the others are still taken. */
async function inAllWindows(name, show) {
    for (const window of ['phone', 'desktop']) {
        for (const scheme of ['light', 'dark']) {
            await test(`${name}-${window}-${scheme}`, async () => {
                const page = await show(windows[window], scheme)
                await page.screenshot(`${all}/${name}-${window}-${scheme}.png`)
                await page.close()
            })
        }
    }
}

async function takeScreens(pages) {
    for (const [name, [path, ...presses]] of Object.entries(screens).filter(([name]) => isWanted(name))) {
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

/** The picture of the README: two browsers in one document. */
async function takeTwo(pages) {
    const left = { width: 760, height: 560, scale: 2, insets: {} }
    const right = { width: 340, height: 560, scale: 2, insets: {} }
    const wide = await openAs(pages, ann, '/d/agenda', left)
    const narrow = await openAs(pages, eve, '/d/agenda', right)
    for (const page of [wide, narrow]) await settle(page)
    for (const [page, words] of [[wide, 'fence'], [narrow, 'together']]) {
        await page.evaluate((words) => {
            const field = document.querySelector('main textarea')
            const end = field.value.indexOf(words) + words.length
            field.focus()
            field.setSelectionRange(end, end)
        }, words)
    }
    for (const page of [wide, narrow]) await settle(page)
    await wide.screenshot(`${all}/left.png`)
    await narrow.screenshot(`${all}/right.png`)
    const images = ['left', 'right'].map((name) => readFileSync(`${all}/${name}.png`).toString('base64'))
    const frame = await pages.browser.open('about:blank')
    await setWindow(frame, { width: 1180, height: 624, scale: 1.5, insets: {} })
    await frame.evaluate(async ([left, right]) => {
        document.body.style.cssText = 'margin: 0; padding: 32px; display: flex; gap: 16px; background: #e8e4db'
        for (const [bytes, width] of [[left, 760], [right, 340]]) {
            const image = new Image(width, 560)
            image.src = `data:image/png;base64,${bytes}`
            image.style.cssText = 'border-radius: 12px; box-shadow: 0 6px 28px rgb(0 0 0 / .22)'
            document.body.append(image)
            await image.decode()
        }
    }, images)
    await frame.screenshot(`${docs}/two-browsers.png`)
}

await runSuite(async function pictures() {
    for (const folder of [all, docs]) mkdirSync(folder, { recursive: true })
    const pages = await startPages(programs)
    await prepare(pages)
    if (wanted.length === 0) await takeTwo(pages)
    await takeScreens(pages)
    await takeStates()
})
