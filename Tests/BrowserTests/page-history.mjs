// The history of a document and the comparison of two revisions, on the page in Chromium.
import assert from 'node:assert/strict'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { setWindow, startPages, windows } from './pages.mjs'

const text = (page) => page.evaluate(() => document.querySelector('.history-text pre')?.textContent ?? '')
const settled = (page) => page.waitFor(() => document.querySelector('.history-text pre, .history-text .empty')
    && !document.querySelector('.history-text[aria-busy]'), 'the text of a revision')
const atRevision = (page, revision) => page.waitFor((value) => document.querySelector('.history-slider input')?.value === value
    && !document.querySelector('[aria-busy]') && document.querySelector('.number')?.textContent.startsWith(`Revision ${value} `), `revision ${revision}`, String(revision))
const click = (page, name) => page.evaluate((label) => {
    const control = [...document.querySelectorAll('button, a')].find((one) => (one.getAttribute('aria-label') ?? one.textContent.trim()) === label)
    control.click()
}, name)
const compared = (page) => page.waitFor(() => document.querySelector('.rows, .compare-text > .empty') && !document.querySelector('[aria-busy]'), 'a comparison')

/** Presses a key as a user does. */
async function press(page, key, { shift = false } = {}) {
    const event = { key, code: key, modifiers: shift ? 8 : 0, windowsVirtualKeyCode: { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35 }[key], ...(key.length === 1 && { text: key }) }
    await page.send('Input.dispatchKeyEvent', { type: key.length === 1 ? 'keyDown' : 'rawKeyDown', ...event })
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
}

export async function testPageHistory(programs) {
    const pages = await startPages(programs)
    const notes = await pages.put('notes', 'One two three\n')
    for (const word of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']) {
        notes.append(word)
        await notes.saved()
    }
    notes.replaceText(notes.text.replace('two', '<b>2</b>'))
    await notes.saved()
    notes.select([[0, 0]])
    await testPlaces(pages)
    await testPlaying(pages, notes)
    await testLife(pages)
    await testComparison(pages)
    await testWindows(pages)
    await testReader(programs)
    await testOffline(pages)
}

