// What every screen of the page must fulfil. `expectAccessible(page)` checks all of it.
import assert from 'node:assert/strict'
import { press } from './page-support.mjs'

/** Texts that do harm on pages that are not careful. They would set `globalThis.hasRun`. */
export const hostileTexts = [
    '<img src=x onerror="globalThis.hasRun = 1">', '<script>globalThis.hasRun = 2</script>', '"><svg onload="globalThis.hasRun = 3">',
    'javascript:globalThis.hasRun = 4', '\u202egnp.exe \u2066over\u2069', '\u0007\u0000\u001b[31mred', 'M'.repeat(200),
    'x'.repeat(10_000), 'Z\u0351\u0343\u0342\u034c'.repeat(40), '{{7*7}}${7*7}', '\ud83d\ude00'.repeat(50), 'line\r\nline\u2028line',
]
export const hostileColors = [
    'red;background:url(//stranger.example)', 'url(//stranger.example/x.png)', '#12', '#12345g', 'expression(alert(1))', 'var(--ink)',
    '</style><script>globalThis.hasRun = 5</script>', 'x'.repeat(10_000),
]

/** Checks everything. `isPhone` is whether the window is one of a phone. */
export async function expectAccessible(page, { isPhone = false } = {}) {
    await expectNames(page)
    await expectContrast(page)
    await expectFocus(page)
    if (isPhone) await expectTouchTargets(page)
}

const controlRoles = [
    'button', 'link', 'textbox', 'searchbox', 'checkbox', 'radio', 'combobox', 'listbox', 'slider', 'spinbutton', 'switch', 'tab',
    'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'dialog', 'ColorWell',
]

/** Every control has a name, as the browser tells it to screen readers. */
export async function expectNames(page) {
    await page.send('Accessibility.enable')
    const { nodes } = await page.send('Accessibility.getFullAXTree')
    const nameless = nodes.filter(({ ignored, role, name }) =>
        !ignored && controlRoles.includes(role?.value) && !name?.value?.trim())
    const ids = nameless.map(({ backendDOMNodeId }) => backendDOMNodeId)
    const described = await Promise.all(ids.map(async (backendNodeId) =>
        (await page.send('DOM.getOuterHTML', { backendNodeId })).outerHTML.slice(0, 200)))
    assert.deepEqual(described, [], 'controls without a name')
}

/** The Tab key reaches every control once, in the order of the document, and each one shows that it has the focus. */
export async function expectFocus(page) {
    const expected = await page.evaluate(() => {
        const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
        const isReachable = (node) => node.tabIndex >= 0 && !node.disabled && node.checkVisibility({ visibilityProperty: true })
            // Radio buttons with one name are one stop, at the one that is chosen.
            && !node.closest('[inert]') && (node.type !== 'radio' || node.checked)
        const nodes = [...root.querySelectorAll('a[href], button, input, textarea, select, summary, [tabindex], [contenteditable]')]
        document.activeElement?.blur?.()
        getSelection().removeAllRanges()
        globalThis.tabStops = nodes.filter(isReachable)
        const positive = nodes.filter((node) => node.tabIndex > 0).map((node) => node.outerHTML.slice(0, 100))
        return { count: globalThis.tabStops.length, positive }
    })
    assert.deepEqual(expected.positive, [], 'a positive tabindex changes the order')
    const reached = []
    for (let turn = 0; turn < 2 * expected.count + 10; turn++) {
        await press(page, 'Tab')
        const stop = await page.evaluate(describeFocus)
        // Chromium also stops at areas that scroll, and at the end of the page.
        if (stop.index === null) continue
        if (stop.index === reached[0]) break
        assert.ok(stop.isShown, `the focus is not visible: ${stop.html}`)
        assert.notEqual(stop.index, reached.at(-1), `the focus stays at ${stop.html}`)
        reached.push(stop.index)
    }
    const first = reached.indexOf(0)
    const order = first < 0 ? reached : [...reached.slice(first), ...reached.slice(0, first)]
    const missing = await page.evaluate((reached) => globalThis.tabStops
        .filter((_, index) => !reached.includes(index)).map((node) => node.outerHTML.slice(0, 160)), reached)
    assert.deepEqual(missing, [], 'Tab does not reach these controls')
    assert.deepEqual(order, [...Array(expected.count).keys()], 'the order of the focus')
}

