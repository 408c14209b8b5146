// The comparison of two revisions, on the page in Chromium.
import assert from 'node:assert/strict'
import { press, pressOn } from './page-support.mjs'
import { setWindow, startPages, windows } from './pages.mjs'
import { compared, testWindows } from './screen-checks.mjs'

export async function testPageCompare(programs) {
    const pages = await startPages(programs)
    const lines = Array.from({ length: 60 }, (_, index) => `Line ${index + 1} of a list`)
    const list = await pages.put('list', `${lines.join('\n')}\n`)
    lines[9] = 'Line 10 of our list'
    lines.splice(30, 1)
    lines.push('The end')
    list.replaceText(`${lines.join('\n')}\n`)
    await list.saved()
    await testRows(pages)
    await testChoosing(pages, list)
    await testLongTexts(pages)
    await testWindows(pages, '?from=1', compared)
}

async function testRows({ testPage }) {
    await testPage('a comparison shows words, numbers, signs and counts', '/d/list?from=1', async (page) => {
        await compared(page)
        const shown = await page.evaluate(() => ({
            counts: document.querySelector('.counts').textContent, marks: [...document.querySelectorAll('.compare-rows mark')].map((one) => one.textContent),
            removed: [...document.querySelectorAll('.compare-rows del')].map((one) => one.textContent), added: [...document.querySelectorAll('.compare-rows ins')].map((one) => one.textContent),
            first: document.querySelector('.removed').textContent, folds: [...document.querySelectorAll('.fold')].map((one) => one.textContent),
        }))
        assert.equal(shown.counts, '3\u00a0changes+2\u22122')
        assert.deepEqual(shown.marks, ['a', 'our'])
        assert.deepEqual(shown.removed, ['Line 10 of a list', 'Line 31 of a list'])
        assert.deepEqual(shown.added, ['Line 10 of our list', 'The end'])
        assert.equal(shown.first, '10\u2212Line 10 of a list')
        assert.deepEqual(shown.folds, ['Show 6\u00a0equal lines', 'Show 14\u00a0equal lines', 'Show 23\u00a0equal lines'])
    })

    await testPage('n and p go to the next and the previous change', '/d/list?from=1', async (page) => {
        await compared(page)
        const current = () => page.evaluate(() => [document.activeElement.getAttribute('aria-label'), document.querySelector('.counts b').textContent])
        await press(page, 'n')
        assert.deepEqual(await current(), ['1\u00a0line removed, 1\u00a0line added', 'Change 1 of 3'])
        await press(page, 'n')
        assert.deepEqual(await current(), ['1\u00a0line removed', 'Change 2 of 3'])
        await pressOn(page, 'Next change')
        await press(page, 'n')
        assert.deepEqual(await current(), ['1\u00a0line added', 'Change 3 of 3'])
        await press(page, 'p')
        await pressOn(page, 'Previous change')
        await press(page, 'p')
        assert.equal((await current())[1], 'Change 1 of 3')
    })

    await testPage('folded lines appear when they are asked for', '/d/list?from=1', async (page) => {
        await compared(page)
        await page.evaluate(() => document.querySelector('.fold').click())
        assert.match(await page.evaluate(() => document.querySelector('.compare-rows').textContent), /^1Line 1 of a list/)
        assert.equal(await page.evaluate(() => document.querySelectorAll('.fold').length), 2)
    })

    await testPage('old and new stand beside each other from 900 pixels on', '/d/list?from=1', async (page) => {
        await compared(page)
        const sides = () => page.evaluate(() => ['.removed', '.added'].map((kind) => Math.round(document.querySelector(`.line${kind}`).getBoundingClientRect().top)))
        const [removed, added] = await sides()
        assert.equal(removed, added)
        await setWindow(page, windows.tablet)
        await page.waitFor(() => !document.querySelector('.pair'), 'one column')
        const [above, below] = await sides()
        assert.ok(below > above)
    })
}

async function testChoosing({ testPage, putTrimmed }, list) {
    await testPage('the user chooses what is compared', '/d/list?from=1', async (page) => {
        await compared(page)
        await page.evaluate(() => document.querySelectorAll('.picker')[1].click())
        await page.waitFor(() => document.querySelectorAll('.moments button').length >= 3, 'the moments')
        assert.match(await page.evaluate(() => document.querySelector('.moments').textContent), /^Now.*Revision 2.*The beginning$/)
        await page.evaluate(() => {
            document.querySelector('dialog input').value = '1'
            document.querySelector('dialog form').requestSubmit()
        })
        await page.waitFor(() => document.querySelector('.counts').textContent === 'No difference', 'no difference')
        assert.equal(await page.evaluate(() => location.search), '?from=1&to=1')
    })

    await testPage('a newer text is compared only when the user wants it', '/d/list?from=1', async (page) => {
        await compared(page)
        list.append('Later\n')
        await list.saved()
        await page.waitFor(() => document.querySelector('.banner')?.textContent.startsWith('The text has changed since.'), 'the banner')
        assert.doesNotMatch(await page.evaluate(() => document.querySelector('.compare-rows').textContent), /Later/)
        await pressOn(page, 'Compare again')
        await page.waitFor(() => document.querySelector('.compare-rows').textContent.includes('Later'), 'the newer text')
    })

    await putTrimmed()
    await testPage('a revision that is not kept says so', '/d/trimmed?from=1', async (page) => {
        await page.waitFor(() => document.querySelector('.compare-text [role="alert"]')?.textContent.includes('is not kept'), 'the sentence')
        await page.evaluate(() => document.querySelectorAll('.picker')[0].click())
        await page.waitFor(() => [...document.querySelectorAll('.moments button')].some((one) => one.textContent === 'Revision 5'), 'the first kept revision')
    })
}

async function testLongTexts({ testPage, put }) {
    const long = Array.from({ length: 50_000 }, (_, index) => `Line ${index} of a text with more than a million characters`)
    const big = await put('big', long.join('\n'))
    big.replaceText(long.map((line, index) => (index % 100 === 0 ? `${line} changed` : line)).join('\n'))
    await big.saved()
    await testPage('texts over 1 MiB are compared, and drawn in parts', '/d/big?from=1', async (page) => {
        await compared(page)
        assert.match(await page.evaluate(() => document.querySelector('.counts').textContent), /^500\schanges/)
        const linesDrawn = () => page.evaluate(() => document.querySelectorAll('.pair').length)
        assert.ok(await linesDrawn() < 600)
        await page.evaluate(() => document.querySelector('.show-more').click())
        assert.ok(await linesDrawn() > 600)
    })
}
