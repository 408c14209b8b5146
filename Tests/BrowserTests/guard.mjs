// Pages of other sites try to use a server without tokens on the user's machine, in a real browser.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../NodeSupport/programs.mjs'
import { block } from '../NodeSupport/page.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { startChromium } from './chromium.mjs'
import { startRelay } from './relay.mjs'

/** What a page of a site in `web_origins` gets for each attempt of hostile.js: the statuses, and what it can do. */
const attempts = {
    'GET': { statuses: [200], reads: true },
    'GET with a field': { statuses: [204, 200], reads: true },
    // A browser does not name the page's site in these requests, so the server cannot know that it may answer.
    'GET without CORS': { statuses: [403] },
    'image': { statuses: [403] },
    'script': { statuses: [403] },
    'style sheet': { statuses: [403] },
    'frame': { statuses: [403] },
    'event stream': { statuses: [200], reads: true },
    'WebSocket': { statuses: [101], reads: true },
    'POST': { statuses: [200], writes: true },
    'POST without CORS': { statuses: [200], writes: true },
    'beacon': { statuses: [200], writes: true },
    'form with plain text': { statuses: [200], writes: true },
    'form': { statuses: [415] },
    'form with parts': { statuses: [415] },
    'PUT': { statuses: [204, 200], writes: true },
    'DELETE': { statuses: [204, 204] },
}

const secret = 'My secret'
// A page that runs the document as a script would get its text.
const diary = `diary = "${secret}"\n`

export async function testGuard(programs) {
    const site = await startSite()
    const friend = `http://friend.example:${site.port}`
    const server = await startServer(programs, ['--web-origins', friend])
    await server.caret(['put', 'diary', '--create'], diary)
    await server.caret(['put', 'spare', '--create'], 'Spare\n')
    const before = await contents(server)
    const relay = await startRelay(server.port)
    const url = `http://127.0.0.1:${relay.port}`
    const browser = await startChromium({
        flags: [
            '--host-resolver-rules=MAP *.example 127.0.0.1',
            // The browser would ask the user before a page may reach this machine. Here only the server may refuse.
            '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets',
        ],
    })

    const strangers = [
        ['a page of another site', `http://stranger.example:${site.port}/`],
        ['a page of this machine on another port', `http://127.0.0.1:${site.port}/`],
        ['a page without an origin', `http://stranger.example:${site.port}/sandboxed`],
    ]
    for (const [who, address] of strangers) {
        await test(`${who} can neither read nor write, and each request gets 403`, async () => {
            const page = await browser.open(address)
            await expectRefusals(page, url, relay, 403)
            assert.deepEqual(await contents(server), before)
        })
    }

    /** Opens a page of the site, and then lets the name of the site point to the server. */
    const openRebound = async (host) => {
        relay.target = site.port
        const page = await browser.open(`http://${host}:${relay.port}/`)
        relay.target = server.port
        await relay.statuses(2)
        return { page, address: `http://${host}:${relay.port}` }
    }

    await test('a site whose name now points to this machine can neither read nor write: 421', async () => {
        const { page, address } = await openRebound('rebound.example')
        await expectRefusals(page, address, relay, 421)
        assert.deepEqual(await contents(server), before)
    })

    await test('with a name of this machine, the same page can read and write, so only the name matters', async () => {
        const { page, address } = await openRebound('own.localhost')
        assert.ok((await make(page, 'GET', address)).read?.includes(secret))
        await make(page, 'POST', address)
        assert.deepEqual(await relay.statuses(2), [200, 200])
        assert.ok((await contents(server)).text.includes(textOf('POST')))
        await server.caret(['put', 'diary'], diary)
    })

    await test('the page of a site in web_origins can read and write, so the attempts work', async () => {
        const page = await browser.open(`${friend}/`)
        for (const [name, { statuses, reads = false, writes = false }] of Object.entries(attempts)) {
            const { read, error } = await make(page, name, url)
            assert.deepEqual(await relay.statuses(statuses.length), statuses, `${name}: ${error}`)
            assert.equal(read?.includes(secret) ?? false, reads, `${name}: ${read ?? error}`)
            const { text } = await contents(server)
            assert.equal(text.includes(textOf(name)), writes, `${name}: ${text}`)
            await server.caret(['put', 'diary'], diary)
        }
        assert.match((await contents(server)).list, /^diary\t.*\n$/)
    })
    await testLocalSites(programs, site, browser)
}