async function testPlaces({ testPage, put, server }) {
    await testPage('the newest revision shows what it changed, and by whom', '/d/notes?rev=', async (page) => {
        await atRevision(page, 14)
        await page.waitFor(() => document.querySelector('.history-author b').textContent === 'Bob', 'the name of the author')
        const marks = await page.evaluate(() => ['ins', 'del'].map((tag) => [...document.querySelectorAll(`.history-text ${tag}`)].map((one) => one.textContent)))
        assert.deepEqual(marks, [['<b>2</b>'], ['two']])
        const color = await page.evaluate(() => getComputedStyle(document.querySelector('ins')).textDecorationColor)
        assert.equal(color, 'rgb(187, 84, 15)')
        assert.equal(await page.evaluate(() => document.title), 'History of notes \u00b7 Caret')
    })

    await testPage('arrow keys step by one revision, and by ten with shift', '/d/notes?rev=12', async (page) => {
        await atRevision(page, 12)
        await press(page, 'ArrowLeft')
        await atRevision(page, 11)
        assert.equal(await text(page), 'One two three\nabcdefghij')
        await press(page, 'ArrowLeft', { shift: true })
        await atRevision(page, 1)
        await press(page, 'ArrowRight', { shift: true })
        await page.evaluate(() => document.querySelector('.history-slider input').focus())
        await press(page, 'ArrowUp')
        await atRevision(page, 12)
        await press(page, 'Home')
        await page.waitFor(() => document.querySelector('.history-text .empty'), 'the empty text')
        await press(page, 'End')
        await atRevision(page, 14)
    })

    await testPage('the slider says its place to screen readers', '/d/notes?rev=3', async (page) => {
        await atRevision(page, 3)
        await page.waitFor(() => document.querySelector('.history-author b').textContent === 'Bob', 'the name of the author')
        const slider = await page.evaluate(() => {
            const { min, max, value } = document.querySelector('.history-slider input')
            return { min, max, value, words: document.querySelector('.history-slider input').getAttribute('aria-valuetext') }
        })
        assert.deepEqual([slider.min, slider.max, slider.value], ['0', '14', '3'])
        assert.match(slider.words, /^Revision 3 of 14, by Bob, \d+ \w+ \d{4}, \d\d:\d\d:\d\d, added 1\scharacter$/)
        const unnamed = await page.evaluate(() => [...document.querySelectorAll('.screen :is(button, a, input, [tabindex])')]
            .filter((one) => !one.getAttribute('aria-label') && !one.textContent.trim()).map((one) => one.outerHTML))
        assert.deepEqual(unnamed, [])
    })

    await testPage('the address follows the place, and the browser goes back', '/d/notes?rev=9', async (page) => {
        await atRevision(page, 9)
        const entries = await page.evaluate(() => history.length)
        await click(page, 'Previous change')
        await page.waitFor(() => location.search === '?rev=8', 'the address')
        assert.equal(await page.evaluate(() => history.length), entries)
        await click(page, 'Compare with now')
        await compared(page)
        assert.equal(await page.evaluate(() => location.search), '?from=8')
        await page.evaluate(() => history.back())
        await atRevision(page, 8)
    })

    const trimmed = await put('trimmed', 'Kept\n')
    for (let line = 0; line < 9; line++) {
        trimmed.append(`${line}\n`)
        await trimmed.saved()
    }
    await server.caret(['trim', 'trimmed', '--before', '5', '--yes'])
    await testPage('a history that was trimmed says where it begins', '/d/trimmed?rev=2', async (page) => {
        await settled(page)
        const said = await page.evaluate(() => [document.querySelector('.history-author').textContent, document.querySelector('input').min])
        assert.match(said[0], /^History begins at revision 5/)
        assert.equal(said[1], '5')
        assert.equal(await text(page), 'Kept\n0\n1\n2\n3\n')
        await press(page, 'ArrowRight')
        await atRevision(page, 6)
        assert.equal(await page.evaluate(() => document.querySelector('ins').textContent), '4\n')
    })

    await put('new')
    await testPage('a document without changes says so', '/d/new?rev=', async (page) => {
        await settled(page)
        assert.match(await page.evaluate(() => document.querySelector('.history-author').textContent), /^No changes yet/)
        assert.equal(await page.evaluate(() => document.querySelector('.history-keys').checkVisibility()), false)
    })

    await testPage('a document that does not exist says so', '/d/nothing?rev=3', async (page) => {
        await page.waitFor(() => document.querySelector('[role="alert"] h2')?.textContent === 'No such document', 'the error')
        assert.ok(await page.evaluate(() => document.querySelector('[role="alert"] a[href="/"]')))
    })
}

async function testPlaying({ testPage, put, openPage, server, caret }, notes) {
    await testPage('play shows each step to the end, and pause stops', '/d/notes?rev=0', async (page) => {
        await settled(page)
        await click(page, 'Play')
        await page.waitFor(() => document.querySelector('.play').getAttribute('aria-label') === 'Play'
            && document.querySelector('.history-slider input').value === '14', 'the end')
        assert.match(await text(page), /<b>2<\/b>/)
        await click(page, 'Play')
        await page.waitFor(() => document.querySelector('.play').getAttribute('aria-label') === 'Pause', 'playing')
        await click(page, 'Pause')
        const place = await page.evaluate(() => document.querySelector('.history-slider input').value)
        await new Promise((later) => setTimeout(later, 300))
        assert.equal(await page.evaluate(() => document.querySelector('.history-slider input').value), place)
    })

    await server.caret(['put', 'shared', '--create'], 'Written by somebody else\n')
    const shared = caret.open('shared')
    await shared.opened()
    for (const line of ['b\n', 'c\n']) {
        shared.append(line)
        await shared.saved()
    }
    shared.select([[0, 0]])
    await testPage('only the changes by one person can be shown', '/d/shared?rev=1', async (page) => {
        await atRevision(page, 1)
        await page.waitFor(() => !document.querySelector('[aria-label="Show changes by one person"]').disabled, 'the button')
        // The names of people who are there arrive after the history.
        await page.waitFor(async () => {
            document.querySelector('[aria-label="Show changes by one person"]').click()
            const found = [...document.querySelectorAll('dialog menu button')].find((one) => one.textContent.includes('Bob \u00b7'))
            if (found) found.click()
            else document.querySelector('dialog')?.close()
            return found
        }, 'Bob in the list')
        await page.waitFor(() => document.querySelector('.history-banners').textContent.includes('Only changes by Bob'), 'the filter')
        await atRevision(page, 2)
        await click(page, 'Previous change')
        await press(page, 'ArrowRight')
        await atRevision(page, 3)
        await click(page, 'Show all')
        await page.waitFor(() => !document.querySelector('.history-banners').textContent, 'no filter')
    })

    await testPage('when the head moves, the slider grows and the place stays', '/d/notes?rev=5', async (page) => {
        await atRevision(page, 5)
        const before = notes.revision
        notes.append('more')
        await notes.saved()
        await page.waitFor((head) => Number(document.querySelector('.history-slider input').max) === head, 'the new head', before + 1)
        await atRevision(page, 5)
        await page.evaluate(() => document.querySelector('.history-slider input').focus())
        await press(page, 'End')
        await page.waitFor(() => document.querySelector('ins')?.textContent === 'more', 'the new change')
    })
}

