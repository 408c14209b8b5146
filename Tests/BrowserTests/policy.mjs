// What the policy of the server's page allows, in a real browser. The tests know nothing of what the page shows.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { startServer } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { startChromium } from './chromium.mjs'

/** What a script in the page must not do, and the directive of the policy that forbids it. */
const forbidden = [
    ['a script in the page', 'script-src-elem', () => add('script', { text: trusted('window.isBroken = true') })],
    ['a script of another server', 'script-src-elem', (url) => add('script', { src: trusted(`${url}/a.js`) })],
    ['an event handler', 'script-src-attr', () => add('p').setAttribute('onclick', trusted('window.isBroken = true'))],
    ['a style in the page', 'style-src-elem', () => add('style', { textContent: 'body { color: red }' })],
    ['a style in an element', 'style-src-attr', () => add('p').setAttribute('style', 'color: red')],
    ['an image of another server', 'img-src', (url) => add('img', { src: `${url}/a.png` })],
    ['a request to another server', 'connect-src', (url) => fetch(url).catch(() => {})],
    ['a WebSocket of another server', 'connect-src', (url) => void new WebSocket(url.replace('http', 'ws'))],
    ['a frame', 'frame-src', (url) => add('iframe', { src: url })],
    ['a form', 'form-action', (url) => add('form', { action: url, method: 'post' }).submit()],
    ['another base for addresses', 'base-uri', (url) => add('base', { href: url })],
    ['HTML made of a text', 'require-trusted-types-for', () => { add('p').innerHTML = '<b>bold</b>' }],
    ['a second policy for HTML', 'trusted-types', () => trustedTypes.createPolicy('second', {})],
]

export async function testPolicy(programs) {
    const server = await startServer(programs)
    await server.caret(['put', 'notes/a b', '--create'], 'My text\n')
    const url = `http://127.0.0.1:${server.port}`
    const browser = await startChromium()

    for (const [path, client] of [['/', '/caret.js'], ['/d/notes/a%20b', '/caret/caret.js']]) {
        await test(`${path} loads its files and the client, and connects, without a violation of its policy`, async () => {
            const page = await browser.open(url + path)
            const text = await page.evaluate(async (client) => {
                const { Caret } = await import(client)
                const caret = await Caret.connect()
                const { text } = await caret.read('notes/a b')
                await caret.close()
                return text
            }, client)
            assert.equal(text, 'My text\n')
            assert.deepEqual(page.problems, [])
            await page.close()
        })
    }

    for (const [what, directive, attempt] of forbidden) {
        await test(`the page cannot have ${what}`, async () => {
            // This file has the policy of the page, but no scripts of its own, which might use the one policy for HTML.
            const page = await browser.open(`${url}/manifest.json`)
            await page.evaluate(prepare)
            const violations = await page.evaluate(`(url) => violationsOf(() => (${attempt})(url))`, 'http://127.0.0.1:9')
            assert.deepEqual([...new Set(violations)], [directive])
            assert.equal(await page.evaluate(() => window.isBroken), undefined)
            await page.close()
        })
    }

    await test('a page of another site cannot show the page in a frame, but can link to it', async () => {
        const site = await startSite(url)
        const page = await browser.open(site)
        await page.waitFor(() => window.hasLoaded, 'the end of loading')
        assert.match(page.problems.join('\n'), /frame-ancestors 'none'/)
        await page.loads(() => page.evaluate(() => document.querySelector('a').click()))
        assert.equal(await page.evaluate(() => location.href), `${url}/d/a`)
        await page.close()
    })
    await browser.close()
}

/** Gives a page the functions that the attempts use. */
function prepare() {
    // The attempts need trusted values, so that the rule for scripts is what stops them.
    const policy = trustedTypes.createPolicy('caret', { createScript: (text) => text, createScriptURL: (url) => url })
    window.trusted = (text) => text.startsWith('http') ? policy.createScriptURL(text) : policy.createScript(text)
    window.add = (name, properties) => {
        const element = Object.assign(document.createElement(name), properties)
        document.head.append(element)
        return element
    }
    window.violationsOf = (attempt) => new Promise((done) => {
        const violations = []
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
            violations.push(effectiveDirective)
            // If there are several violations, their events come together.
            setTimeout(() => done(violations))
        })
        try { attempt() } catch { /* Trusted Types throw, and report a violation too. */ }
    })
}

/** A server with a page that has a frame with the page of `url`, and a link to it. */
async function startSite(url) {
    const server = createServer((request, response) => {
        response.setHeader('Content-Type', 'text/html')
        response.end(`<link rel="icon" href="data:,"><a href="${url}/d/a">Open</a>
            <iframe src="${url}/" onload="hasLoaded = true"></iframe>`)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => server.close())
    return `http://127.0.0.1:${server.address().port}/`
}
