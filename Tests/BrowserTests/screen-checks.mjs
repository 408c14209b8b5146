// What the tests of the history and of the comparison use, and checks of how a screen looks.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { expectContrast } from './accessibility.mjs'
import { windows } from './pages.mjs'
import { windowsAndSchemes } from './quick.mjs'

export const text = (page) => page.evaluate(() => document.querySelector('.history-text pre')?.textContent ?? '')
export const settled = (page) => page.waitFor(() => document.querySelector('.history-text pre, .history-text .empty')
    && !document.querySelector('.history-text[aria-busy]'), 'the text of a revision')
export const atRevision = (page, revision) => page.waitFor((value) => document.querySelector('.history-slider input')?.value === value
    && !document.querySelector('main [aria-busy]') && document.querySelector('main .number')?.textContent.startsWith(`Revision ${value} `), `revision ${revision}`, String(revision))
export const compared = (page) => page.waitFor(() => document.querySelector('.compare-rows, .compare-text > .empty') && !document.querySelector('main [aria-busy]'), 'a comparison')

/**
 * Tests the layout of a screen at all windows, light and dark. `query` is that of the address, and `loaded` waits for
 * the screen.
 */
export async function testWindows({ openPage, put }, query, loaded) {
    const name = `${'folder/'.repeat(4)}${'a long name of a document '.repeat(5).trim()}`
    const document = await put(name, `${'A line of a text that is so long that it must be broken on every phone. '.repeat(3)}\n`.repeat(30))
    document.replaceText(document.text.replace('broken', 'wrapped'))
    await document.saved()
    const path = `/d/${name.split('/').map(encodeURIComponent).join('/')}`
    for (const [window, scheme] of windowsAndSchemes()) {
        const { width, height, insets } = windows[window]
        await test(`${query} fits a window of ${width}\u00d7${height}, ${scheme}`, async () => {
            const page = await openPage(`${path}${query}`, windows[window], scheme)
            await loaded(page)
            const left = width >= 900 ? 300 : 0
            assert.deepEqual(await layoutProblems(page, { left, width, height, inset: { top: 0, right: 0, bottom: 0, left: 0, ...insets } }), [])
            await expectContrast(page)
            assert.deepEqual(page.problems, [])
            await page.close()
        })
    }
}

/** What is outside of its room, too small to touch, or hard to read. */
export function layoutProblems(page, room) {
    return page.evaluate(({ left, width, height, inset }) => {
        const problems = []
        const screen = document.querySelector('main .screen')
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
        const content = screen.querySelector('.history-text pre, .compare-rows')
        if (!content) say(screen, 'has no text')
        return problems
    }, room)
}
