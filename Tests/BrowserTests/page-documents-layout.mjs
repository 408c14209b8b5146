// Where the rows, cells and bars of the documents are, in windows of all sizes and with a notch.
import assert from 'node:assert/strict'
import { lowContrasts, smallControls } from './accessibility.mjs'
import { testIn } from './browsers.mjs'
import { box, pressOn } from './page-support.mjs'
import { setWindow, windows, windowsOf } from './pages.mjs'
import { allOr } from './quick.mjs'

export async function testDocumentsLayout({ openPage, put, caret, browser }) {
    for (let index = 0; index < 30; index++) await put(`${index < 12 ? '' : 'team/plans/'}document ${index}`)
    const page = await openPage('/', windows.phone)
    await page.waitFor(() => document.querySelectorAll('.rows .entry').length >= 30, 'the rows')
    for (const [name, window] of Object.entries(windowsOf(browser))) {
        const test = (title, body) => testIn(browser, title, ['lazyLayout'], body)
        await test(`rows and bars reach the edges, and their content does not: ${name}`, () => expectRows(page, window))
        await test(`the first and the last row can be seen between the bars: ${name}`, () => expectScrolling(page))
        await test(`cells of the grid stay inside of the safe area: ${name}`, () => expectGrid(page, window))
    }
    assert.deepEqual(page.problems, [])
    await page.close()
    for (const { name } of (await caret.list()).docs) if (/document \d+$/.test(name)) await caret.delete(name)
}

/** Where texts begin, and where the list ends. On a wide window, it is a column of 300 pixels with a line. */
function edgesOf({ width, insets: { left = 0, right = 0 } }) {
    return width >= 900 ? { left: 16, right: 299, safe: 299 } : { left: left + 16, right: width, safe: width - right }
}

const scrollTo = (page, top) => page.evaluate((top) => { document.querySelector('.scroller').scrollTop = top }, top)

async function expectRows(page, window) {
    const [edges, { top = 0, bottom = 0 }] = [edgesOf(window), window.insets]
    await setWindow(page, window)
    await scrollTo(page, 0)
    await page.waitFor(() => document.querySelector('.documents').style.getPropertyValue('--bar-top')
        === `${document.querySelector('.bar.above').offsetHeight}px`, 'the heights of the bars')
    const [row, scrollbar] = [await box(page, '.entry + .entry'), await page.evaluate(() => {
        const scroller = document.querySelector('.scroller')
        return scroller.offsetWidth - scroller.clientWidth
    })]
    assert.deepEqual([row.left, row.right + scrollbar], [0, edges.right])
    assert.equal((await box(page, '.entry + .entry b')).left, edges.left)
    // The first row of a section has a line from edge to edge.
    const lines = await page.evaluate(() => ['.entry + .entry', 'section:not(.without-folder) .entry'].map((selector) => {
        const style = getComputedStyle(document.querySelector(selector), '::before')
        return [style.left, style.right, style.borderTopWidth]
    }))
    assert.deepEqual(lines, [[`${edges.left}px`, '0px', '1px'], ['0px', '0px', '1px']])
    const [head, bar, button] = [await box(page, '.bar.above'), await box(page, '.bar.below'), await box(page, '.create')]
    assert.deepEqual([head.left, head.right, head.top], [0, edges.right, 0])
    assert.deepEqual([bar.left, bar.right, bar.bottom], [0, edges.right, window.height])
    assert.ok((await box(page, '.bar.above h1')).top >= top)
    // On a low window, the search is beside the title.
    const [field, settings] = [await box(page, '.search input'), await box(page, '[aria-label=Settings]')]
    assert.ok(field.left >= edges.left && field.right <= edges.safe - 8, `the search from ${field.left} to ${field.right}`)
    assert.ok(settings.right <= edges.safe && (window.height >= 500 || field.right <= settings.left), `${settings.right}`)
    assert.ok(button.bottom <= window.height - bottom - 8, `${button.bottom}`)
    assert.ok(Math.abs(button.right - (edges.safe - 16)) < 0.01, `${button.right}`)
}

async function expectScrolling(page) {
    const [head, first] = [await box(page, '.bar.above'), await box(page, '.entry')]
    assert.ok(Math.abs(first.top - head.bottom) < 1, `${first.top} ${head.bottom}`)
    await scrollTo(page, 1e6)
    await page.waitFor(() => document.querySelector('section:last-of-type .entry:last-child').getBoundingClientRect().bottom
        <= document.querySelector('.bar.below').getBoundingClientRect().top + 1, 'the last row above the bar')
    const title = await box(page, 'section:last-of-type h2')
    assert.ok(Math.abs(title.top - head.bottom) < 1 && title.left === 0, `the title of the folder at ${title.top}`)
}

async function expectGrid(page, window) {
    const edges = edgesOf(window)
    const isOffered = await page.evaluate(() => document.querySelector('.documents .layout').checkVisibility())
    assert.equal(isOffered, window.width < 900, 'the grid is offered where it has more than one column')
    if (!isOffered) return
    await pressOn(page, 'Show as a grid')
    await scrollTo(page, 0)
    const cells = await page.evaluate(() => [...document.querySelectorAll('.without-folder .entry')].map((one) => {
        const { left, right } = one.getBoundingClientRect()
        return { left, right }
    }))
    assert.equal(Math.min(...cells.map((cell) => cell.left)), edges.left)
    assert.ok(Math.max(...cells.map((cell) => cell.right)) <= edges.safe - 15.5)
    const columns = new Set(cells.map((cell) => cell.left)).size
    assert.ok(columns >= 2, `${columns} columns`)
    const isEven = Object.values(windows).findIndex(({ width }) => width === window.width) % 2 === 0
    for (const scheme of allOr([isEven ? 'light' : 'dark'], ['light', 'dark'], 'the other scheme of each window')) {
        await setWindow(page, window, scheme)
        assert.deepEqual(await lowContrasts(page, '.documents'), [])
    }
    assert.deepEqual(await smallControls(page, '.documents'), [])
    await pressOn(page, 'Show as a list')
    assert.deepEqual(await smallControls(page, '.documents'), [])
}
