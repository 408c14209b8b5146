// Drives Firefox through WebDriver BiDi, over a WebSocket. browsers.mjs describes the interface.
//
// The protocol has no commands for input methods and menus. Firefox lets this driver run scripts in its own window, which
// has them.
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd, within } from '../NodeSupport/suite.mjs'
import { openWebSocket } from '../NodeSupport/websocket.mjs'
import { callOf, DriverPage } from './browser-page.mjs'

const settings = {
    // The name of a page that is no secure context.
    'network.dns.localDomains': 'caret.test',
    // Each window behaves as if it had the focus of the system. Otherwise only one window has it.
    'focusmanager.testmode': true,
    // Firefox asks nothing of other servers.
    'app.normandy.enabled': false, 'app.update.auto': false, 'datareporting.policy.dataSubmissionEnabled': false,
    'extensions.update.enabled': false, 'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false, 'services.settings.server': 'data:,',
}

/** Starts a browser without a window. It is closed at the end of the tests. */
export async function startFirefox() {
    const browser = new Firefox()
    atEnd(() => browser.close())
    await browser.start()
    return browser
}

class Firefox {
    engine = 'firefox'
    lacks = {
        safeAreas: 'Firefox cannot emulate the safe areas of a phone',
        sources: 'the driver of Firefox does not replace answers of a server',
        downloads: 'the driver of Firefox does not choose the folder of downloads',
    }
    #process
    #ended
    #socket
    #chrome
    #pages = new Map()
    #calls = new Map()
    #lastCall = 0

    async start() {
        const profile = temporaryFolder()
        const lines = Object.entries(settings).map((one) => `user_pref(${one.map((value) => JSON.stringify(value)).join(', ')})\n`)
        writeFileSync(join(profile, 'user.js'), lines.join(''))
        const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', '--remote-allow-system-access']
        this.#process = spawn('firefox-esr', args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } })
        this.#ended = new Promise((done) => this.#process.once('close', done).once('error', done))
        const { hostname, port } = await within(this.#address(), 'the start of Firefox')
        this.#socket = await openWebSocket({ secure: false, host: hostname, port, path: '/session' })
        this.#socket.onMessage((message) => this.#receive(message))
        this.#ended.then((reason) => {
            for (const { failed } of this.#calls.values()) failed(new Error(`Firefox has ended: ${reason}`))
        })
        await this.send('session.new', { capabilities: {} })
        await this.send('session.subscribe', { events: ['log.entryAdded', 'browsingContext.load', 'network.fetchError'] })
        const { contexts } = await this.send('browsingContext.getTree', { 'moz:scope': 'chrome', maxDepth: 0 })
        this.#chrome = contexts[0].context
    }