async function testLife({ testPage, put, caret, server }) {
    const plan = await put('plan', 'First\n')
    plan.replaceText('Second\n')
    await plan.saved()
    await testPage('an old text is restored after a question', '/d/plan?rev=1', async (page) => {
        await atRevision(page, 1)
        await click(page, 'Restore this')
        await page.waitFor(() => document.querySelector('dialog')?.textContent.includes('revision 1'), 'the question')
        assert.equal(plan.text, 'Second\n')
        await click(page, 'Restore')
        await page.waitFor(() => document.body.dataset.screen === 'editor', 'the editor')
        assert.equal((await caret.read('plan')).text, 'First\n')
    })

    await testPage('the newest text cannot be restored', '/d/plan?rev=', async (page) => {
        await settled(page)
        assert.deepEqual(await page.evaluate(() => [document.querySelector('.restore').disabled, document.querySelector('.restore').title]), [true, 'This is the newest text'])
    })

    const draft = await put('draft', 'A text that somebody needs\n')
    draft.append('More\n')
    await draft.saved()
    await testPage('after a rename, the history is that of the new name', '/d/draft?rev=1', async (page) => {
        await atRevision(page, 1)
        await caret.rename('draft', 'drafts/final')
        await page.waitFor(() => location.pathname === '/d/drafts/final', 'the new address')
        await atRevision(page, 1)
        assert.equal(await text(page), 'A text that somebody needs\n')
    })

    await testPage('the text of a deleted document can still be copied', '/d/drafts/final?rev=1', async (page) => {
        await atRevision(page, 1)
        await caret.delete('drafts/final')
        await page.waitFor(() => document.querySelector('.banner')?.textContent.startsWith('The document was deleted'), 'the banner')
        await press(page, 'ArrowRight')
        await atRevision(page, 2)
        assert.equal(await page.evaluate(() => document.querySelector('.restore').disabled), true)
        await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text } })
        await click(page, 'Copy this text')
        await page.waitFor(() => document.querySelector('.notices')?.textContent.includes('is copied'), 'the notice')
        assert.equal(await page.evaluate(() => window.copied), 'A text that somebody needs\nMore\n')
    })

    const hostile = await put('hostile', '<img src=x onerror=alert(1)>\n\u202egnp.exe\n')
    hostile.append('<script>document.title = "gone"</script>\n'.repeat(3) + 'w'.repeat(3000))
    await hostile.saved()
    await testPage('a hostile text is only text, and stays in its box', '/d/hostile?rev=2', async (page) => {
        await setWindow(page, windows.small)
        await atRevision(page, 2)
        const found = await page.evaluate(() => [document.querySelectorAll('.screen img, .screen script').length, document.documentElement.scrollWidth, document.querySelector('.history-text').scrollWidth])
        assert.deepEqual(found.slice(0, 2), [0, 320])
        assert.ok(found[2] <= 320)
        await page.evaluate(() => [...document.querySelectorAll('a')].find((one) => one.getAttribute('aria-label') === 'Compare with now').click())
        await compared(page)
        assert.deepEqual(await page.evaluate(() => [document.querySelectorAll('.screen img, .screen script').length, document.documentElement.scrollWidth]), [0, 320])
    })
}

