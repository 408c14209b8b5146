// The colors of Markdown in the editor.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { expectContrast, expectNames } from './accessibility.mjs'
import { click, inSituation, insert } from './page-editor.mjs'
import { press, replace, shows, trapAtInsert, trapsOnDemand } from './page-support.mjs'
import { setWindow, startPages, windows } from './pages.mjs'
import { allOr } from './quick.mjs'

const sample = `# A title with *stress* \u{1f331} and \`code\`

> A quote with a [link](https://example.org/a) and https://example.org/b.

- **One** point with a text that is longer than a line of a window, so that it goes on in the next one, \`code\`
- [Two](https://example.org/${'long/'.repeat(30)}) and _three_
\u05e9\u05dc\u05d5\u05dd **\u05e2\u05d5\u05dc\u05dd** \`code\` [\u05e7\u05d9\u05e9\u05d5\u05e8](https://example.org)

\`\`\`js
const x = 1\t// \u65e5\u672c\u8a9e\u306e **text**
\`\`\`
   12. The end, office \ufb01ne   with   spaces
`

/** The words that have a color: [kind, text] each. */
const colors = (page) => page.evaluate(() =>
    [...document.querySelectorAll('.colors [data-kind]')].map((one) => [one.dataset.kind, one.textContent]))
const isColored = (page, wanted = true) => page.waitFor((wanted) =>
    (document.querySelector('.stage.colored > .colors') !== null) === wanted, wanted ? 'colors' : 'no colors', wanted)
const hasColor = (page, kind, text) => page.waitFor((kind, text) =>
    [...document.querySelectorAll(`.colors [data-kind="${kind}"]`)].some((one) => one.textContent === text),
`${text} as ${kind}`, kind, text)

const blendMode = (page) => page.evaluate(() => getComputedStyle(document.querySelector('.text')).mixBlendMode)
/** Whether the words with a color are 'visible' or 'hidden'. */
const visibility = (page) => page.evaluate(() =>
    getComputedStyle(document.querySelector('.colors [data-kind]')).visibility)

