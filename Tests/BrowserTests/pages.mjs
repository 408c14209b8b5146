// The page of a real server in a browser, as a user sees it, and another user of the same documents.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { connect } from '../../Clients/javascript/caret-node.js'
import { start, startServer } from '../NodeSupport/programs.mjs'
import { atEnd } from '../NodeSupport/suite.mjs'
import { startBrowser, testIn } from './browsers.mjs'

const repository = new URL('../../', import.meta.url)

/** The windows in which layouts are tested. Safe areas are those of a phone with a notch. */
export const windows = {
    phone: { width: 375, height: 812, scale: 3, insets: { top: 44, bottom: 34 } },
    landscape: { width: 812, height: 375, scale: 3, insets: { left: 44, right: 44, bottom: 21 } },
    small: { width: 320, height: 568, scale: 2, insets: {} },
    tablet: { width: 768, height: 1024, scale: 2, insets: {} },
    desktop: { width: 1440, height: 900, scale: 1, insets: {} },
}

/** These windows, as a browser can have them. */
export function windowsOf({ lacks }) {
    if (!lacks.safeAreas) return windows
    return Object.fromEntries(Object.entries(windows).map(([name, window]) => [name, { ...window, insets: {} }]))
}

/**
 * Starts a browser and a server. `testPage(title, path, body)` runs a test with the page at a path, and expects
 * that nothing goes wrong in it. More arguments name what a browser may lack.
 */
export async function startPages(programs, options = [], engine = 'chromium') {
    const server = await startServer(programs, options)
    const origin = `http://127.0.0.1:${server.port}`
    const wasm = readFileSync(new URL('Clients/javascript/caret.wasm', repository))
    /** A client of another user. */
    const connectAs = async (user) => {
        const caret = await connect('127.0.0.1', server.port, { wasm, ...user })
        atEnd(() => caret.close())
        return caret
    }
    const caret = await connectAs({ name: 'Bob', color: '#bb540f' })
    const browser = await startBrowser(engine)

    const openPage = async (path = '/', window = windows.desktop, scheme = 'light', site = origin) => {
        const page = await browser.open('about:blank')
        if (!browser.lacks.sources) await serveSources(page)
        await setWindow(page, window, scheme)
        await page.goTo(`${site}${path}`)
        return page
    }
    const testPage = (title, path, body, window, ...needs) => testIn(browser, title, needs, async () => {
        const page = await openPage(path, window)
        await body(page)
        assert.deepEqual(page.problems, [])
        await page.close()
    })
    /** Creates a document with a text as the other user, and returns it. */
    const put = async (name, text = '') => {
        const document = caret.open(name, { create: true })
        await document.opened()
        document.replaceText(text)
        await document.saved()
        return document
    }
    /** Creates the document `trimmed`, of which only the revisions from 5 to 10 are kept. */
    const putTrimmed = async () => {
        const document = await put('trimmed', 'Kept\n')
        for (let line = 0; line < 9; line++) {
            document.append(`${line}\n`)
            await document.saved()
        }
        await server.caret(['trim', 'trimmed', '--before', '5', '--yes'])
    }
    /** Starts the server again after it has ended, with the same documents and the same port. */
    const restart = async () => {
        const again = start(resolve(programs, 'caretd'), ['--data', server.data, '--listen', `127.0.0.1:${server.port}`])
        await again.line(/ event=ready/)
    }
    /** A new token of a user with grants, such as '--read', 'notes/'. */
    const addToken = async (...grants) => (await server.caret(['token', 'add', ...grants])).trim()
    return { server, origin, caret, browser, connectAs, openPage, testPage, put, putTrimmed, restart, addToken }
}

/**
 * Lets a page import the modules of the repository, such as `/repository/Sources/CaretPage/page/dom.js`. The server has
 * only files that are made of many modules.
 */
async function serveSources(page) {
    const types = { '.js': 'text/javascript', '.wasm': 'application/wasm' }
    page.on('Fetch.requestPaused', ({ requestId, request }) => {
        const { pathname } = new URL(request.url)
        const body = readFileSync(new URL(pathname.replace('/repository/', ''), repository)).toString('base64')
        const responseHeaders = [{ name: 'Content-Type', value: types[extname(pathname)] }]
        page.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body })
    })
    await page.send('Fetch.enable', { patterns: [{ urlPattern: '*/repository/*' }] })
}

/** Makes a page as large as a window, with its safe areas and a color scheme. */
export const setWindow = (page, window, scheme = 'light') => page.setWindow(window, scheme)

/** Whether a browser reports only that it did not reach the server. */
export function isLostConnection(problem) {
    return /WebSocket connection|when fetching the script|NS_ERROR_|establish a connection|network connection was lost/.test(problem)
}
