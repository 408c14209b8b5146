// Tabs of a browser with a textarea that is bound to a document, and another user of the same document.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '../../Clients/javascript/caret-node.js'
import { startServer } from '../NodeSupport/programs.mjs'
import { atEnd } from '../NodeSupport/suite.mjs'
import { startBrowser, testIn } from './browsers.mjs'

const built = fileURLToPath(new URL('../../.build/wasm/caret', import.meta.url))
/** Where scripts/install-editors puts them. */
const editors = fileURLToPath(new URL('../../.build/editors', import.meta.url))

/**
 * Starts a browser, a server and a site with the page. `testTabs(name, body, text)` runs a test with a tab, whose
 * document has this text, and the same document of the other user. More arguments name what a browser may lack.
 * `Kind` is a class of tabs whose page is at `path`.
 */
export async function startTabs(programs, engine, { path = '/', Kind = Tab } = {}) {
    const site = await startSite()
    const server = await startServer(programs, ['--web-origins', `${site.origin},${site.plainOrigin}`])
    const wasm = readFileSync(join(built, 'caret.wasm'))
    const caret = await connect('127.0.0.1', server.port, { wasm, name: 'Bob', color: '#c33' })
    atEnd(() => caret.close())
    const browser = await startBrowser(engine)
    let documents = 0

    /** A tab with a document that has this text, and the same document of the other user. */
    const open = async (text = '') => {
        const name = `document-${++documents}`
        const other = caret.open(name, { create: true })
        await other.opened()
        other.replaceText(text)
        await other.saved()
        const tab = await openTab(name)
        await tab.shows(text)
        return { tab, other, name }
    }
    /** With `isOffline`, the tab does not wait for the server. With `isLate`, it has no client before `start()`. */
    const openTab = async (name, port = server.port, token = '', options = {}) => {
        const { origin = site.origin, isOffline = false, isLate = false, ...context } = options
        const query = new URLSearchParams({ server: `http://127.0.0.1:${port}`, document: name, token })
        if (isOffline) query.set('offline', 'true')
        if (isLate) query.set('late', 'true')
        const page = await browser.open(`${origin}${path}?${query}`, context)
        if (!isLate) await page.waitFor(() => document.title === 'ready', 'an open document')
        return new Kind(page)
    }

    /** Runs a test with tabs, and expects that nothing went wrong in them. */
    const testTabs = (name, body, text, ...needs) => testIn(browser, name, needs, async () => {
        const opened = await open(text)
        await body(opened)
        assert.deepEqual(opened.tab.page.problems, [])
        await opened.tab.page.close()
        await opened.other.close()
    })
    return { programs, site, server, wasm, caret, browser, open, openTab, testTabs }
}

/** A page of textarea.html, and what a user does in it. */
export class Tab {
    constructor(page) { this.page = page }

    evaluate(...call) { return this.page.evaluate(...call) }
    text() { return this.evaluate(() => field.value) }
    focus() { return this.evaluate(() => field.focus()) }
    frames(count) {
        return this.evaluate(async (count) => {
            for (; count > 0; count--) await new Promise(requestAnimationFrame)
        }, count)
    }

    /** Waits until the field has this text, and the document too. */
    async shows(text) {
        const holds = (text) => field.value === text && shared.text === text
        await this.page.waitFor(holds, `a field that shows ${JSON.stringify(text.slice(0, 100))}`, text)
    }

    select(anchor, head) {
        return this.evaluate((start, end, direction) => field.setSelectionRange(start, end, direction),
            Math.min(anchor, head), Math.max(anchor, head), head < anchor ? 'backward' : 'forward')
    }

    selection() {
        return this.evaluate(() => {
            const { selectionStart, selectionEnd, selectionDirection } = field
            return selectionDirection === 'backward' ? [selectionEnd, selectionStart] : [selectionStart, selectionEnd]
        })
    }

