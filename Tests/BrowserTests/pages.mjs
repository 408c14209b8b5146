// The page of a real server in Chromium, as a user sees it, and another user of the same documents.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { connect as connectTCP } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '../../Sources/CaretPage/caret/caret-node.js'
import { startServer } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { startChromium } from './chromium.mjs'

/** The windows in which layouts are tested. Safe areas are those of a phone with a notch. */
export const windows = {
    phone: { width: 375, height: 812, scale: 3, insets: { top: 44, bottom: 34 } },
    landscape: { width: 812, height: 375, scale: 3, insets: { left: 44, right: 44, bottom: 21 } },
    small: { width: 320, height: 568, scale: 2, insets: {} },
    tablet: { width: 768, height: 1024, scale: 2, insets: {} },
    desktop: { width: 1440, height: 900, scale: 1, insets: {} },
}

/**
 * Starts a browser and a server. `testPage(title, path, body)` runs a test with the page at a path, and expects
 * that nothing goes wrong in it.
 */
export async function startPages(programs, options = []) {
    const server = await startServer(programs, options)
    const site = await startDevelopmentSite(server.port)
    const { origin } = site
    const wasm = readFileSync(new URL('../../Sources/CaretPage/caret/caret.wasm', import.meta.url))
    const caret = await connect('127.0.0.1', server.port, { wasm, name: 'Bob', color: '#bb540f' })
    atEnd(() => caret.close())
    const browser = await startChromium()
    await browser.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite'] })

    const openPage = async (path = '/', window = windows.desktop, scheme = 'light') => {
        const page = await browser.open('about:blank')
        await setWindow(page, window, scheme)
        await page.send('Emulation.setFocusEmulationEnabled', { enabled: true })
        await page.goTo(`${origin}${path}`)
        return page
    }
    const testPage = (title, path, body, window) => test(title, async () => {
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
    return { server, site, origin, caret, browser, openPage, testPage, put }
}

/** Makes a page as large as a window, with its safe areas and a color scheme. */
export async function setWindow(page, { width, height, scale, insets }, scheme = 'light') {
    await page.send('Emulation.setDeviceMetricsOverride', {
        width, height, deviceScaleFactor: scale, mobile: scale > 1,
    })
    await page.send('Emulation.setSafeAreaInsetsOverride', { insets: { top: 0, left: 0, right: 0, bottom: 0, ...insets } })
    await page.send('Emulation.setTouchEmulationEnabled', { enabled: scale > 1 })
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] })
}

// Serves the files of the page from their folder, and everything else from the server. A test may set `change`, which
// is called with each path of a file and its bytes and returns, perhaps later, what to send. While `isDown`, the site
// answers nothing.
async function startDevelopmentSite(port) {
    const state = { isDown: false, change: (path, bytes) => bytes }
    const folder = fileURLToPath(new URL('../../Sources/CaretPage/', import.meta.url))
    const types = {
        '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.wasm': 'application/wasm', '.svg': 'image/svg+xml',
        '.json': 'application/manifest+json', '.png': 'image/png',
    }
    const site = createServer(async (request, response) => {
        if (state.isDown) return request.socket.destroy()
        const { pathname } = new URL(request.url, 'http://127.0.0.1')
        const isFile = /^\/(page|caret)\//.test(pathname)
        const path = pathname === '/' || pathname.startsWith('/d/') ? 'page/index.html' : isFile ? pathname.slice(1)
            : ['/manifest.json', '/service-worker.js'].includes(pathname) ? `page${pathname}` : null
        if (path === null) {
            const { method, headers } = request
            const passed = httpRequest({ port, host: '127.0.0.1', path: request.url, method, headers }, (answer) => {
                response.writeHead(answer.statusCode, answer.headers)
                answer.pipe(response)
            })
            return request.pipe(passed)
        }
        try {
            const bytes = await state.change(path, readFileSync(join(folder, path)))
            response.setHeader('Content-Type', types[extname(path)] ?? 'text/plain').setHeader('Content-Security-Policy', policy)
            // As the server does: a browser keeps the file, and asks at each use whether it has changed.
            const tag = `"${createHash('sha1').update(bytes).digest('hex')}"`
            response.setHeader('ETag', tag).setHeader('Cache-Control', 'no-cache')
            if (request.headers['if-none-match'] === tag) response.writeHead(304).end()
            else response.end(bytes)
        } catch {
            response.writeHead(404).end()
        }
    })
    site.on('upgrade', (request, socket) => {
        if (state.isDown) return socket.destroy()
        const far = connectTCP(port, '127.0.0.1')
        const fields = []
        for (let at = 0; at < request.rawHeaders.length; at += 2) fields.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`)
        far.write(`GET ${request.url} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
        socket.pipe(far).pipe(socket)
        socket.on('error', () => far.destroy())
        far.on('error', () => socket.destroy())
    })
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    atEnd(() => { site.close(), site.closeAllConnections() })
    return Object.assign(state, { origin: `http://127.0.0.1:${site.address().port}` })
}

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types caret"
