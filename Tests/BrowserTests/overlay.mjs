// Carets of others over a textarea, in a real browser.
import assert from 'node:assert/strict'
import { makeRandom, until } from '../CaretPageTests/support.mjs'
import { allOr } from './quick.mjs'
import { startTabs } from './tabs.mjs'

export { engines } from './browsers.mjs'

export async function testOverlay(programs, engine) {
    const tabs = await startTabs(programs, engine)
    await testMirror(tabs)
    await testPlaces(tabs)
    await testCarets(tabs)
}

/** Text that browsers break into lines in different ways. */
const samples = [
    'word', 'Wörter', '日本語の文章', '한국어', '😀', '👨‍👩‍👧', 'العربية', 'עברית', '\t', ' ', '  ', '\u00ad', '\u200b', '-', '\n', '\n\n',
    'Donaudampfschifffahrtsgesellschaft', 'https://example.org/a/b?c=d', '…', '(', ')', 'é',
]

/** Texts of many scripts, and widths for them. */
function makeTexts(random, count) {
    return Array.from({ length: count }, () => {
        const words = Array.from({ length: random.below(60) }, () => random.pick(samples) + (random.chance(50) ? ' ' : ''))
        return { width: 60 + random.below(5000) / 10, text: words.join('') }
    })
}

