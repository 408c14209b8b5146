// What a user does on the page, and what the page looks like.
import { once } from 'node:events'
import { within } from '../NodeSupport/suite.mjs'

/** Presses a key, such as 'Enter' or 'a'. */
export async function press(page, key, modifiers = 0) {
    const codes = { Enter: 13, Escape: 27, Tab: 9, ArrowUp: 38, ArrowDown: 40, ArrowRight: 39, ' ': 32 }
    const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined
    const event = { key, modifiers, windowsVirtualKeyCode: codes[key], code: key === ' ' ? 'Space' : key, text }
    await page.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...event })
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
}

/** Waits until the page has loaded itself again because of an action. */
export async function reloads(page, action) {
    const loaded = once(page, 'Page.loadEventFired')
    await action()
    await within(loaded, 'loading the page again')
}

/** Types a text where the focus is. */
export async function type(page, text) {
    await page.send('Input.insertText', { text })
}

/** Presses the control with this accessible name, as a finger or a mouse does. */
export async function pressOn(page, name) {
    await page.waitFor((name) => {
        const scope = document.querySelector('dialog[open]:last-of-type') ?? document
        const nameOf = (one) => (one.getAttribute('aria-label') ?? one.closest('label')?.textContent ?? one.textContent).trim()
        const control = [...scope.querySelectorAll('button, a, input')].find((one) => nameOf(one) === name && one.checkVisibility())
        control?.focus()
        control?.click()
        return control !== undefined
    }, `the control ${name}`, name)
}

/** Replaces the text of the field that has the focus. */
export async function replace(page, text) {
    await page.evaluate(() => document.activeElement.select())
    if (text === '') await page.evaluate(() => document.execCommand('delete'))
    else await type(page, text)
}

/** Waits until the text of a node, with one space between its words, is or matches `wanted`. */
export async function shows(page, selector, wanted) {
    const isPattern = wanted instanceof RegExp
    await page.waitFor((selector, wanted, isPattern) => {
        const text = document.querySelector(selector)?.innerText.replace(/\s+/g, ' ').trim()
        return text !== undefined && (isPattern ? new RegExp(wanted).test(text) : text === wanted)
    }, `${selector} with ${wanted}`, selector, isPattern ? wanted.source : wanted, isPattern)
}

/** The box of the first node that matches, as { left, right, top, bottom, width, height }. */
export function box(page, selector) {
    return page.evaluate((selector) => {
        const { left, right, top, bottom, width, height } = document.querySelector(selector).getBoundingClientRect()
        return { left, right, top, bottom, width, height }
    }, selector)
}

/** The controls inside of a node that have no name, or are smaller than 44 pixels. */
export function poorControls(page, selector) {
    return page.evaluate((selector) => {
        const controls = [...document.querySelectorAll(selector)].flatMap((root) =>
            [...root.querySelectorAll('button, a[href], input, textarea, select')]).filter((one) => one.checkVisibility())
        return controls.flatMap((one) => {
            // A label around a control is pressed like the control.
            const { width, height } = (one.closest('label') ?? one.closest('.search') ?? one).getBoundingClientRect()
            const name = (one.getAttribute('aria-label') ?? one.closest('label')?.textContent ?? one.textContent ?? '').trim()
            const label = `${one.tagName} '${name}' ${Math.round(width)}×${Math.round(height)}`
            return name === '' || width < 43.5 || height < 43.5 ? [label] : []
        })
    }, selector)
}

/** The texts inside of a node whose contrast is below 4.5 : 1. Backgrounds that are translucent count as opaque. */
export function poorContrasts(page, selector) {
    return page.evaluate(async (selector) => {
        // A change of the color scheme moves some colors.
        const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition)
        await Promise.allSettled(transitions.map((one) => one.finished))
        const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
        const rgba = (color) => {
            context.clearRect(0, 0, 1, 1)
            context.fillStyle = color
            context.fillRect(0, 0, 1, 1)
            return context.getImageData(0, 0, 1, 1).data
        }
        const luminance = (color) => {
            const [red, green, blue] = [...rgba(color)].slice(0, 3).map((byte) => {
                const share = byte / 255
                return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
            })
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue
        }
        const backgroundOf = (node) => {
            for (let at = node; at; at = at.parentElement) {
                const color = getComputedStyle(at).backgroundColor
                if (rgba(color)[3] > 128) return color
            }
            return 'white'
        }
        return [...document.querySelectorAll(`${selector} *`)].flatMap((node) => {
            const text = [...node.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data.trim()).join('')
            if (text === '' || !node.checkVisibility() || node.closest(':disabled')) return []
            const [high, low] = [luminance(getComputedStyle(node).color), luminance(backgroundOf(node))].sort((a, b) => b - a)
            const contrast = (high + 0.05) / (low + 0.05)
            return contrast < 4.5 ? [`'${text}' ${contrast.toFixed(2)}`] : []
        })
    }, selector)
}
