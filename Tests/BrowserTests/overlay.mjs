// Carets of others over a textarea, in a real browser.
import assert from 'node:assert/strict'
import { makeRandom, until } from '../CaretPageTests/support.mjs'
import { startTabs } from './tabs.mjs'

export { engines } from './browsers.mjs'

export async function testOverlay(programs, engine) {
    const tabs = await startTabs(programs, engine)
    await testMirror(tabs)
    await testCarets(tabs)
}

/** Text that browsers break into lines in different ways. */
const samples = [
    'word', 'Wörter', '日本語の文章', '한국어', '😀', '👨‍👩‍👧', 'العربية', 'עברית', '\t', ' ', '  ', '\u00ad', '\u200b', '-', '\n', '\n\n',
    'Donaudampfschifffahrtsgesellschaft', 'https://example.org/a/b?c=d', '…', '(', ')', 'é',
]

async function testMirror({ testTabs }) {
    await testTabs('the copy of a field has the height of its text', async ({ tab }) => {
        const random = makeRandom(5)
        const texts = Array.from({ length: 300 }, () => {
            const words = Array.from({ length: random.below(60) }, () => random.pick(samples) + (random.chance(50) ? ' ' : ''))
            return { width: 60 + random.below(5000) / 10, text: words.join('') }
        })
        const heights = await tab.evaluate(async (texts) => {
            const { Mirror } = await import('/caret/mirror.js')
            binding.release()
            const mirror = new Mirror(field)
            return texts.map(({ width, text }) => {
                field.style.width = `${width}px`
                // As high as its text, so that `scrollHeight` is not the height of the field.
                field.style.height = '0'
                field.value = text
                mirror.show(text)
                return [Math.round(mirror.height), field.scrollHeight]
            })
        }, texts)
        const different = heights.map((pair, index) => [...pair, texts[index]]).filter(([copy, own]) => copy !== own)
        assert.deepEqual(different, [])
    })
}

async function testCarets({ testTabs }) {
    const marks = () => {
        const root = field.nextElementSibling?.shadowRoot
        const origin = field.getBoundingClientRect()
        return [...(root?.querySelectorAll('.selection, .caret') ?? [])].map((mark) => {
            const { left, top, width, height } = mark.getBoundingClientRect()
            const label = mark.querySelector('.label')
            return {
                kind: mark.className.split(' ')[0], left: left - origin.left, top: top - origin.top, width, height,
                color: getComputedStyle(mark).backgroundColor, name: label?.textContent,
                isNamed: label ? getComputedStyle(label).visibility === 'visible' : false,
            }
        })
    }
    const caretOf = (found) => found.find(({ kind }) => kind === 'caret')

    await testTabs('carets and selections of others are at their words', async ({ tab, other }) => {
        other.select([[6, 6]])
        await until(() => other.saving.state === 'saved', 'the selection')
        await tab.page.waitFor(() => field.nextElementSibling.shadowRoot?.querySelector('.caret'), 'a caret')
        const [first] = await tab.evaluate(marks)
        // Five letters and a space after the padding, in the first line.
        const width = await tab.evaluate((text) => {
            const context = document.createElement('canvas').getContext('2d')
            context.font = getComputedStyle(field).font
            return context.measureText(text).width
        }, 'Watch ')
        assert.ok(Math.abs(first.left + 1 - (11 + 1 + width)) < 1, JSON.stringify([first, width]))
        assert.ok(first.top >= 8 && first.top + first.height <= 8 + 21, JSON.stringify(first))
        assert.deepEqual([first.name, first.color, first.width, first.isNamed], ['Bob', 'rgb(204, 51, 51)', 2, true])

        await tab.focus()
        await tab.select(0, 0)
        await tab.insert('Now ')
        await tab.page.waitFor((left) => {
            const caret = field.nextElementSibling.shadowRoot.querySelector('.caret')
            return caret.getBoundingClientRect().left > left + 10
        }, 'a caret that has moved', first.left)

        other.select([[4, 20]])
        await tab.page.waitFor(() => field.nextElementSibling.shadowRoot.querySelector('.selection'), 'a selection')
        const found = await tab.evaluate(marks)
        assert.equal(found.filter(({ kind }) => kind === 'selection').length, 2, JSON.stringify(found))
        assert.ok(caretOf(found).top > 21, 'the caret is in the second line')
    }, 'Watch Bugger\nattack videos')

    await testTabs('a name goes after 3 s, and comes back on pointing', async ({ tab, other }) => {
        other.select([[2, 2]])
        await tab.page.waitFor(() => field.nextElementSibling.shadowRoot?.querySelector('.named'), 'a name')
        await tab.page.waitFor(() => !field.nextElementSibling.shadowRoot.querySelector('.named'), 'no name')
        const [{ left, top, height }] = await tab.evaluate(marks)
        const origin = await tab.evaluate(() => field.getBoundingClientRect().toJSON())
        await tab.page.movePointer(origin.left + left + 3, origin.top + top + height / 2)
        await tab.page.waitFor(() => field.nextElementSibling.shadowRoot.querySelector('.named'), 'the name again')
    }, 'abc')

    await testTabs('carets scroll with the text, and those outside of the view have no element', async ({ tab, other }) => {
        const at = other.text.indexOf('Line 30')
        other.select([[at, at]])
        await tab.page.waitFor(() => shared.peers[0]?.selections.length === 1, 'the selection')
        await tab.frames(3)
        assert.deepEqual(await tab.evaluate(marks), [])
        await tab.evaluate(() => { field.scrollTop = 25 * 21 })
        await tab.page.waitFor(() => field.nextElementSibling.shadowRoot?.querySelector('.caret'), 'the caret')
        const before = caretOf(await tab.evaluate(marks))
        await tab.evaluate(() => { field.scrollTop += 10 })
        await tab.frames(3)
        assert.equal(Math.round(caretOf(await tab.evaluate(marks)).top), Math.round(before.top - 10))
        await tab.evaluate(() => binding.release())
        assert.equal(await tab.evaluate(() => field.nextElementSibling.id), 'other')
    }, Array.from({ length: 60 }, (_, index) => `Line ${index}`).join('\n'))
}