/** The server allows pages of this machine, as `scripts/run` starts it. */
async function testLocalSites(programs, site, browser) {
    const server = await startServer(programs, ['--web-origins', 'http://localhost:*'])
    await server.caret(['put', 'diary', '--create'], diary)
    const before = await contents(server)
    const relay = await startRelay(server.port)
    const url = `http://127.0.0.1:${relay.port}`

    await test('the page of README.md works as it is', async () => {
        site.readme = block('README.md', 'Try it', 'html', [
            ['22738', server.port],
            // Until then, the field is an ordinary one.
            ['</script>', "document.title = 'bound'\n</script>"],
        ])
        const pages = [await browser.open(`http://localhost:${site.port}/readme`), await browser.open(`http://localhost:${site.port}/readme`)]
        for (const page of pages) {
            await page.waitFor(() => document.title === 'bound' && !document.querySelector('textarea').readOnly, 'a field for writing')
            await page.evaluate(() => document.querySelector('textarea').focus())
            await page.insert('Bread\n')
        }
        for (const page of pages) {
            await page.waitFor(() => document.querySelector('textarea').value === 'Bread\nBread\n', 'the lines of both pages')
            assert.deepEqual(page.problems, [])
            await page.close()
        }
        await server.caret(['rm', 'agenda', '--yes'])
    })

    const strangers = [
        ['a page of another site', `http://stranger.example:${site.port}/`],
        ['a page of another name of this machine', `http://app.localhost:${site.port}/`],
        ['a frame of this machine without an origin', `http://localhost:${site.port}/sandboxed`],
        ['a file', `file://${site.file}`],
    ]
    for (const [who, address] of strangers) {
        await test(`with http://localhost:*, ${who} can neither read nor write, and each request gets 403`, async () => {
            const page = await browser.open(address)
            await expectRefusals(page, url, relay, 403)
            assert.deepEqual(await contents(server), before)
        })
    }

    await test('with http://localhost:*, a rebound name of a site gets 421', async () => {
        relay.target = site.port
        const page = await browser.open(`http://rebound.example:${relay.port}/`)
        relay.target = server.port
        await relay.statuses(2)
        await expectRefusals(page, `http://rebound.example:${relay.port}`, relay, 421)
        assert.deepEqual(await contents(server), before)
    })

    for (const host of ['localhost', '127.0.0.1']) {
        await test(`with http://localhost:*, a page of ${host} on another port can read and write`, async () => {
            const page = await browser.open(`http://${host}:${site.port}/`)
            assert.ok((await make(page, 'GET', url)).read?.includes(secret))
            await make(page, 'POST', url)
            assert.deepEqual(await relay.statuses(2), [200, 200])
            assert.ok((await contents(server)).text.includes(textOf('POST')))
            await server.caret(['put', 'diary'], diary)
        })
    }
}

async function expectRefusals(page, url, relay, status) {
    assert.deepEqual(await page.evaluate(() => Object.keys(attempts).sort()), Object.keys(attempts).sort())
    for (const name of Object.keys(attempts)) {
        const { read } = await make(page, name, url)
        // Chromium repeats a request that was answered with 421.
        assert.deepEqual([...new Set(await relay.statuses(1))], [status], name)
        assert.ok(!read?.includes(secret), `${name}: ${read}`)
    }
}

const textOf = (name) => `Written by ${name}.`
const make = (page, name, url) => page.evaluate((...values) => attempt(...values), name, url, textOf(name))

/** All that the attempts could change. */
async function contents(server) {
    const commands = [['cat', 'diary'], ['log', 'diary'], ['ls']]
    const [text, log, list] = await Promise.all(commands.map((args) => server.caret(args)))
    return { text, log, list }
}

/** An HTTP server with the page that makes the attempts. `/sandboxed` is the same page without an origin. */
async function startSite() {
    const script = readFileSync(new URL('hostile.js', import.meta.url))
    const site = {}
    const server = createServer((request, response) => {
        // After the name points to the other server, the browser must not use an old connection to this one.
        response.setHeader('Connection', 'close')
        if (request.url === '/hostile.js') return response.setHeader('Content-Type', 'text/javascript').end(script)
        if (request.url === '/readme') return response.setHeader('Content-Type', 'text/html').end(site.readme)
        const policy = request.url === '/sandboxed' ? 'sandbox allow-scripts allow-forms' : ''
        response.setHeader('Content-Security-Policy', policy).setHeader('Content-Type', 'text/html')
        response.end('<link rel="icon" href="data:,"><body><script src="/hostile.js"></script>')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => server.close())
    const folder = mkdtempSync(join(tmpdir(), 'caret-site-'))
    atEnd(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'page.html')
    writeFileSync(file, `<link rel="icon" href="data:,"><body><script>${script}</script>`)
    return Object.assign(site, { port: server.address().port, file })
}