/** Notes each frame in which the copy does not have the text of the field. */
const watchFrames = (page) => page.evaluate(() => {
    window.different = []
    const look = () => {
        const [field, layer] = document.querySelectorAll('.stage > .text')
        if (layer && layer.textContent !== `${field.value}\n`) window.different.push([field.value, layer.textContent])
        requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
})
const noDifferences = async (page) => assert.deepEqual(await page.evaluate(() => window.different), [])

/** The characters that the copy has at other places than the client's own measure of the field. */
const misplaced = (page) => page.evaluate(async () => {
    const { Mirror } = await import('/repository/Clients/javascript/mirror.js')
    const [field, layer] = document.querySelectorAll('.stage > .text')
    await new Promise(requestAnimationFrame)
    const mirror = new Mirror(field)
    mirror.show(field.value)
    const box = field.getBoundingClientRect()
    // A scrollbar may be on the left.
    const [left, top] = [box.left + field.clientLeft, box.top + field.clientTop]
    const nodes = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    const found = []
    let count = 0
    for (let offset = 0; nodes.nextNode(); offset += nodes.currentNode.length) {
        const node = nodes.currentNode
        for (let index = 0; index < node.length; index++) {
            // Both halves of a pair have one place.
            if (/\n|[\ud800-\udfff]/.test(node.data[index])) continue
            range.setStart(node, index)
            range.setEnd(node, index + 1)
            const numbers = (one, x, y) => [one.left + x, one.top + y, one.width, one.height]
            const [x, y] = [field.scrollLeft - left, field.scrollTop - top]
            const boxes = [...range.getClientRects()].filter(({ width }) => width > 0)
            const own = boxes.flatMap((one) => numbers(one, x, y))
            const wanted = mirror.rectanglesOf(offset + index, offset + index + 1).flatMap((one) => numbers(one, 0, 0))
            const isSame = own.length === wanted.length && own.every((value, at) => Math.abs(value - wanted[at]) < 0.25)
            if (!isSame) found.push([node.data[index], offset + index, own, wanted])
            count++
        }
    }
    mirror.remove()
    const sizes = (node) => [node.scrollHeight, node.scrollTop, node.scrollLeft]
    const isDifferent = layer.matches('.different')
    return { found: found.slice(0, 5), sizes: [field, layer].map(sizes), count, isDifferent }
})
async function expectPlaces(page, what) {
    const { found, sizes: [own, copied], count, isDifferent } = await misplaced(page)
    assert.deepEqual([found, copied, isDifferent], [[], own, false], what)
    assert.ok(count > 100, `${count} characters, ${what}`)
}

/**
 * Compares two pictures of the page. Counts the pixels that differ outside of the words with a color, and inside. For
 * each kind, also gives the best contrast between a pixel of its words and the paper, in the second picture.
 */
const compare = (page, before, after) => page.evaluate(async (...pictures) => {
    const [old, now] = await Promise.all(pictures.map(async (data) => {
        const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (one) => one.charCodeAt(0))]))
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
        context.drawImage(bitmap, 0, 0)
        return context.getImageData(0, 0, bitmap.width, bitmap.height)
    }))
    const scale = devicePixelRatio
    // Letters reach a little into the boxes beside them.
    const edge = 2
    const inside = new Uint8Array(now.width * now.height)
    const luminance = (at) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, channel) => {
        const value = now.data[4 * at + channel] / 255
        return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    }, 0)
    const { left, top } = document.querySelector('.stage').getBoundingClientRect()
    const paper = luminance(Math.round((top + 4) * scale) * now.width + Math.round((left + 4) * scale))
    const contrasts = {}
    for (const word of document.querySelectorAll('.colors [data-kind]')) {
        const { kind } = word.dataset
        for (const box of word.getClientRects()) {
            for (let y = Math.floor(box.top * scale); y < Math.ceil(box.bottom * scale); y++) {
                for (let x = Math.floor(box.left * scale); x < Math.ceil(box.right * scale); x++) {
                    const at = y * now.width + x
                    inside[at] = 1
                    if (x < box.left * scale + edge || x > box.right * scale - edge) continue
                    const [light, dark] = [luminance(at), paper].sort((one, other) => other - one)
                    contrasts[kind] = Math.max(contrasts[kind] ?? 0, (light + 0.05) / (dark + 0.05))
                }
            }
        }
    }
    let [outside, changed] = [0, 0]
    for (let at = 0; at < inside.length; at++) {
        const differs = [0, 1, 2].some((channel) => old.data[4 * at + channel] !== now.data[4 * at + channel])
        if (differs && !inside[at]) outside++
        if (differs && inside[at]) changed++
    }
    return { contrasts, outside, changed }
}, before, after)

export async function testPageMarkdown(programs) {
    const pages = await startPages(programs)
    await testKinds(pages)
    await testLooks(pages)
    await testPlaces(pages)
    await testChanges(pages)
    await testSwitches(pages)
    await testSituations(pages)
}

async function testKinds({ testPage, put }) {
    await put('kinds.md', sample)
    await testPage('headings, code, links and marks have a color, and nothing else', '/d/kinds.md', async (page) => {
        await isColored(page)
        const found = await colors(page)
        assert.deepEqual(found.slice(0, 9), [
            ['mark', '#'], ['heading', 'A title with '], ['mark', '*'], ['heading', 'stress'], ['mark', '*'],
            ['heading', ' '], ['heading', ' and '], ['code', '`code`'], ['mark', '>'],
        ])
        await hasColor(page, 'link', '[link](https://example.org/a)')
        await hasColor(page, 'link', 'https://example.org/b')
        await hasColor(page, 'mark', '12.')
        await hasColor(page, 'code', '```js')
        const [label, isReachable, fill, ownColor] = await page.evaluate(() => {
            const [field, layer] = document.querySelectorAll('.stage > .text')
            const { webkitTextFillColor, color } = getComputedStyle(field)
            return [layer.getAttribute('aria-hidden'), !layer.inert, webkitTextFillColor, color]
        })
        // The letters are those of the field.
        assert.deepEqual([label, isReachable, fill], ['true', false, ownColor])
        await expectNames(page)
        await expectContrast(page)
    })
}

