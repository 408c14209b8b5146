// Real browsers, with one interface for three engines.
//
//     const browser = await startBrowser('firefox')
//     const page = await browser.open('http://127.0.0.1:22738/')
//     await page.waitFor(() => document.title === 'Caret', 'the title')
//     assert.deepEqual(page.problems, [])
//
// A browser has `open(url)`, `close()`, and `lacks`: what this engine cannot do here, with the reasons.
// Each page has cookies and storage of its own.
//
// | a page | |
// | --- | --- |
// | `goTo(url)`, `reload()`, `loads(action)` | load a page; wait until an action has loaded one |
// | `evaluate(task, ...values)`, `waitFor(task, what, ...values)` | call a function in the page |
// | `press(key, { shift, ctrl })`, `insert(text)` | press a key; enter a text at once |
// | `compose(text)`, `commit(text)` | what an input method does |
// | `command(name)` | 'undo', 'redo', 'copy' or 'paste', as the menu of the browser does |
// | `movePointer(x, y)`, `click(x, y)` | what a mouse does |
// | `setWindow(window, scheme)`, `reduceMotion()` | size, safe areas, color scheme; less motion |
// | `preload(task)` | call a function in each page that is loaded from now on, before its scripts |
// | `screenshot(path)`, `problems`, `close()` | |
import { test, skip } from '../NodeSupport/suite.mjs'
import { startChromium } from './chromium.mjs'
import { startFirefox } from './firefox.mjs'
import { startWebKit } from './webkit.mjs'

const starts = {
    async chromium() {
        const flags = [
            // Pages of one port of this machine may use a server at another port.
            '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets',
            '--host-resolver-rules=MAP caret.test 127.0.0.1',
        ]
        const browser = await startChromium({ flags })
        await browser.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite'] })
        return browser
    },
    firefox: startFirefox,
    webkit: startWebKit,
}

export const engines = Object.keys(starts)

/** Starts a browser without a window. It is closed at the end of the tests. */
export function startBrowser(engine = 'chromium') {
    return starts[engine]()
}

/** Runs a test, or says why it is skipped if the browser lacks something that the test needs. */
export function testIn(browser, name, needs, body) {
    const missing = needs.find((need) => browser.lacks[need])
    return missing ? skip(name, browser.lacks[missing]) : test(name, body)
}

/** The problems of a page without those that browsers report when a WebSocket is cut. */
export function unrelatedToCuts(problems) {
    const cut = /^WebSocket connection to .* failed|^The connection to ws:.* was interrupted|^console\.warning: caret\.js: cannot connect to /
    return problems.filter((problem) => !cut.test(problem))
}
