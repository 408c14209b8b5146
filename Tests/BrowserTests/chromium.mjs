// Drives Chromium through its DevTools protocol, over two pipes. It needs no packages of Node. browsers.mjs describes the
// interface. `send` calls any method of the protocol, for tests that run in Chromium only.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd, within } from '../NodeSupport/suite.mjs'
import { BrowserPage } from './browser-page.mjs'

/** Starts a browser without a window. It is closed at the end of the tests. */
export async function startChromium({ flags = [] } = {}) {
    const browser = new Chromium([
        '--headless=new', '--remote-debugging-pipe', `--user-data-dir=${temporaryFolder()}`, '--no-first-run',
        '--no-proxy-server', '--disable-background-networking', '--disable-component-update', '--disable-gpu',
        // The folder that Chromium uses otherwise is too small in many containers.
        '--disable-dev-shm-usage',
        // As root, Chromium refuses to start with its sandbox.
        ...(process.getuid() === 0 ? ['--no-sandbox'] : []), ...flags,
    ])
    atEnd(() => browser.close())
    await browser.send('Browser.getVersion')
    return browser
}

class Chromium {
    engine = 'chromium'
    lacks = {}
    #process
    #pages = new Map()
    #calls = new Map()
    #lastCall = 0
    #ended
    /** Why Chromium has ended; undefined while it runs. */
    #end

    constructor(flags) {
        this.#process = spawn('chromium', flags, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] })
        const [, , errors, commands, messages] = this.#process.stdio
        let said = ''
        errors.setEncoding('utf8').on('data', (text) => { said = (said + text).slice(-2000) })
        this.#ended = new Promise((done) => this.#process.once('close', done).once('error', done)).then((reason) => {
            this.#end = new Error(`Chromium has ended: ${reason}\n${said}`)
            for (const call of this.#calls.values()) call.failed(this.#end)
        })
        // If a command cannot be written, Chromium has ended, and the call fails for this reason.
        commands.on('error', () => {})
        let rest = ''
        messages.setEncoding('utf8').on('data', (text) => {
            const whole = (rest + text).split('\0')
            rest = whole.pop()
            for (const message of whole) this.#receive(JSON.parse(message))
        })
    }

    /** Calls a method of the DevTools protocol, in a page if `session` names one. */
    send(method, params = {}, session = undefined) {
        if (this.#end) return Promise.reject(this.#end)
        const id = ++this.#lastCall
        const answer = new Promise((done, failed) => this.#calls.set(id, { done, failed, method }))
        this.#process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: session }) + '\0')
        return within(answer, method)
    }

    /**
     * Opens a page, and waits until it is loaded. It shares cookies and storage with the pages that were opened with
     * the same `browserContextId`. Without one, it has its own.
     */
    async open(url, { browserContextId } = {}) {
        browserContextId ??= (await this.send('Target.createBrowserContext')).browserContextId
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId })
        const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true })
        const page = new Page(this, sessionId, browserContextId)
        this.#pages.set(sessionId, page)
        for (const domain of ['Runtime', 'Page', 'Log']) await page.send(`${domain}.enable`)
        // Each page behaves as if it had the focus of the system. Otherwise only one page has it.
        await page.send('Emulation.setFocusEmulationEnabled', { enabled: true })
        await page.goTo(url)
        return page
    }

    async close() {
        this.send('Browser.close').catch(() => {})
        await within(this.#ended, 'the end of Chromium').catch(() => this.#process.kill('SIGKILL'))
    }

    #receive({ id, sessionId, method, params, result, error }) {
        if (id === undefined) return void this.#pages.get(sessionId)?.emit(method, params)
        const call = this.#calls.get(id)
        this.#calls.delete(id)
        if (error) call?.failed(new Error(`${call.method}: ${error.message}`))
        else call?.done(result)
    }
}

const codes = { Backspace: 8, Delete: 46, Enter: 13, Escape: 27, Tab: 9, ArrowUp: 38, ArrowDown: 40, ArrowRight: 39, ArrowLeft: 37, Home: 36, End: 35, ' ': 32 }