async function testComparison({ testPage, put, caret }) {
    const lines = Array.from({ length: 60 }, (_, index) => `Line ${index + 1} of a list`)
    const list = await put('list', `${lines.join('\n')}\n`)
    lines[9] = 'Line 10 of our list'
    lines.splice(30, 1)
    lines.push('The end')
    list.replaceText(`${lines.join('\n')}\n`)
    await list.saved()

    await testPage('a comparison shows words, numbers, signs and counts', '/d/list?from=1', async (page) => {
        await compared(page)
        const shown = await page.evaluate(() => ({
            counts: document.querySelector('.counts').textContent, marks: [...document.querySelectorAll('.rows mark')].map((one) => one.textContent),
            removed: [...document.querySelectorAll('.rows del')].map((one) => one.textContent), added: [...document.querySelectorAll('.rows ins')].map((one) => one.textContent),
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
        await click(page, 'Next change')
        await press(page, 'n')
        assert.deepEqual(await current(), ['1\u00a0line added', 'Change 3 of 3'])
        await press(page, 'p')
        await click(page, 'Previous change')
        await press(page, 'p')
        assert.equal((await current())[1], 'Change 1 of 3')
    })

    await testPage('folded lines appear when they are asked for', '/d/list?from=1', async (page) => {
        await compared(page)
        await page.evaluate(() => document.querySelector('.fold').click())
        assert.match(await page.evaluate(() => document.querySelector('.rows').textContent), /^1Line 1 of a list/)
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
        assert.doesNotMatch(await page.evaluate(() => document.querySelector('.rows').textContent), /Later/)
        await click(page, 'Compare again')
        await page.waitFor(() => document.querySelector('.rows').textContent.includes('Later'), 'the newer text')
    })

    await testPage('a revision that is not kept says so', '/d/trimmed?from=1', async (page) => {
        await page.waitFor(() => document.querySelector('.compare-text [role="alert"]')?.textContent.includes('is not kept'), 'the sentence')
        await page.evaluate(() => document.querySelectorAll('.picker')[0].click())
        await page.waitFor(() => [...document.querySelectorAll('.moments button')].some((one) => one.textContent === 'Revision 5'), 'the first kept revision')
    })

    const long = Array.from({ length: 50_000 }, (_, index) => `Line ${index} of a text with more than a million characters`)
    const big = await put('big', long.join('\n'))
    big.replaceText(long.map((line, index) => (index % 100 === 0 ? `${line} changed` : line)).join('\n'))
    await big.saved()
    await testPage('texts over 1 MiB do not stop the page for long', '/d/big?from=1', async (page) => {
        const longest = await page.evaluate(async () => {
            let [longest, last] = [0, performance.now()]
            while (!document.querySelector('.rows')) {
                await new Promise((later) => setTimeout(later, 5))
                const now = performance.now()
                longest = Math.max(longest, now - last)
                last = now
            }
            return longest
        })
        // About 300 ms on an idle machine. The bound leaves room for other work on the same machine.
        assert.ok(longest < 5_000, `${longest} ms`)
        assert.match(await page.evaluate(() => document.querySelector('.counts').textContent), /^500\schanges/)
        const linesDrawn = () => page.evaluate(() => document.querySelectorAll('.pair').length)
        assert.ok(await linesDrawn() < 600)
        await page.evaluate(() => document.querySelector('.more').click())
        assert.ok(await linesDrawn() > 600)
    })
    await caret.delete('big')
}

async function testWindows({ openPage, put }) {
    const name = `${'folder/'.repeat(4)}${'a long name of a document '.repeat(5).trim()}`
    const document = await put(name, `${'A line of a text that is so long that it must be broken on every phone. '.repeat(3)}\n`.repeat(30))
    document.replaceText(document.text.replace('broken', 'wrapped'))
    await document.saved()
    const path = `/d/${name.split('/').map(encodeURIComponent).join('/')}`
    for (const [window, { width, height, insets }] of Object.entries(windows)) {
        for (const [query, scheme] of [['?rev=1', 'light'], ['?from=1', 'dark']]) {
            await test(`${query === '?rev=1' ? 'the history' : 'the comparison'} fits a window of ${width}\u00d7${height}, ${scheme}`, async () => {
                const page = await openPage(`${path}${query}`, windows[window], scheme)
                await (query === '?rev=1' ? settled(page) : compared(page))
                const left = width >= 900 ? 300 : 0
                assert.deepEqual(await layoutProblems(page, { left, width, height, inset: { top: 0, right: 0, bottom: 0, left: 0, ...insets } }), [])
                assert.deepEqual(await faintTexts(page), [])
                assert.deepEqual(page.problems, [])
                await page.close()
            })
        }
    }
}

async function testReader(programs) {
    const { server, openPage } = await startPages(programs, ['--require-tokens'])
    await server.caret(['put', 'rules', '--create'], 'One\n')
    await server.caret(['put', 'rules'], 'Two\n')
    const token = await server.caret(['token', 'add', 'eve', '--read', 'rules'])
    await test('a user who may only read cannot restore an old text', async () => {
        const page = await openPage(`/d/rules?rev=1#token=${token.trim()}`)
        await atRevision(page, 1)
        await page.waitFor(() => document.querySelector('.restore').title === 'You may only read this document', 'the reason')
        assert.equal(await page.evaluate(() => document.querySelector('.restore').disabled), true)
        assert.deepEqual(page.problems, [])
        await page.close()
    })
    await server.stop()
}

async function testOffline({ openPage, server }) {
    await test('without a connection, what is loaded can be played', async () => {
        const page = await openPage('/d/notes?rev=3')
        await atRevision(page, 3)
        await server.stop()
        await page.waitFor(() => document.querySelector('.banner')?.textContent === 'Offline. What is loaded can be played.', 'the banner')
        assert.deepEqual(await page.evaluate(() => [document.querySelector('.restore').disabled, document.querySelector('.restore').title]), [true, 'This needs a connection'])
        await click(page, 'Play')
        await page.waitFor(() => document.querySelector('.history-slider input').value === document.querySelector('.history-slider input').max, 'the end')
        await page.close()
    })
}

/** Texts whose contrast is below 4.5 : 1, with the contrast. */
function faintTexts(page) {
    return page.evaluate(() => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
        // Paints colors over each other, as the page does.
        const painted = (colors) => {
            canvas.clearRect(0, 0, 1, 1)
            for (const color of colors) {
                canvas.fillStyle = color
                canvas.fillRect(0, 0, 1, 1)
            }
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255)
        }
        const luminance = (color) => color.map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
            .reduce((sum, share, index) => sum + share * [0.2126, 0.7152, 0.0722][index], 0)
        const found = []
        const walker = document.createTreeWalker(document.querySelector('.screen'), NodeFilter.SHOW_TEXT)
        while (walker.nextNode()) {
            const node = walker.currentNode.parentElement
            if (!walker.currentNode.data.trim() || node.closest(':disabled, .spoken') || !node.checkVisibility()) continue
            const grounds = []
            for (let outer = node; outer; outer = outer.parentElement) grounds.unshift(getComputedStyle(outer).backgroundColor)
            const ground = painted(grounds)
            const [dark, light] = [luminance(ground), luminance(painted([...grounds, getComputedStyle(node).color]))].sort((left, right) => left - right)
            const contrast = (light + 0.05) / (dark + 0.05)
            if (contrast < 4.5) found.push(`${node.className || node.tagName}: ${contrast.toFixed(2)}`)
        }
        return [...new Set(found)]
    })
}

/** What is outside of its room, too small to touch, or hard to read. */
function layoutProblems(page, room) {
    return page.evaluate(({ left, width, height, inset }) => {
        const problems = []
        const screen = document.querySelector('.screen')
        const box = (node) => node.getBoundingClientRect()
        const say = (node, what) => problems.push(`${node.className || node.tagName} ${node.getAttribute('aria-label') ?? ''}: ${what} ${JSON.stringify(box(node))}`)
        if (document.documentElement.scrollWidth > width) say(document.documentElement, 'wider than the window')
        for (const bar of screen.querySelectorAll('.bar')) {
            if (box(bar).left !== left || box(bar).right !== width) say(bar, 'does not span the screen')
        }
        if (box(screen.querySelector('.bar.below')).bottom !== height) say(screen.querySelector('.bar.below'), 'does not end with the screen')
        for (const control of screen.querySelectorAll('.bar :is(button, a, input), .pickers button')) {
            const { top, bottom, left: start, right: end, width: wide, height: high } = box(control)
            if (wide === 0) continue
            if (start < left + (left ? 0 : inset.left) || end > width - inset.right) say(control, 'beside the safe area')
            if (top < inset.top || bottom > height - inset.bottom) say(control, 'above or below the safe area')
            if (control.tagName !== 'INPUT' && (wide < 44 || high < 44)) say(control, 'too small to touch')
        }
        const scrolled = screen.querySelector('.history-text, .compare-text')
        if (box(scrolled).left !== left || box(scrolled).right !== width) say(scrolled, 'does not span the screen')
        if (box(scrolled).height < 90) say(scrolled, 'too low')
        if (scrolled.scrollWidth > scrolled.clientWidth) say(scrolled, 'scrolls sideways')
        const content = screen.querySelector('.history-text pre, .rows')
        if (!content) say(screen, 'has no text')
        return problems
    }, room)
}