async function testLooks({ openPage, put, origin }) {
    // The setting of the user, and that of the system.
    const cases = [
        ['system', 'light', 'lighten'], ['system', 'dark', 'darken'], ['dark', 'light', 'darken'],
        ['light', 'dark', 'lighten'],
    ]
    for (const [setting, system, blend] of cases) {
        await test(`words have their color and enough contrast: setting ${setting}, system ${system}`, async () => {
            await put(`${setting}-${system}.md`, sample)
            const page = await openPage('/', windows.tablet, system)
            await page.evaluate((scheme) => localStorage.setItem('caret.settings', JSON.stringify({ scheme })), setting)
            await page.goTo(`${origin}/d/${setting}-${system}.md`)
            await inSituation(page, 'saved')
            await isColored(page)
            await page.evaluate(() => {
                document.querySelector('.text').blur()
                return Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))
            })
            assert.equal(await blendMode(page), blend)
            const show = (isShown) => page.evaluate(async (isShown) => {
                const { style } = document.querySelector('.colors')
                if (isShown) style.removeProperty('display')
                else style.setProperty('display', 'none')
                for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
            }, isShown)
            await show(false)
            const plain = await page.picture()
            await show(true)
            const { contrasts, outside, changed } = await compare(page, plain, await page.picture())
            assert.equal(outside, 0, 'changed pixels beside the words with a color')
            assert.ok(changed > 1_000, `${changed} changed pixels`)
            assert.deepEqual(Object.keys(contrasts).sort(), ['code', 'heading', 'link', 'mark'])
            // The text without a color has a contrast of more than 12.
            for (const [kind, contrast] of Object.entries(contrasts)) {
                assert.ok(contrast >= 4.5 && contrast < 12, `${kind}: ${contrast}`)
            }
            assert.deepEqual(page.problems, [])
            await page.close()
        })
    }
}

async function testPlaces({ testPage, put }) {
    await put('places.md', sample.repeat(3))
    await put('hebrew.md', `\u05e9\u05dc\u05d5\u05dd\n${sample.repeat(3)}`)
    const looks = [['16px', 'proportional', false], ['23px', 'monospace', false], ['19px', 'proportional', true]]
    const some = ['small', 'desktop']
    for (const name of allOr(some, Object.keys(windows), 'the places of colors in three windows')) {
        for (const path of ['places.md', 'hebrew.md']) {
            await testPage(`colors of ${path} are at its letters in the window '${name}'`, `/d/${path}`, async (page) => {
                await isColored(page)
                for (const [size, font, isUnwrapped] of looks) {
                    await page.evaluate((size, font, isUnwrapped) => {
                        const root = document.documentElement
                        root.style.setProperty('--size', size)
                        root.dataset.font = font
                        root.classList.toggle('unwrapped', isUnwrapped)
                        const field = document.querySelector('.text')
                        field.scrollTop = isUnwrapped ? 0 : 1e6
                        const forward = getComputedStyle(field).direction === 'rtl' ? -1 : 1
                        field.scrollLeft = isUnwrapped ? 120 * forward : 0
                    }, size, font, isUnwrapped)
                    await expectPlaces(page, `${size} ${font} ${isUnwrapped}`)
                }
            }, windows[name])
        }
    }
}