/** A page in a tab of its own. It emits the events of the DevTools protocol, by their names. */
class Page extends BrowserPage {
    #browser
    #session
    #context

    constructor(browser, session, context) {
        super()
        this.#browser = browser
        this.#session = session
        this.#context = context
        this.on('Runtime.exceptionThrown', ({ exceptionDetails }) => this.problems.push(describe(exceptionDetails)))
        this.on('Log.entryAdded', ({ entry }) => {
            if (['warning', 'error'].includes(entry.level)) this.problems.push(`${entry.text} ${entry.url ?? ''}`)
        })
        this.on('Runtime.consoleAPICalled', ({ type, args }) => {
            if (!['warning', 'error', 'assert'].includes(type)) return
            this.problems.push(`console.${type}: ${args.map((one) => one.value ?? one.description).join(' ')}`)
        })
    }

    send(method, params) {
        return this.#browser.send(method, params, this.#session)
    }

    async goTo(url) {
        const loaded = once(this, 'Page.loadEventFired')
        const { errorText } = await this.send('Page.navigate', { url })
        if (errorText) throw new Error(`${url}: ${errorText}`)
        await within(loaded, `loading ${url}`)
    }

    /**
     * Calls a function in the page and returns its result. The page gets the source of the function, so it can
     * use only its arguments and what the page has. The arguments and the result must be values of JSON.
     */
    async evaluate(task, ...values) {
        const expression = `(${task})(...${JSON.stringify(values)})`
        const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
            expression, awaitPromise: true, returnByValue: true, userGesture: true,
        })
        if (exceptionDetails) throw new Error(describe(exceptionDetails))
        return result.value
    }

    /** Waits until an action has loaded a page. */
    async loads(action) {
        const loaded = once(this, 'Page.loadEventFired')
        await action()
        await within(loaded, 'loading the page again')
    }

    async preload(task) { await this.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${task})()` }) }

    async insert(text) { await this.send('Input.insertText', { text }) }

    async press(key, { shift = false, ctrl = false } = {}) {
        const text = ctrl ? undefined : key === 'Enter' ? '\r' : [...key].length === 1 ? key : undefined
        const isLetter = /^[a-z]$/.test(key)
        const event = {
            key: isLetter && shift ? key.toUpperCase() : key, text, modifiers: (ctrl ? 2 : 0) + (shift ? 8 : 0),
            code: key === ' ' ? 'Space' : isLetter ? `Key${key.toUpperCase()}` : key,
            windowsVirtualKeyCode: isLetter ? key.toUpperCase().charCodeAt(0) : codes[key],
        }
        await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...event })
        await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
    }

    async compose(text) {
        await this.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    }

    commit(text) { return this.insert(text) }

    async command(name) {
        await this.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'F5', commands: [name] })
        await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'F5' })
    }

    async movePointer(x, y) { await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y }) }

    async click(x, y) {
        for (const type of ['mousePressed', 'mouseReleased']) {
            await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 })
        }
    }

    async setWindow({ width, height, scale, insets, isTouch = scale > 1 }, scheme) {
        await this.send('Emulation.setDeviceMetricsOverride', {
            width, height, deviceScaleFactor: scale, mobile: isTouch,
        })
        await this.send('Emulation.setSafeAreaInsetsOverride', { insets: { top: 0, left: 0, right: 0, bottom: 0, ...insets } })
        await this.send('Emulation.setTouchEmulationEnabled', { enabled: isTouch })
        await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] })
    }

    async reduceMotion() {
        await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] })
    }

    async picture() { return (await this.send('Page.captureScreenshot', { format: 'png' })).data }

    /** Closes the page and forgets its cookies and storage. */
    async close() {
        await this.#browser.send('Target.disposeBrowserContext', { browserContextId: this.#context })
    }
}

function describe({ text, exception }) {
    return exception?.description ?? `${text} ${exception?.value ?? ''}`
}
