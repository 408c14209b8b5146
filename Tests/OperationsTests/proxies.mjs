// The section "Behind a proxy" of docs/access.md: nginx and Caddy run with the configuration on the page, with
// TLS, in front of a server with the configuration on the page. They also have the lines of docs/sign-in.md, which join a
// backend to the server.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { block } from '../NodeSupport/page.mjs'
import { freePort, listening, run, start, startServer, temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { openWebSocket } from '../NodeSupport/websocket.mjs'
import { makeCertificate, startNginx } from './nginx.mjs'

const page = 'docs/access.md'
const section = 'Behind a proxy'
const name = 'caret.example.org'
const [signIn, joined] = ['docs/sign-in.md', 'The page behind your own sign-in']

/** Tests both proxies with the programs in this folder. */
export async function testProxies(programs) {
    const folder = temporaryFolder()
    await makeCertificate(folder)
    const [, tokenPath] = block(signIn, joined, 'json5').match(/^page_token_path: "(.*)",$/m)
    const server = await startServer(programs, ['--config', configuration(folder), '--page-token-path', tokenPath])
    const backend = await startBackend()
    const token = (await server.caret(['token', 'add', 'ann', '--write', ''])).match(/caret_\S+/)[0]
    const changes = [['/etc/ssl/', `${folder}/`], ['127.0.0.1:22738', `127.0.0.1:${server.port}`]]
    for (const [proxy, startProxy] of [['nginx', startSite], ['Caddy', startCaddy]]) {
        const port = await startProxy(changes, folder, backend.port)
        const ca = join(folder, 'caret.pem')
        await testProxy(proxy, { server, token, port, ca })
        await testJoined(proxy, { backend, tokenPath, port, ca })
    }
}

/** A backend that answers each request with a word, and keeps what it was asked. */
async function startBackend() {
    const backend = { requests: [] }
    const site = createServer(({ method, url, headers }, response) => {
        backend.requests.push({ method, url, headers })
        response.end('ey.of.ann')
    })
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    atEnd(() => { site.close(), site.closeAllConnections() })
    return Object.assign(backend, { port: site.address().port })
}

/** The lines of docs/sign-in.md that join a backend to the server. */
function joining(language, port) { return block(signIn, joined, language, [['127.0.0.1:3000', `127.0.0.1:${port}`]]) }

/** Starts nginx with the site of the page, joined with the backend. */
function startSite(changes, folder, backend) {
    const site = block(page, section, 'nginx', changes)
    return startNginx(withLines(site, joining('nginx', backend), '    location / {'), folder)
}

/** The text with other lines before a line that it has once. */
function withLines(text, lines, before) {
    assert.equal(text.split(before).length, 2, before)
    return text.replace(before, () => `${lines}\n${before}`)
}

function configuration(folder) {
    const path = join(folder, 'caret.json5')
    writeFileSync(path, `{ ${block(page, section, 'json5')} }`)
    return path
}

async function startCaddy(changes, folder, backend) {
    const port = await freePort()
    const site = withLines(block(page, section, 'caddyfile', changes), joining('caddyfile', backend), '    reverse_proxy ')
    const path = join(folder, 'Caddyfile')
    writeFileSync(path, `{
        admin off
        https_port ${port}
        auto_https disable_redirects
        default_bind 127.0.0.1
        }\n${site}`)
    const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    await listening(start('caddy', ['run', '--config', path, '--adapter', 'caddyfile'], { env }), port)
    return port
}

async function testJoined(proxy, { backend, tokenPath, port, ca }) {
    await test(`${proxy}: only the path of tokens reaches the backend, with the cookies and the host`, async () => {
        const always = ['-sS', '--cacert', ca, '--connect-to', `::127.0.0.1:${port}`]
        const curl = async (path, ...args) => (await run('curl', [...always, ...args, `https://${name}${path}`])).output
        backend.requests.length = 0
        assert.equal(await curl(tokenPath, '-X', 'POST', '-H', 'Cookie: session=1', '-H', 'Caret-Page: 1'), 'ey.of.ann')
        assert.ok((await curl('/d/notes')).includes(`<meta name="caret-token-path" content="${tokenPath}">`))
        assert.match(await curl(`/docs${tokenPath}`), /"code":"unauthorized"/)
        const [{ method, url, headers }, ...others] = backend.requests
        const found = [method, url, headers.host, headers.cookie, headers['caret-page'], others.length]
        assert.deepEqual(found, ['POST', tokenPath, name, 'session=1', '1', 0])
    })
}

async function testProxy(proxy, { server, token, port, ca }) {
    const url = `https://${name}`
    const document = `notes/${proxy}`
    const connection = { host: '127.0.0.1', port, servername: name, ca: readFileSync(ca) }
    const always = ['-sS', '--cacert', ca, '--connect-to', `::127.0.0.1:${port}`, '-w', '%{http_code}']
    const anonymous = async (path, args, input) => {
        const { status, output, errors } = await run('curl', [...always, ...args, url + path], { input })
        assert.equal(status, 0, errors)
        return output
    }
    const authorization = ['-H', `Authorization: Bearer ${token}`]
    const curl = (path, args = [], input = '') => anonymous(path, [...authorization, ...args], input)
    const create = (path, text) => curl(path, ['-T', '-', '-H', 'If-None-Match: *'], text)
    const append = (text) => curl(`/append/${document}`, ['--data-binary', text, '-H', 'Content-Type: text/plain'])

    await test(`${proxy}: a client writes and reads a document`, async () => {
        assert.equal(await create(`/docs/${document}`, 'Milk\n'), '201')
        const answer = await curl(`/docs/${document}`, ['-i'])
        assert.match(answer, /^etag: "[^"/]+\/1"\r$/im)
        assert.ok(answer.endsWith('\r\n\r\nMilk\n200'), answer)
    })

    await test(`${proxy}: an event arrives while its stream is open`, async () => {
        const events = start('curl', ['-N', ...always, ...authorization, `${url}/events/${document}`])
        await events.line(/^data: \{"type":"opened".*"text":"Milk\\n"/)
        await append('Eggs\n')
        await events.line(/^data: \{"type":"change".*Eggs/)
        assert.equal(events.hasEnded, false)
        await events.stop()
    })

    await test(`${proxy}: a client opens and changes a document over WebSocket`, async () => {
        const socket = await openWebSocket({ ...connection, headers: { Host: name, Origin: url } })
        assert.equal(socket.status, 101)
        socket.send({ type: 'hello', protocol: 1, client: `client-of-${proxy}`, token })
        assert.equal((await socket.receive('welcome')).user, 'ann')
        socket.send({ type: 'open', doc: document })
        const { text, rev, epoch } = await socket.receive('opened')
        assert.equal(text, 'Milk\nEggs\n')
        const edits = [{ range: [0, 0], text: 'Tea\n' }]
        socket.send({ type: 'push', doc: document, seq: 1, base: rev, epoch, edits })
        await socket.receive('ack')
        await append('Rice\n')
        assert.match(JSON.stringify(await socket.receive('change')), /Rice/)
        socket.close()
    })

    await test(`${proxy}: a text of 4 MiB, the default limit, fits in both directions`, async () => {
        const text = 'A line of a large text that is 64 bytes long, with its end.....\n'.repeat(65_536)
        assert.equal(await create(`/docs/notes/large-${proxy}`, text), '201')
        assert.ok((await curl(`/docs/notes/large-${proxy}`)) === `${text}200`)
    })

    await test(`${proxy}: pages of this site may connect, on any port, and no others`, async () => {
        const statusFor = async (host, origin) => {
            const socket = await openWebSocket({ ...connection, headers: { Host: host, Origin: origin } })
            socket.close?.()
            return socket.status
        }
        assert.equal(await statusFor(`${name}:8443`, `https://${name}:8443`), 101)
        assert.equal(await statusFor(name, `https://${name}:8443`), 403)
        assert.equal(await statusFor(name, 'https://other.example'), 403)
    })

    await test(`${proxy}: no document is served under another name`, async () => {
        const answer = await curl(`/docs/${document}`, ['-H', 'Host: other.example'])
        // Caddy has an empty answer for names that are not in its configuration.
        assert.match(answer, proxy === 'nginx' ? /"code":"bad_host".*421$/s : /^200$/)
    })

    await test(`${proxy}: a client without a token gets 401`, async () => {
        assert.match(await anonymous(`/docs/${document}`, []), /"code":"unauthorized".*401$/s)
    })

    await test(`${proxy}: the server does not believe X-Forwarded-For`, async () => {
        const earlier = server.lines.length
        const fields = ['-H', 'Authorization: Bearer wrong', '-H', 'X-Forwarded-For: 203.0.113.9']
        await anonymous(`/docs/${document}`, fields)
        const [line] = await server.line(/.* event=login_failed .*reason=unknown_token.*/, earlier)
        assert.match(line, / peer=127\.0\.0\.1:\d+ /)
        assert.ok(!server.lines.some((line) => line.includes('203.0.113.9')))
    })
}