function describeFocus() {
    const node = document.activeElement
    const index = globalThis.tabStops.indexOf(node)
    if (index < 0) return { index: null }
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(node)
    // In a text that fills its screen, a ring would look like a frame. There the caret shows the focus.
    const { width, height } = node.getBoundingClientRect()
    const isWholeScreen = node.matches('textarea') && getComputedStyle(node).caretColor !== 'rgba(0, 0, 0, 0)'
        && width * height > 0.4 * (node.closest('main')?.clientWidth ?? innerWidth) * innerHeight
    const isShown = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none' || isWholeScreen
    return { index, isShown, html: node.outerHTML.slice(0, 160) }
}

/** Every text has a contrast of at least 4.5 : 1 with what is below it; large text of 3 : 1. */
export async function expectContrast(page) {
    assert.deepEqual(await lowContrasts(page), [], 'contrasts that are too low')
}

/** The nodes inside of `selector` whose text has too little contrast. */
export const lowContrasts = (page, selector = 'body') => page.evaluate(findLowContrast, selector)

async function findLowContrast(selector) {
    // A change of the color scheme moves some colors, and sheets appear slowly.
    const moving = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(moving.map((one) => one.finished))
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 1
    const context = canvas.getContext('2d', { willReadFrequently: true })
    const channels = (color) => {
        context.clearRect(0, 0, 1, 1)
        context.fillStyle = color
        context.fillRect(0, 0, 1, 1)
        const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data
        return { rgb: [red, green, blue], alpha: alpha / 255 }
    }
    const over = (top, rgb, alpha = top.alpha) => top.rgb.map((value, index) => value * alpha + rgb[index] * (1 - alpha))
    const ancestors = (node) => (node ? [...ancestors(node.parentElement), node] : [])
    const background = (node) => ancestors(node).reduce((rgb, one) =>
        over(channels(getComputedStyle(one).backgroundColor), rgb), channels('Canvas').rgb)
    const luminance = (rgb) => {
        const [red, green, blue] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const low = []
    const check = (node, pseudo) => {
        const style = getComputedStyle(node, pseudo)
        const below = background(node)
        const opacity = ancestors(node).reduce((product, one) => product * Number(getComputedStyle(one).opacity), 1)
            * (pseudo ? Number(style.opacity) : 1)
        const color = channels(style.color)
        const shown = over(color, below, color.alpha * opacity)
        const [light, dark] = [luminance(shown), luminance(below)].sort((one, other) => other - one)
        const ratio = (light + 0.05) / (dark + 0.05)
        const size = parseFloat(style.fontSize)
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
        if (ratio < (isLarge ? 3 : 4.5) - 0.005) low.push(`${ratio.toFixed(2)}: ${node.outerHTML.slice(0, 120)}`)
    }
    for (const node of document.querySelectorAll(`${selector} *`)) {
        if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
        // WCAG makes an exception for controls that cannot be used.
        if (node.closest(':disabled, [aria-disabled="true"], .spoken')) continue
        const { fill, stroke } = getComputedStyle(node)
        if (node instanceof SVGElement || (fill === 'none' && stroke !== 'none')) continue
        const isField = node.matches('input:not([type="color"], [type="range"], [type="checkbox"], [type="radio"]), textarea, select')
        const hasText = [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim())
        if (hasText || (isField && node.value)) check(node)
        if (isField && node.placeholder && !node.value) check(node, '::placeholder')
    }
    return low
}

/** On a phone, every control is at least 44 pixels high and wide. Links inside of a sentence are an exception. */
export async function expectTouchTargets(page) {
    assert.deepEqual(await smallControls(page), [], 'controls that are too small for a finger')
}

/** The controls inside of `selector` that are smaller than 44 pixels. */
export function smallControls(page, selector = 'body') {
    return page.evaluate(async (selector) => {
        // Engines lay out rows only when they are in the view, and WebKit notices this a frame later.
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
        const nodes = [...document.querySelectorAll(selector)].flatMap((root) =>
            [...root.querySelectorAll('a[href], button, input, textarea, select, summary, [role="button"], [role="slider"]')])
        const sizeOf = (node) => {
            // A press on the label of a control is a press on the control.
            const boxes = [node, ...(node.labels ?? [])].map((one) => one.getBoundingClientRect())
            return [Math.max(...boxes.map(({ width }) => width)), Math.max(...boxes.map(({ height }) => height))]
        }
        return nodes.filter((node) => {
            if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || node.disabled) return false
            if (!node.checkVisibility({ contentVisibilityAuto: true })) return false
            const sentence = node.matches('a') && getComputedStyle(node).display === 'inline' && node.closest('p')
            return !sentence && sizeOf(node).some((size) => size < 43.5)
        }).map((node) => `${sizeOf(node).map(Math.round).join('×')}: ${node.outerHTML.slice(0, 120)}`)
    }, selector)
}

