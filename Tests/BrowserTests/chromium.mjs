// Drives Chromium through its DevTools protocol, over two pipes. It needs no packages of Node.
//
//     const browser = await startChromium()
//     const page = await browser.open('http://127.0.0.1:22738/')
//     await page.waitFor(() => document.title === 'Caret', 'the title')
//     assert.deepEqual(page.problems, [])
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd, within } from '../NodeSupport/suite.mjs'

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

/** A page in a tab of its own. It emits the events of the DevTools protocol, by their names. */
class Page extends EventEmitter {
    /** What went wrong in the page: warnings and errors of its console, exceptions, failed requests. */
    problems = []
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
        const { data } = await this.send('Page.captureScreenshot', { format: 'png' })
        writeFileSync(path, Buffer.from(data, 'base64'))
    }

    /** Closes the page and forgets its cookies and storage. */
    async close() {
        await this.#browser.send('Target.disposeBrowserContext', { browserContextId: this.#context })
    }
}

function describe({ text, exception }) {
    return exception?.description ?? `${text} ${exception?.value ?? ''}`
}
