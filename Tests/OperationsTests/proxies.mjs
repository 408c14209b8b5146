// The section "Behind a proxy" of docs/operations.md: nginx and Caddy run with the configuration on the page, with
// TLS, in front of a server with the configuration on the page.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { block } from '../NodeSupport/page.mjs'
import { freePort, listening, run, start, startServer, temporaryFolder } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { openWebSocket } from '../NodeSupport/websocket.mjs'
import { makeCertificate, startNginx } from './nginx.mjs'

const page = 'docs/operations.md'
const section = 'Behind a proxy'
const name = 'caret.example.org'

/** Tests both proxies with the programs in this folder. */
export async function testProxies(programs) {
    const folder = temporaryFolder()
    await makeCertificate(folder)
    const server = await startServer(programs, ['--config', configuration(folder)])
    const token = (await server.caret(['token', 'add', 'ann', '--write', ''])).match(/caret_\S+/)[0]
    const changes = [['/etc/ssl/', `${folder}/`], ['127.0.0.1:22738', `127.0.0.1:${server.port}`]]
    const startSite = (changes, folder) => startNginx(block(page, section, 'nginx', changes), folder)
    for (const [proxy, startProxy] of [['nginx', startSite], ['Caddy', startCaddy]]) {
        const port = await startProxy(changes, folder)
        await testProxy(proxy, { server, token, port, ca: join(folder, 'caret.pem') })
    }
}

function configuration(folder) {
    const path = join(folder, 'caret.json5')
    writeFileSync(path, `{ ${block(page, section, 'json5')} }`)
    return path
}

async function startCaddy(changes, folder) {
    const port = await freePort()
    const site = block(page, section, 'caddyfile', changes)
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
