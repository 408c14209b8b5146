// Finding and replacing in the editor.
import assert from 'node:assert/strict'
import { until } from '../CaretPageTests/support.mjs'
import { expectContrast, expectNames, smallControls } from './accessibility.mjs'
import { click, inSituation, insert } from './page-editor.mjs'
import { press, pressOn, replace, shows } from './page-support.mjs'
import { setWindow, startPages, windows } from './pages.mjs'

const counts = (page, words) => shows(page, '.find-bar output', words)
const open = async (page) => {
    await click(page, '.editor .more')
    await click(page, 'dialog[open] button', 'Find')
    await page.waitFor(() => document.activeElement.matches('.find-bar input'), 'the field with the focus')
}
/** How many marks are in the view. */
const marked = (page) => page.evaluate(() => {
    const stage = document.querySelector('.stage').getBoundingClientRect()
    const boxes = [...document.querySelectorAll('.find-marks span')].map((one) => one.getBoundingClientRect())
    return boxes.filter(({ top, bottom }) => bottom > stage.top && top < stage.bottom).length
})

export async function testPageFind(programs) {
    const { testPage, put } = await startPages(programs)
    const lines = Array.from({ length: 200 }, (_, index) => index % 50 === 0 ? `Milk ${index}` : `line ${index}`)
    const list = await put('list', `${lines.join('\n')}\n`)
    await testPage('all places are counted and marked, and Enter goes through them', '/d/list', async (page) => {
        await inSituation(page, 'saved')
        await open(page)
        await counts(page, '')
        await replace(page, 'milk')
        await counts(page, '1 of 4')
        await expectNames(page)
        await expectContrast(page)
        const tops = []
        for (const words of ['2 of 4', '3 of 4', '4 of 4', '1 of 4']) {
            await press(page, 'Enter')
            await counts(page, words)
            await page.waitFor((before) => {
                const mark = document.querySelector('.find-marks .chosen')?.getBoundingClientRect()
                const stage = document.querySelector('.stage').getBoundingClientRect()
                const hasMoved = document.querySelector('.text').scrollTop !== before
                return hasMoved && mark && mark.top >= stage.top && mark.bottom <= stage.bottom
            }, 'a mark in the view', tops.at(-1) ?? 0)
            tops.push(await page.evaluate(() => document.querySelector('.text').scrollTop))
        }
        assert.ok(tops[0] < tops[1] && tops[1] < tops[2] && tops[3] === 0, tops.join())
        await press(page, 'Enter', { shift: true })
        await counts(page, '4 of 4')
        await pressOn(page, 'Match upper and lower case')
        await counts(page, 'Not found')
        await page.waitFor(() => document.querySelectorAll('.find-marks span').length === 0, 'no marks')
        await pressOn(page, 'Match upper and lower case')
        await counts(page, '1 of 4')
        list.replaceText(list.text.replace('Milk 100', 'Bread 100'))
        await counts(page, '1 of 3')
        await page.evaluate(() => document.querySelector('.find-bar input').focus())
        await press(page, 'Enter')
        await counts(page, '2 of 3')
        await press(page, 'Escape')
        const [start, end, focus] = await page.evaluate(() => {
            const field = document.querySelector('.text')
            return [field.selectionStart, field.selectionEnd, document.activeElement.className]
        })
        assert.deepEqual([list.text.slice(start, end), start, focus], ['Milk', list.text.indexOf('Milk 50'), 'text'])
        assert.deepEqual(await page.evaluate(() => [document.querySelector('.find-marks'), document.querySelector('.find-bar').checkVisibility()]), [null, false])
    })

    const tea = await put('tea', 'tea, Tea and teapot')
    await testPage('one place or all are replaced, with one undo each, and a selection is what is found', '/d/tea', async (page) => {
        await inSituation(page, 'saved')
        await page.evaluate(() => document.querySelector('.text').setSelectionRange(5, 8))
        await open(page)
        assert.equal(await page.evaluate(() => document.activeElement.value), 'Tea')
        await counts(page, '2 of 3')
        await pressOn(page, 'Replace with')
        await replace(page, 'coffee')
        await press(page, 'Enter')
        await until(() => tea.text === 'tea, coffee and teapot', 'one replaced place')
        await counts(page, '2 of 2')
        await pressOn(page, 'Replace all')
        await until(() => tea.text === 'coffee, coffee and coffeepot', 'all replaced places')
        await counts(page, 'Not found')
        await shows(page, '.notices', /2 places replaced\.$/)
        await click(page, '.undo-buttons [aria-label=Undo]')
        await until(() => tea.text === 'tea, coffee and teapot', 'the text after undo')
        await counts(page, /of 2$/)
        await setWindow(page, windows.small)
        assert.deepEqual(await smallControls(page, '.find-bar'), [])
        assert.equal(await marked(page), 2)
        await page.evaluate(() => document.querySelector('.text').focus())
        await insert(page, 'tea ')
        await counts(page, /of 3$/)
    })
}