async function testChanges({ testPage, put }) {
    const typed = await put('typed.md', 'One\nTwo\n')
    await testPage('what the user types has its color at once, also in a composition', '/d/typed.md', async (page) => {
        await isColored(page)
        await watchFrames(page)
        const found = await page.evaluate(async () => {
            const field = document.querySelector('.text')
            field.focus()
            field.setSelectionRange(0, 0)
            document.execCommand('insertText', false, '# ')
            await null
            return [...document.querySelectorAll('.colors [data-kind]')].map((one) => one.textContent)
        })
        assert.deepEqual(found, ['#', 'One'])
        const lines = () => page.evaluate(() =>
            [...document.querySelectorAll('.colors > div')].map((one) => one.id ||= `line-${Math.random()}`))
        const before = await lines()
        await insert(page, '*x* ')
        await hasColor(page, 'mark', '*')
        // Only the node of the line has changed.
        assert.deepEqual((await lines()).slice(1), before.slice(1))
        await page.evaluate(() => document.querySelector('.text').setSelectionRange(1e6, 1e6))
        await page.compose('`\u304b')
        await page.compose('`\u304b\u3093`')
        await hasColor(page, 'code', '`\u304b\u3093`')
        await page.commit('`\u6f22`')
        await hasColor(page, 'code', '`\u6f22`')
        for (let count = 0; count < 3; count++) await press(page, 'z', { ctrl: true })
        await page.waitFor(() => document.querySelector('.colors').textContent === 'One\nTwo\n\n', 'the text before')
        assert.deepEqual(await colors(page), [])
        await noDifferences(page)
    })

    await testPage('changes of others have colors, and a fence colors the lines after it', '/d/typed.md', async (page) => {
        await isColored(page)
        await watchFrames(page)
        typed.replaceText('One\n> *Two*\nThree\n')
        await hasColor(page, 'mark', '>')
        typed.replaceText('```\nOne\n> *Two*\nThree\n')
        await hasColor(page, 'code', '> *Two*')
        assert.deepEqual(await colors(page), [['code', '```'], ['code', 'One'], ['code', '> *Two*'], ['code', 'Three']])
        typed.replaceText('```\nOne\n```\n> *Two*\nThree\n')
        await hasColor(page, 'mark', '>')
        typed.replaceText('One\n```\n> *Two*\nThree\n')
        await hasColor(page, 'code', 'Three')
        assert.deepEqual(await colors(page), [['code', '```'], ['code', '> *Two*'], ['code', 'Three']])
        await noDifferences(page)
    })

    const long = await put('long.md', sample.repeat(20))
    await testPage('colors scroll with the text, also while others write above', '/d/long.md', async (page) => {
        await isColored(page)
        await watchFrames(page)
        await page.evaluate(() => { document.querySelector('.text').scrollTop = 2_000 })
        await expectPlaces(page, 'scrolled')
        await page.evaluate(() => {
            window.tops = []
            const look = () => {
                const [field, layer] = document.querySelectorAll('.stage > .text')
                window.tops.push(field.scrollTop - layer.scrollTop)
                requestAnimationFrame(look)
            }
            requestAnimationFrame(look)
        })
        long.edit([{ range: [0, 0], text: '# New\n'.repeat(30) }])
        await hasColor(page, 'heading', 'New')
        await expectPlaces(page, 'after a change above')
        assert.ok(await page.evaluate(() => document.querySelector('.text').scrollTop > 2_500))
        assert.deepEqual(await page.evaluate(() => window.tops.filter((top) => top !== 0)), [])
        await noDifferences(page)
    })

    await testPage('found places are marked over the colors', '/d/kinds.md', async (page) => {
        await isColored(page)
        await click(page, '.editor .more')
        await click(page, 'dialog[open] button', 'Find')
        await page.waitFor(() => document.activeElement.matches('.find-bar input'), 'the field with the focus')
        await replace(page, 'code')
        await shows(page, '.find-bar output', '1 of 3')
        await page.waitFor(() => document.querySelector('.find-marks span'), 'a mark')
        await expectPlaces(page, 'with marks')
        const isAbove = await page.evaluate(() => {
            const [field, marks] = ['.stage > textarea', '.find-marks'].map((one) => document.querySelector(one))
            return Boolean(field.compareDocumentPosition(marks) & Node.DOCUMENT_POSITION_FOLLOWING)
        })
        assert.ok(isAbove)
    })
}