    /** The offset and the line that a copy of the field shows at its top, and how much of the line is above. */
    async topLine(text) {
        return this.evaluate((text) => {
            const copy = document.createElement('div')
            const style = getComputedStyle(field)
            copy.style.cssText = `white-space: pre-wrap; overflow-wrap: break-word; padding: ${style.padding};
                font: ${style.font}; position: absolute; left: 500px; top: 0;
                width: ${field.clientWidth - 22 + 0.5}px`
            copy.textContent = text
            document.body.append(copy)
            const range = document.createRange()
            for (let offset = 0; ; offset++) {
                range.setStart(copy.firstChild, offset)
                range.setEnd(copy.firstChild, offset + 1)
                const [rect] = range.getClientRects()
                if (!rect || rect.bottom <= field.scrollTop) continue
                copy.remove()
                return [text.slice(offset, offset + 40), Math.round(field.scrollTop - rect.top)]
            }
        }, text)
    }

    insert(text) { return this.page.insert(text) }
    async type(text) { for (const character of text) await this.insert(character) }
    /** Presses a key for each letter. Other characters come as from an input method. */
    async typeKeys(text) { for (const one of text) await (/[ -~]/.test(one) ? this.press(one) : this.insert(one)) }
    compose(text) { return this.page.compose(text) }
    commit(text) { return this.page.commit(text) }
    press(...call) { return this.page.press(...call) }
    command(name) { return this.page.command(name) }

    /** Puts a text with its own line ends on the clipboard, as another program does. Something must be selected. */
    async copy(text) {
        await this.evaluate((text) => {
            document.addEventListener('copy', (event) => {
                event.clipboardData.setData('text/plain', text)
                event.preventDefault()
                document.body.dataset.copied = 'true'
            }, { once: true })
        }, text)
        await this.command('copy')
        await this.page.waitFor(() => document.body.dataset.copied, 'the text on the clipboard')
    }

    async paste(text) {
        const selection = await this.selection()
        // A field without a selection has nothing to copy.
        await this.evaluate(() => field.select())
        await this.copy(text)
        await this.select(...selection)
        await this.command('paste')
    }
}

/** Whether two selections are the same. The first may be missing. */
export function isSame(left, right) { return left?.[0] === right[0] && left[1] === right[1] }

/**
 * An HTTP server with the page and the client, under the policy that protects the pages of a Caret server. It
 * also has the page `guide`, without a policy.
 */
export async function startSite() {
    const site = { guide: '' }
    const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.wasm': 'application/wasm', '.ttf': 'font/ttf' }
    const server = createServer((request, response) => {
        const { pathname } = new URL(request.url, 'http://127.0.0.1')
        if (pathname === '/guide/') return response.setHeader('Content-Type', 'text/html').end(site.guide)
        const path = pathname.startsWith('/caret/') ? join(built, pathname.slice('/caret/'.length))
            : pathname.startsWith('/editors/') ? join(editors, pathname.slice('/editors/'.length))
            : fileURLToPath(new URL(pathname === '/' ? 'textarea.html' : `.${pathname}`, import.meta.url))
        const type = types[extname(path)]
        // Browsers also look for an icon.
        if (!type) return response.writeHead(204).end()
        response.setHeader('Content-Type', type).setHeader('Content-Security-Policy', policies[pathname] ?? policy)
        response.end(readFileSync(path))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => { server.close(), server.closeAllConnections() })
    const { port } = server.address()
    // The browser does not treat this name as a secure context.
    return Object.assign(site, { origin: `http://127.0.0.1:${port}`, plainOrigin: `http://caret.test:${port}` })
}

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; "
    + "connect-src 'self' ws://127.0.0.1:*; base-uri 'none'; form-action 'none'; "
    + "require-trusted-types-for 'script'; trusted-types caret"

/** What the editors themselves need beyond this policy. Their adapters need no more. */
const policies = {
    // CodeMirror adds a style sheet with the nonce of `EditorView.cspNonce`.
    '/codemirror.html': policy.replace("script-src 'self'", "script-src 'self' 'nonce-editor'")
        .replace("style-src 'self'", "style-src 'self' 'nonce-editor'"),
    // Monaco writes styles into the HTML of its lines, and has policies of its own for this HTML.
    '/monaco.html': policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'; font-src 'self'; worker-src 'self'")
        .replace('trusted-types caret', "trusted-types * 'allow-duplicates'"),
}
