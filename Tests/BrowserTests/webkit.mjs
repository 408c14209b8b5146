// Drives WebKit through WebDriver, over HTTP. browsers.mjs describes the interface.
//
// WebKitGTK has no mode without a window. Each page has a screen in memory and a browser of its own, because the window of
// a page has the focus only if no other window is above it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort, listening, temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd, within } from '../NodeSupport/suite.mjs'
import { callOf, DriverPage } from './browser-page.mjs'

/** In pixels. */
const narrowest = 450

export async function startWebKit() {
    return new WebKit()
}

class WebKit {
    engine = 'webkit'
    lacks = {
        earlyProblems: 'WebDriver does not report what a page logs while it is loaded',
        clipboard: 'WebKit lets a page copy only after a real press, and these tests press by script',
        colorSchemes: 'WebDriver has no command for the color scheme of the system',
        compositions: 'WebDriver has no commands for input methods',
        lazyLayout: 'WebKit lays out the rows of a list later than these tests look',
        preloads: 'WebDriver cannot run a script before those of a page',
        safeAreas: 'WebKitGTK cannot emulate the safe areas of a phone',
        smallWindows: 'the bar of WebKitGTK does not fit into the window of a phone',
        sources: 'WebDriver does not replace answers of a server',
        downloads: 'WebDriver does not choose the folder of downloads',
    }

    async open(url) {
        const page = new Page()
        atEnd(() => page.close())
        await page.start()
        await page.goTo(url)
        return page
    }

    /** Each page is closed on its own. */
    async close() {}
}

class Page extends DriverPage {
    #processes = []
    #address
    #isClosed = false

    async start() {
        const display = await this.#startScreen()
        const home = temporaryFolder()
        const port = await freePort()
        const driver = this.#spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
            stdio: 'ignore',
            // Without these, the browser looks for services of a desktop, and writes that there are none.
            env: { ...process.env, DISPLAY: display, HOME: home, XDG_RUNTIME_DIR: home, GTK_A11Y: 'none', NO_AT_BRIDGE: '1' },
        })
        await listening({ get hasEnded() { return driver.exitCode !== null }, lines: [] }, port)
        this.#address = `http://127.0.0.1:${port}/session`
        const { sessionId } = await this.#send('POST', '', { capabilities: {} })
        this.#address += `/${sessionId}`
    }

    /** Starts a screen in memory. Returns its name. */
    async #startScreen() {
        const screen = this.#spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '2000x1500x24', '-nolisten', 'tcp'], {
            stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
        })
        const [number] = await within(once(screen.stdio[3], 'data'), 'the start of Xvfb')
        return `:${String(number).trim()}`
    }

    #spawn(command, args, options) {
        // A group of its own, so that the end of the group also ends what the program has started.
        const child = spawn(command, args, { ...options, detached: true })
        this.#processes.push(child)
        child.on('error', () => {})
        return child
    }

    async #send(method, path, body) {
        const response = await fetch(`${this.#address}${path}`, { method, body: body && JSON.stringify(body) })
        const { value } = await response.json()
        if (value?.error) throw new Error(`${value.error}: ${value.message}`)
        return value
    }

    async goTo(url) {
        await this.#send('POST', '/url', { url })
        await this.evaluate(() => true)
    }

    async loads(action) {
        await this.evaluate(() => { globalThis.isOldPage = true })
        await action()
        await this.waitFor(() => !globalThis.isOldPage && document.readyState === 'complete', 'loading the page again')
    }

    async evaluate(task, ...values) {
        const script = `(${noteProblems})()
            const done = arguments[arguments.length - 1]
            const finish = (result) => done({ ...result, problems: globalThis.problemsOfPage.splice(0) })
            ;(${callOf(task)})(arguments[0]).then((text) => finish({ text }), (error) => finish({ error: \`\${error}\` }))`
        const { text, error, problems } = await this.#send('POST', '/execute/async', { script, args: [JSON.stringify(values)] })
        this.problems.push(...problems)
        if (error) throw new Error(error)
        return JSON.parse(text).value
    }

    async act(actions) { await this.#send('POST', '/actions', { actions }) }

    async command(name) {
        if (['copy', 'paste'].includes(name)) return this.press(name === 'copy' ? 'c' : 'v', { ctrl: true })
        await this.evaluate((name) => { document.execCommand(name) }, name)
    }

    async setWindow({ width, height }) {
        // The window is larger than its page. A narrower window would be as wide as its bar.
        const [wider, higher] = await this.evaluate(() => [outerWidth - innerWidth, outerHeight - innerHeight])
        const size = [Math.max(width, narrowest), height]
        await this.#send('POST', '/window/rect', { width: size[0] + wider, height: size[1] + higher })
        await this.waitFor((...wanted) => innerWidth === wanted[0] && innerHeight === wanted[1], 'the size of the window', ...size)
    }

    picture() { return this.#send('GET', '/screenshot') }

    async close() {
        if (this.#isClosed) return
        this.#isClosed = true
        await this.#send('DELETE', '').catch(() => {})
        for (const { pid } of this.#processes.reverse()) {
            try { process.kill(-pid, 'SIGKILL') } catch { /* It has ended already. */ }
        }
    }
}

/** Runs in the page: notes what goes wrong from now on. */
function noteProblems() {
    if (globalThis.problemsOfPage) return
    globalThis.problemsOfPage = []
    const note = (text) => { globalThis.problemsOfPage.push(text) }
    for (const level of ['warn', 'error']) {
        const { [level]: write } = console
        console[level] = (...values) => {
            note(`console.${level}: ${values.join(' ')}`)
            write.apply(console, values)
        }
    }
    addEventListener('unhandledrejection', ({ reason }) => note(`${reason}`))
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => note(`${violatedDirective}: ${blockedURI}`))
    // Files that cannot be loaded cause events that do not bubble.
    addEventListener('error', ({ error, message, target }) => note(`${error ?? message ?? target.src ?? target.href}`), true)
}