/** With reduced motion, nothing moves: neither now nor when something changes. Undoes the setting at the end. */
export async function expectStillness(page) {
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] })
    const moving = await page.evaluate(() => {
        const seconds = (list) => Math.max(...list.split(',').map(parseFloat))
        const styles = [...document.querySelectorAll('*')].flatMap((node) => [null, '::before', '::after'].flatMap((pseudo) => {
            const { transitionDuration, animationName, animationDuration, scrollBehavior } = getComputedStyle(node, pseudo)
            const moves = seconds(transitionDuration) > 0 || scrollBehavior === 'smooth'
                || (animationName !== 'none' && seconds(animationDuration) > 0)
            return moves ? [`${node.outerHTML.slice(0, 120)} ${pseudo ?? ''}`] : []
        }))
        const running = document.getAnimations().filter(({ playState }) => playState === 'running')
        return [...styles, ...running.map(({ effect }) => effect.target.outerHTML.slice(0, 120))]
    })
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: '' }] })
    assert.deepEqual(moving, [], 'nodes that move')
}

/** Nothing of a hostile text has run, and nothing is wider than the window or outside of its box. */
export async function expectHarmless(page) {
    const found = await page.evaluate(() => {
        const foreign = [...document.querySelectorAll('script:not([src^="/page/"]), iframe, object, embed, body img, [onerror], [onload]')]
        const scrolls = (node) => node && (/auto|scroll|hidden|clip/.test(getComputedStyle(node).overflowX) || scrolls(node.parentElement))
        const wide = [...document.body.querySelectorAll('*')].filter((node) => {
            if (!node.checkVisibility() || node.closest('.spoken, svg') || scrolls(node.parentElement)) return false
            const { left, right, width } = node.getBoundingClientRect()
            return width > 0 && (right > innerWidth + 1 || left < -1)
        })
        const outside = [...document.body.querySelectorAll('*')].filter((node) => {
            const { overflowX, overflowY, display } = getComputedStyle(node)
            if (display === 'inline' || /auto|scroll/.test(overflowX + overflowY) || node.closest('.spoken, svg, textarea')) return false
            // A hidden overflow of one line is an ellipsis.
            return overflowX === 'visible' && node.scrollWidth > node.clientWidth + 1 && node.checkVisibility() && node.clientWidth > 0
        })
        const hidden = /[\u202a-\u202e\u2066-\u2069]/
        return {
            hasRun: globalThis.hasRun ?? null, foreign: foreign.map((node) => node.outerHTML.slice(0, 120)),
            wide: wide.map((node) => node.outerHTML.slice(0, 160)), outside: outside.map((node) => node.outerHTML.slice(0, 160)),
            bidi: [...document.body.querySelectorAll('*')].filter((node) => [...node.childNodes].some((child) =>
                child.nodeType === Node.TEXT_NODE && hidden.test(child.data))).map((node) => node.outerHTML.slice(0, 160)),
            scrollWidth: document.scrollingElement.scrollWidth - innerWidth,
        }
    })
    assert.deepEqual(found, { hasRun: null, foreign: [], wide: [], outside: [], bidi: [], scrollWidth: 0 })
    assert.deepEqual(page.problems, [])
}