    /** Where Firefox listens. It writes this to its standard error. */
    async #address() {
        const { stderr } = this.#process
        let said = ''
        stderr.setEncoding('utf8')
        const ended = this.#ended.then((reason) => { throw new Error(`Firefox has ended: ${reason}\n${said}`) })
        for (;;) {
            const [text] = await Promise.race([once(stderr, 'data'), ended])
            said += text
            const [, address] = /listening on (ws:\S+)/.exec(said) ?? []
            if (address) return stderr.resume(), new URL(address)
        }
    }

    /** Calls a method of the protocol. */
    send(method, params = {}) {
        const id = ++this.#lastCall
        const answer = new Promise((done, failed) => this.#calls.set(id, { done, failed }))
        this.#socket.send({ id, method, params })
        return within(answer, method)
    }

    #receive({ id, type, method, params, result, error, message }) {
        if (type === 'event') {
            const context = params.context ?? params.source?.context
            return void this.#pages.get(context)?.emit(method, params)
        }
        const { done, failed } = this.#calls.get(id)
        this.#calls.delete(id)
        if (type === 'success') done(result)
        else failed(new Error(`${error}: ${message}`))
    }

    /** Calls a function in a page, or in the window of Firefox. */
    async call(context, task, values) {
        const { result, exceptionDetails } = await this.send('script.callFunction', {
            functionDeclaration: callOf(task), arguments: [{ type: 'string', value: JSON.stringify(values) }],
            target: { context }, awaitPromise: true, userActivation: context !== this.#chrome,
        })
        if (exceptionDetails) throw new Error(exceptionDetails.text)
        return JSON.parse(result.value).value
    }

    callInWindow(task, ...values) { return this.call(this.#chrome, task, values) }

    async open(url) {
        const { userContext } = await this.send('browser.createUserContext')
        const { context } = await this.send('browsingContext.create', { type: 'window', userContext })
        const page = new Page(this, context, userContext)
        this.#pages.set(context, page)
        await page.goTo(url)
        return page
    }

    async close() {
        if (this.#socket) this.send('browser.close').catch(() => {})
        else this.#process.kill('SIGKILL')
        await within(this.#ended, 'the end of Firefox').catch(() => this.#process.kill('SIGKILL'))
        this.#socket?.close()
    }
}

class Page extends DriverPage {
    #browser
    #context
    #userContext

    constructor(browser, context, userContext) {
        super()
        this.#browser = browser
        this.#context = context
        this.#userContext = userContext
        this.on('log.entryAdded', ({ type, method, level, text }) => {
            if (!['warn', 'error'].includes(level)) return
            this.problems.push(type === 'console' ? `console.${method}: ${text}` : text)
        })
        this.on('network.fetchError', ({ request, errorText }) => this.problems.push(`${errorText} ${request.url}`))
    }

    async goTo(url) {
        await this.#browser.send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' })
    }

    async loads(action) {
        const loaded = once(this, 'browsingContext.load')
        await action()
        await within(loaded, 'loading the page again')
    }

    evaluate(task, ...values) { return this.#browser.call(this.#context, task, values) }

    async preload(task) {
        await this.#browser.send('script.addPreloadScript', { functionDeclaration: `${task}`, contexts: [this.#context] })
    }

    async act(actions) {
        // Without it, the elements of a page in a window behind another one get no event when they get the focus.
        await this.#browser.send('browsingContext.activate', { context: this.#context })
        await this.#browser.send('input.performActions', { context: this.#context, actions })
    }

    async compose(text) {
        await this.#browser.send('browsingContext.activate', { context: this.#context })
        await this.#browser.callInWindow((text) => {
            const window = Services.wm.getMostRecentBrowserWindow()
            window.inputMethod ??= Cc['@mozilla.org/text-input-processor;1'].createInstance(Ci.nsITextInputProcessor)
            const { inputMethod } = window
            inputMethod.beginInputTransactionForTests(window)
            inputMethod.setPendingCompositionString(text)
            inputMethod.appendClauseToPendingComposition(text.length, inputMethod.ATTR_RAW_CLAUSE)
            inputMethod.setCaretInPendingComposition(text.length)
            inputMethod.flushPendingComposition()
        }, text)
    }

    async commit(text) {
        await this.#browser.callInWindow((text) => {
            const { inputMethod } = Services.wm.getMostRecentBrowserWindow()
            inputMethod.commitCompositionWith(text)
        }, text)
    }

    async command(name) {
        if (['copy', 'paste'].includes(name)) return this.press(name === 'copy' ? 'c' : 'v', { ctrl: true })
        await this.#browser.send('browsingContext.activate', { context: this.#context })
        await this.#browser.callInWindow((name) => {
            Services.wm.getMostRecentBrowserWindow().goDoCommand(name)
        }, `cmd_${name}`)
    }

    async setWindow({ width, height, scale }, scheme) {
        await this.#browser.send('browsingContext.setViewport', {
            context: this.#context, viewport: { width, height }, devicePixelRatio: scale,
        })
        await this.#browser.callInWindow((isDark) => {
            Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', isDark ? 0 : 1)
        }, scheme === 'dark')
    }

    async reduceMotion() {
        await this.#browser.callInWindow(() => Services.prefs.setIntPref('ui.prefersReducedMotion', 1))
    }

    async picture() {
        return (await this.#browser.send('browsingContext.captureScreenshot', { context: this.#context })).data
    }

    /** Closes the page and forgets its cookies and storage. */
    async close() {
        await this.#browser.send('browsingContext.close', { context: this.#context })
        await this.#browser.send('browser.removeUserContext', { userContext: this.#userContext })
    }
}
