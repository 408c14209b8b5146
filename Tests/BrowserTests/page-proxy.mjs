// The page behind a proxy that signs in users with a cookie, in Chromium. Nobody has a token.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { startServer } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { startBrowser } from './browsers.mjs'
import { hasPageOffline, type } from './page-support.mjs'

const field = 'X-Forwarded-User'
const title = () => document.title
const hasText = (page, text) => page.waitFor(
    (text) => document.querySelector('.text')?.value.includes(text), `the text ${text}`, text)

export async function testPageProxy(programs) {
    const server = await startServer(programs, [
        '--require-tokens', '--sign-in-header', field, '--sign-in-proxies', '127.0.0.1',
        '--sign-in-rights', 'write:home/{user}/',
    ])
    await server.caret(['put', 'home/ann/list', '--create'], 'Milk')
    const proxy = await startSigningProxy(server.port)
    const page = await (await startBrowser('chromium')).open(`${proxy.origin}/d/home/ann/list`)
    const signIn = () => page.loads(() => page.evaluate(() => document.querySelector('a').click()))

    await test('behind a proxy, the page works without a token, and names the user', async () => {
        assert.equal(await page.evaluate(title), 'Sign in')
        await signIn()
        await hasText(page, 'Milk')
        await page.evaluate(() => document.querySelector('.text').focus())
        await type(page, 'Oat ')
        for (let log = ''; !/\bann\b/.test(log);) log = await server.caret(['log', 'home/ann/list'])
        assert.equal(await page.evaluate(() => document.querySelector('.sign-in')?.open ?? false), false)
        assert.deepEqual(page.problems, [])
    })

    await test('behind a proxy, a connection that has ended is signed in again', async () => {
        await page.evaluate(() => document.querySelector('.text').focus())
        proxy.cut()
        await type(page, 'Rice ')
        for (let text = ''; !text.includes('Rice');) text = await server.caret(['cat', 'home/ann/list'])
    })

    for (const status of [302, 401, 403, 200]) {
        await test(`a page that is loaded again shows how the proxy signs in, if that answers ${status}`, async () => {
            await hasPageOffline(page)
            proxy.signOut(status)
            await page.goTo(`${proxy.origin}/d/home/ann/list`)
            // The page from the worker is loaded first. Its script finds out that the proxy must answer, and reloads.
            await page.waitFor(() => document.title === 'Sign in' && document.querySelector('a') !== null, 'the sign-in')
            await signIn()
            await hasText(page, 'Rice')
        })
    }
    await page.close()
}

/**
 * Starts a proxy that shows its own page to everybody without its cookie. There a link signs in ann. The proxy redirects to
 * the page, or answers with it at once.
 */
async function startSigningProxy(port) {
    let [session, refusal] = [1, 302]
    const sockets = new Set()
    const isSignedIn = ({ headers }) => headers.cookie === `session=${session}`
    const site = createServer((request, response) => {
        const back = new URL(request.url, 'http://a').searchParams.get('to')
        const showLogin = (status, to) => {
            response.writeHead(status, { 'Content-Type': 'text/html' })
            response.end(`<title>Sign in</title><a href="/entered?to=${to}">ann</a>`)
        }
        if (request.url.startsWith('/login?')) return showLogin(200, back)
        if (request.url.startsWith('/entered?')) {
            response.setHeader('Set-Cookie', `session=${session}; HttpOnly; SameSite=Lax`)
            return response.writeHead(302, { Location: back }).end()
        }
        if (!isSignedIn(request)) {
            if (refusal !== 302) return showLogin(refusal, request.url)
            return response.writeHead(302, { Location: `/login?to=${request.url}` }).end()
        }
        const { method, headers } = request
        const options = { port, host: '127.0.0.1', path: request.url, method, headers: { ...headers, [field]: 'ann' } }
        const passed = httpRequest(options, (answer) => {
            response.writeHead(answer.statusCode, answer.headers)
            answer.pipe(response)
        })
        request.pipe(passed)
    })
    site.on('upgrade', (request, near) => {
        if (!isSignedIn(request)) return near.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
        const far = connect(port, '127.0.0.1')
        const fields = Object.entries({ ...request.headers, [field]: 'ann' }).map(([name, value]) => `${name}: ${value}`)
        far.write(`GET ${request.url} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
        sockets.add(near)
        near.pipe(far).pipe(near)
        near.on('error', () => far.destroy())
        far.on('error', () => near.destroy())
    })
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    atEnd(() => { site.close(), site.closeAllConnections() })
    const cut = () => { for (const socket of sockets) socket.destroy() }
    return {
        origin: `http://127.0.0.1:${site.address().port}`, cut,
        signOut(status) {
            session++
            refusal = status
            cut()
        },
    }
}