async function testSwitches({ testPage, put }) {
    const limit = 102_400
    const large = await put('limit.md', `# Title\n${'A line.\n'.repeat(12_799)}`)
    await testPage('a text of up to 100 KB has colors', '/d/limit.md', async (page) => {
        assert.equal(large.text.length, limit)
        await isColored(page)
        await hasColor(page, 'heading', 'Title')
        large.append('x')
        await isColored(page, false)
        large.edit([{ range: [limit, limit + 1], text: '' }])
        await isColored(page)
        await page.evaluate(() => document.querySelector('.text').setSelectionRange(0, 0))
        await insert(page, 'x')
        await isColored(page, false)
        assert.equal(await blendMode(page), 'normal')
        await press(page, 'Backspace')
        await isColored(page)
    })

    await put('named', '# Title\n')
    await testPage('a document has colors while its name ends with .md', '/d/named', async (page) => {
        await inSituation(page, 'saved')
        await page.waitFor(() => document.querySelector('.notes-bar'), 'all parts of the page')
        await isColored(page, false)
        let before = 'named'
        const names = { 'a.md': true, 'a.txt': false, 'b/A.MD': true, 'a.md/b': false, 'c.Md': true, 'a.md.b': false }
        for (const [name, wanted] of Object.entries(names)) {
            await renamed(page, before, name)
            await isColored(page, wanted)
            before = name
        }
    })
}

/** Renames the open document in its menu. */
async function renamed(page, before, name) {
    await click(page, '.editor .name')
    await click(page, 'dialog[open] button', 'Rename')
    await page.waitFor((name) => {
        const field = document.querySelector('dialog input')
        if (!field) return false
        field.value = name
        field.dispatchEvent(new Event('input'))
        return true
    }, 'the field', name)
    await click(page, 'dialog[open] [type=submit]')
    await page.waitFor((path) => location.pathname === path && !document.querySelector('dialog'), name, `/d/${name}`)
}

async function testSituations({ testPage, put, openPage, origin }) {
    await put('system.md', sample)
    await testPage('with the colors of the system and on paper, a text has no others', '/d/system.md', async (page) => {
        await isColored(page)
        const emulate = (media, features) => page.send('Emulation.setEmulatedMedia', { media, features })
        await emulate('', [{ name: 'forced-colors', value: 'active' }])
        assert.deepEqual([await visibility(page), await blendMode(page)], ['hidden', 'normal'])
        await emulate('', [])
        assert.deepEqual([await visibility(page), await blendMode(page)], ['visible', 'lighten'])
        await page.evaluate(() => addEventListener('beforeprint', () => {
            const seen = [...document.querySelectorAll('.text, .print-text')].filter((one) => one.checkVisibility())
            window.printed = seen.map((one) => one.className)
        }))
        await emulate('print')
        await page.send('Page.printToPDF')
        assert.deepEqual(await page.evaluate(() => window.printed), ['print-text'])
    })

    await test('a page in place of the text has no colors behind it', async () => {
        const page = await openPage('/healthz')
        await trapsOnDemand(page)
        await page.goTo(`${origin}/d/system.md`)
        await isColored(page)
        await trapAtInsert(page, 'x')
        await page.waitFor(() => document.querySelector('.to-copy')?.value.includes('x'), 'the text to copy')
        await isColored(page, false)
        await page.close()
    })

    await testPage('colors are at their letters in a changed window, or nowhere', '/d/system.md', async (page) => {
        await isColored(page)
        for (const window of [windows.desktop, windows.landscape, windows.small]) {
            await setWindow(page, window)
            await expectPlaces(page, `${window.width} pixels`)
        }
        // As in a browser that lays out a field in another way than the copy.
        await page.evaluate(() => document.querySelector('.colors').style.setProperty('padding-top', '100px'))
        await insert(page, 'x')
        assert.equal(await visibility(page), 'hidden')
    })
}
