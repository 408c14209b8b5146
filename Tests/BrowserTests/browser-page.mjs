// What the pages of all engines have in common.
import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { within } from '../NodeSupport/suite.mjs'

/** A page in a window of its own. Subclasses talk to one engine each; see browsers.mjs for their methods. */
export class BrowserPage extends EventEmitter {
    /** What went wrong in the page: warnings and errors of its console, exceptions, failed requests. */
    problems = []

    /** Waits until a function in the page returns a true value, and returns this value. */
    async waitFor(condition, what, ...values) {
        let isOver = false
        const holds = async () => {
            while (!isOver) {
                const value = await this.evaluate(condition, ...values)
                if (value) return value
                await new Promise((later) => setTimeout(later, 20))
            }
        }
        return await within(holds(), what).finally(() => { isOver = true })
    }

    /** Writes a picture of what the page shows now to a PNG file. */
    async screenshot(path) {
        writeFileSync(path, Buffer.from(await this.picture(), 'base64'))
    }

    /** Loads the page again, and waits until it is loaded. */
    async reload() {
        await this.goTo(await this.evaluate(() => location.href))
    }
}

/** The keys of WebDriver that are no characters. */
const driverKeys = {
    Backspace: '\ue003', Tab: '\ue004', Enter: '\ue007', Shift: '\ue008', Control: '\ue009', Delete: '\ue017', Escape: '\ue00c', End: '\ue010',
    Home: '\ue011', ArrowLeft: '\ue012', ArrowUp: '\ue013', ArrowRight: '\ue014', ArrowDown: '\ue015',
}

/** Pages of a browser that is driven by WebDriver. A subclass has `act(actions)`. */
export class DriverPage extends BrowserPage {
    /** Presses a key, such as 'Enter' or 'a'. */
    async press(key, { shift = false, ctrl = false } = {}) {
        const held = [...(ctrl ? ['Control'] : []), ...(shift ? ['Shift'] : [])].map((name) => driverKeys[name])
        const value = driverKeys[key] ?? (key === '\n' ? driverKeys.Enter : shift ? key.toUpperCase() : key)
        await this.act([{
            type: 'key', id: 'keyboard',
            actions: [
                ...held.map((one) => ({ type: 'keyDown', value: one })), { type: 'keyDown', value }, { type: 'keyUp', value },
                ...held.reverse().map((one) => ({ type: 'keyUp', value: one })),
            ],
        }])
    }

    /** Enters a text where the focus is: with the keyboard if it is one character, otherwise at once. */
    async insert(text) {
        if ([...text].length === 1) return this.press(text)
        await this.evaluate((text) => { document.execCommand('insertText', false, text) }, text)
    }

    async movePointer(x, y, ...more) {
        const move = { type: 'pointerMove', x: Math.round(x), y: Math.round(y), origin: 'viewport', duration: 0 }
        await this.act([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [move, ...more] }])
    }

    async click(x, y) {
        await this.movePointer(x, y, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 })
    }
}

/** The source of a function that calls `task` in a page with values from a JSON text, and returns a JSON text. */
export function callOf(task) {
    return `async (values) => JSON.stringify({ value: await (${task})(...JSON.parse(values)) })`
}