async function testMirror({ testTabs }) {
    await testTabs('the copy of a field has the height of its text', async ({ tab }) => {
        const texts = makeTexts(makeRandom(5), 300)
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

    await testTabs('the copy of a field is as high as its text, even with many lines of a fractional height', async ({ tab }) => {
        const heights = await tab.evaluate(async () => {
            const { Mirror } = await import('/caret/mirror.js')
            binding.release()
            const mirror = new Mirror(field)
            field.style.height = '0'
            field.value = 'line\n'.repeat(2000)
            return ['1.65', '26.4px', 'normal'].map((height) => {
                field.style.font = `16px/${height} sans-serif`
                mirror.show(field.value)
                return [Math.round(mirror.height), field.scrollHeight]
            })
        })
        for (const [copy, own] of heights) assert.equal(copy, own, JSON.stringify(heights))
    })

    await testTabs('the copy of a field stays right while one line after the other changes', async ({ tab }) => {
        const random = makeRandom(9)
        const texts = makeTexts(random, 40).map(({ width, text }) => {
            const changes = Array.from({ length: 8 }, () => {
                const letters = [...text]
                letters.splice(random.below(letters.length + 1), random.below(3), random.pick(samples))
                return (text = letters.join(''))
            })
            return { width, changes }
        })
        const different = await tab.evaluate(async (texts) => {
            const { Mirror } = await import('/caret/mirror.js')
            binding.release()
            const describe = (mirror, text) => JSON.stringify([mirror.height, ...[0, 0.3, 0.7, 1].map((share) =>
                Object.values(mirror.caretAt(Math.floor(text.length * share))).map((pixels) => Math.round(pixels * 8)))])
            return texts.flatMap(({ width, changes }) => {
                field.style.width = `${width}px`
                const mirror = new Mirror(field)
                const found = changes.filter((text) => {
                    mirror.show(text)
                    const other = new Mirror(field)
                    other.show(text)
                    const isSame = describe(mirror, text) === describe(other, text)
                    other.remove()
                    return !isSame
                })
                mirror.remove()
                return found
            })
        }, texts)
        assert.deepEqual(different, [])
    })
}

/** A field does not say where its carets are. But it says which one is at a point, if the user presses there. */
async function testPlaces({ testTabs }) {
    await testTabs('carets of others are where the field has its own', async ({ tab }) => {
        const random = makeRandom(7)
        await tab.evaluate(async () => {
            const { Mirror } = await import('/caret/mirror.js')
            binding.release()
            globalThis.mirror = new Mirror(field)
        })
        const wrong = []
        let tried = 0
        for (const one of makeTexts(random, allOr(60, 300, 'most texts of the places of carets'))) {
            const place = await tab.evaluate(showCaret, one, random.below(1000), tried % 2)
            if (!place) continue
            tried++
            const isNear = ({ x, top }) => Math.abs(x - place.x) <= 2 && Math.abs(top - place.top) <= 2
            await tab.page.click(place.x, place.y)
            const found = await tab.evaluate(edgesAtCaret)
            if (!found.edges.some(isNear)) wrong.push({ ...one, place, found })
        }
        assert.deepEqual(wrong, [])
        assert.ok(tried > 20, `${tried}`)
    })
}

/** Runs in the page: shows a text, and says where the copy has one of its carets that is in the view. */
function showCaret({ width, text }, where, isShifted) {
    Object.assign(field.style, { width: `${width}px`, height: '200px', marginLeft: `${100 * isShifted}px` })
    field.value = text
    field.setSelectionRange(0, 0)
    field.scrollTop = 0
    mirror.show(text)
    const starts = [...new Intl.Segmenter().segment(text)].map(({ index }) => index)
    const { left, top } = field.getBoundingClientRect()
    for (; starts.length > 0; where = where * 7 + 3) {
        const [offset] = starts.splice(where % starts.length, 1)
        const caret = mirror.caretAt(offset)
        // In a line with several directions, a point may have two carets.
        const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0]
        if (/[\u0590-\u06ff]/.test(line)) continue
        // Spaces at the end of a line may be outside of the field.
        if (caret.top + caret.height > 190 || caret.left > field.clientWidth - 11) continue
        const [x, y] = [left + field.clientLeft + caret.left, top + field.clientTop + caret.top + caret.height / 2]
        return { offset, x, y: Math.round(y), top: caret.top }
    }
}

/** Runs in the page: the edges, in the copy, of the characters beside the caret of the field. */
function edgesAtCaret() {
    const offset = field.selectionStart
    const left = field.getBoundingClientRect().left + field.clientLeft
    const [start, end] = [Math.max(0, offset - 2), Math.min(field.value.length, offset + 2)]
    const rects = [mirror.caretAt(offset), ...mirror.rectanglesOf(start, offset), ...mirror.rectanglesOf(offset, end)]
    return { offset, edges: rects.flatMap((rect) => [rect.left, rect.left + rect.width].map((x) => ({ x: x + left, top: rect.top }))) }
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

    await testTabs('after a paint that takes long, the next one waits', async ({ tab, other }) => {
        other.select([[2, 2]])
        await tab.page.waitFor(() => field.nextElementSibling.shadowRoot?.querySelector('.named'), 'a caret')
        await tab.page.waitFor(() => !field.nextElementSibling.shadowRoot.querySelector('.named'), 'no other paint')
        const [{ left }] = await tab.evaluate(marks)
        const origin = await tab.evaluate(() => field.getBoundingClientRect().toJSON())
        await tab.evaluate(() => {
            // In this test, only paints take time.
            let now = performance.now() + 1_000
            performance.now = () => now
            const { getBoundingClientRect } = field
            field.getBoundingClientRect = () => (now += 5, getBoundingClientRect.call(field))
            globalThis.delays = []
            const start = setTimeout
            globalThis.setTimeout = (task, delay) => (delays.push(delay), start(task, delay))
        })
        for (const offset of [1, 3]) {
            other.select([[offset, offset]])
            await tab.page.waitFor((offset) => shared.peers[0].selections[0][0] === offset, 'the selection', offset)
        }
        // A paint measures the field twice.
        await tab.page.waitFor(() => delays.some((delay) => Math.abs(delay - 80) < 1), 'a wait of eight times as long')
        await tab.page.waitFor((left) => {
            const caret = field.nextElementSibling.shadowRoot.querySelector('.caret')
            return caret.getBoundingClientRect().left > left
        }, 'the last caret', origin.left + left + 3)
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
