// Where the parts of the editor stand in five windows, and whether everybody can use them.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { lowContrasts } from './accessibility.mjs'
import { click, inSituation, insert, mayLeave } from './page-editor.mjs'
import { setWindow, startPages, windows } from './pages.mjs'

const lines = Array.from({ length: 200 }, (_, index) => `Line ${index} ${'word '.repeat((index * 7) % 23)}`).join('\n')

export async function testPageEditorLayout(programs) {
    const pages = await startPages(programs, ['--limit-document', '200KiB'])
    await pages.put('notes/agenda', lines)
    const long = `${'very-long-folder/'.repeat(4)}${'a-name-without-an-end-'.repeat(8)}`
    await pages.put(long, '')
    for (const [name, window] of Object.entries(windows)) {
        await test(`the editor fits the window '${name}'`, async () => {
            const page = await pages.openPage('/d/notes/agenda', window)
            await inSituation(page, 'saved')
            checkBoxes(await boxesOf(page), window)
            await checkKeyboard(page, window)
            // Otherwise, the browser would ask before it leaves the page.
            await mayLeave(page)
            await page.goTo(`${pages.origin}/d/${long}`)
            await inSituation(page, 'saved')
            checkBoxes(await boxesOf(page), window)
            assert.deepEqual(page.problems, [])
            await page.close()
        })
    }
    for (const scheme of ['light', 'dark']) await testContrast(pages, scheme)
    await testMotion(pages)
}

/** Where everything is, in pixels. */
const boxesOf = (page) => page.evaluate(() => {
    const box = (selector) => {
        const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect()
        return { left, top, right, bottom }
    }
    const field = document.querySelector('.text')
    const style = getComputedStyle(field)
    const column = document.querySelector('main').getBoundingClientRect().left
    const controls = [...document.querySelectorAll('.editor .bar.above :is(a, button)')].filter((one) => one.offsetParent)
        .map((one) => one.getBoundingClientRect()).map(({ left, right, top, bottom, width, height }) => ({ left, right, top, bottom, width, height }))
    return {
        column, below: document.querySelector('.has-notes > .notes')?.getBoundingClientRect().top, bar: box('.editor .bar.above'), field: box('.text'), name: box('.editor .name'), more: box('.editor .more'), controls,
        padding: [style.paddingLeft, style.paddingRight, style.paddingBottom].map(parseFloat), font: parseFloat(style.fontSize),
        overflow: document.scrollingElement.scrollWidth - innerWidth, lineWidth: field.clientWidth,
    }
})

function checkBoxes(boxes, { width, height, insets: { top = 0, left = 0, right = 0, bottom = 0 } }) {
    const { bar, field, column, controls, padding } = boxes
    const insetLeft = width < 900 ? left : 0
    assert.equal(boxes.overflow, 0, 'nothing is wider than the window')
    // Backgrounds reach the edges of the screen, and controls stay inside the safe area.
    assert.deepEqual([bar.top, bar.left, bar.right], [0, column, width])
    // The words of the state come and go inside the bar, so the text never moves for them.
    assert.ok(Math.abs(bar.bottom - top - 57) <= 1, `the bar is ${bar.bottom - top} high`)
    assert.deepEqual([field.left, field.right], [column, width])
    // The text ends at the bar of the notes, which has the lower inset then.
    assert.ok(Math.abs(field.bottom - (boxes.below ?? height)) < 1, `the text ends at ${field.bottom}`)
    assert.ok(Math.abs(field.top - bar.bottom) < 1, 'the text begins under the bar')
    for (const control of controls) {
        assert.ok(control.top >= top && control.left >= column + insetLeft && control.right <= width - right + 0.5, JSON.stringify(control))
        assert.ok(control.height >= 44 && control.width >= 44, `a control is ${control.width} by ${control.height}`)
    }
    for (const [index, one] of controls.slice(1).entries()) assert.ok(one.left >= controls[index].right - 4, 'controls do not overlap')
    // Insets are inside the field, so that its scrollbar stands at the edge.
    assert.ok(padding[0] >= insetLeft + 20 && padding[1] >= right + 20 && padding[2] >= (boxes.below ? 0 : bottom) + 24, String(padding))
    assert.ok(boxes.font >= 16)
    // About 76 characters a line.
    assert.ok(boxes.lineWidth - padding[0] - padding[1] <= 76 * 10.5, 'lines are not too long')
}

/** The line with the caret stays in the view when a keyboard covers the lower part of the window. */
async function checkKeyboard(page, window) {
    await page.evaluate(measureCaret)
    const showKeyboard = async () => {
        await setWindow(page, { ...window, height: Math.round(window.height * 0.55), insets: { ...window.insets, bottom: 0 } })
        await page.waitFor((most) => innerHeight <= most, 'the smaller window', Math.ceil(window.height * 0.56))
    }
    for (const offset of [0, Math.floor(lines.length * 0.4), lines.length]) {
        await setWindow(page, window)
        await page.evaluate((offset) => {
            const field = document.querySelector('.text')
            field.focus()
            field.setSelectionRange(offset, offset)
        }, offset)
        await insert(page, '!')
        await showKeyboard()
        await page.waitFor(() => {
            const { top, fieldTop, bottom } = window.caretPlace()
            return top >= fieldTop - 1 && top + 20 <= bottom
        }, `the line of offset ${offset} in the view`)
    }
    // Somebody who has scrolled away from the caret is reading something else.
    await setWindow(page, window)
    await page.evaluate(() => { document.querySelector('.text').scrollTop = 0 })
    await showKeyboard()
    // What is measured for the caret is loaded, so two frames are enough.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    assert.equal(await page.evaluate(() => document.querySelector('.text').scrollTop), 0)
    await setWindow(page, window)
}

/** Runs in the page: adds a function that says where the line with the caret is, by a copy of the field. */
function measureCaret() {
    window.caretPlace = () => {
        const field = document.querySelector('.text')
        const style = getComputedStyle(field)
        const copy = document.createElement('div')
        for (const name of ['font', 'padding', 'tab-size', 'line-height']) copy.style.setProperty(name, style.getPropertyValue(name))
        const fixed = { 'white-space': 'pre-wrap', 'overflow-wrap': 'break-word', position: 'absolute', 'box-sizing': 'border-box', width: `${field.clientWidth}px` }
        for (const [name, value] of Object.entries(fixed)) copy.style.setProperty(name, value)
        const mark = document.createElement('span')
        mark.textContent = '\u200b'
        copy.append(field.value.slice(0, field.selectionEnd), mark, field.value.slice(field.selectionEnd))
        document.body.append(copy)
        const top = mark.getBoundingClientRect().top - copy.getBoundingClientRect().top - field.scrollTop
        copy.remove()
        const { top: fieldTop, bottom } = field.getBoundingClientRect()
        return { top: fieldTop + top, fieldTop, bottom }
    }
}

async function testContrast({ openPage, put }, scheme) {
    await test(`texts have enough contrast in the ${scheme} scheme`, async () => {
        await put(`contrast/${scheme}`, 'abc')
        const page = await openPage(`/d/contrast/${scheme}`, windows.desktop, scheme)
        await inSituation(page, 'saved')
        await insert(page, 'x'.repeat(250_000))
        await inSituation(page, 'refused')
        assert.deepEqual(await lowContrasts(page), [])
        await click(page, '.banner button', 'Show')
        await page.waitFor(() => document.querySelector('.difference ins'), 'the changes')
        assert.deepEqual(await lowContrasts(page, 'dialog'), [])
        assert.deepEqual(page.problems, [])
        await page.close()
    })
}

async function testMotion({ openPage }) {
    await test('nothing moves where users want less motion', async () => {
        const page = await openPage('/d/notes/agenda', windows.phone)
        await page.reduceMotion()
        await inSituation(page, 'saved')
        await click(page, '.editor .more')
        await page.waitFor(() => document.querySelector('dialog'), 'the menu')
        assert.deepEqual(await page.evaluate(() => document.getAnimations().length), 0)
        const times = await page.evaluate(() => ['.words', '.words-box', '.round'].map((selector) =>
            getComputedStyle(document.querySelector(selector)).transitionDuration))
        assert.deepEqual([...new Set(times.join(', ').split(', '))], ['0s'])
        await page.close()
    })
}
