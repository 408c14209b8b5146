// The section "Sign-in by a proxy" of docs/sign-in.md: nginx runs with the configuration on the page, in front of a server
// with the configuration on the page and of a program that knows the users by their cookies.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { block } from '../NodeSupport/page.mjs'
import { run, start, startServer, temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { openWebSocket } from '../NodeSupport/websocket.mjs'
import { makeCertificate, startNginx } from './nginx.mjs'

const page = 'docs/sign-in.md'
const name = 'caret.example.org'
const url = `https://${name}`

/** Tests the configurations of the page with the programs in this folder. */
export async function testSignIn(programs) {
    const folder = temporaryFolder()
    await makeCertificate(folder)
    const config = join(folder, 'caret.json5')
    writeFileSync(config, `{ ${block(page, 'Sign-in by a proxy', 'json5')} }`)
    const server = await startServer(programs, ['--config', config])
    const users = await startUsers()
    const site = block(page, 'nginx', 'nginx', [
        ['/etc/ssl/', `${folder}/`], ['127.0.0.1:22738', `127.0.0.1:${server.port}`],
        ['127.0.0.1:8080', `127.0.0.1:${users}`],
    ])
    const port = await startNginx(site, folder)
    await testNginx({ server, port, ca: join(folder, 'caret.pem') })
}

/** Starts the program that nginx asks. Everybody with a cookie is signed in, even without a name. */
async function startUsers() {
    const server = createServer((request, response) => {
        const cookie = request.headers.cookie?.match(/^user=(.*)$/)?.[1]
        if (cookie) response.setHeader('X-User', cookie)
        response.writeHead(cookie === undefined ? 401 : 200).end()
    }).listen(0, '127.0.0.1')
    atEnd(() => server.close())
    await once(server, 'listening')
    return server.address().port
}

async function testNginx({ server, port, ca }) {
    const connection = { host: '127.0.0.1', port, servername: name, ca: readFileSync(ca) }
    const always = ['-sS', '--cacert', ca, '--connect-to', `::127.0.0.1:${port}`, '-w', '%{http_code}']
    const curl = async (user, path, fields = [], args = []) => {
        const cookies = user === null ? [] : ['-H', `Cookie: user=${user}`]
        const all = [...always, ...cookies, ...fields.flatMap((field) => ['-H', field]), ...args, url + path]
        const { status, output, errors } = await run('curl', all, { input: 'Milk\n' })
        assert.equal(status, 0, errors)
        return output
    }
    const create = ['-T', '-']
    const isNew = 'If-None-Match: *'

    await test('nginx with auth_request: a user writes where sign_in_rights says, and nowhere else', async () => {
        assert.equal(await curl('ann', '/docs/home/ann/a', [isNew], create), '201')
        assert.equal(await curl('ann', '/docs/home/ann/a'), 'Milk\n200')
        assert.match(await curl('ann', '/history/home/ann/a'), /"user":"ann".*200$/s)
        assert.match(await curl('bob', '/docs/home/ann/a'), /"code":"not_found".*404$/s)
        assert.match(await curl('ann', '/docs/public/a', [isNew], create), /"code":"forbidden".*403$/s)
    })

    await test('nginx with auth_request: who is not signed in reaches nothing', async () => {
        assert.match(await curl(null, '/docs/home/ann/a'), /401$/)
        assert.match(await curl(null, '/'), /401$/)
    })

    await test('nginx with auth_request: a field of the client is replaced, and one without a name is refused', async () => {
        assert.match(await curl('bob', '/docs/home/ann/a', ['X-Forwarded-User: ann']), /404$/)
        assert.match(await curl('', '/docs/home/ann/a', ['X-Forwarded-User: ann']), /"code":"unauthorized".*401$/s)
        assert.match(await curl('anonymous', '/docs/home/ann/a'), /"code":"unauthorized".*401$/s)
    })

    await test('nginx with auth_request: a page of another site gets nothing', async () => {
        const evil = 'Origin: https://evil.example'
        assert.match(await curl('ann', '/docs/home/ann/a', [evil]), /"code":"bad_origin".*403$/s)
        assert.match(await curl('ann', '/events/home/ann/a', [evil]), /403$/)
        const form = [evil, 'Content-Type: text/plain']
        assert.match(await curl('ann', '/append/home/ann/a', form, ['--data-binary', 'x']), /403$/)
        assert.match(await curl('ann', '/docs/home/ann/a', ['Sec-Fetch-Site: cross-site']), /403$/)
        const headers = { Host: name, Origin: 'https://evil.example', Cookie: 'user=ann' }
        assert.equal((await openWebSocket({ ...connection, headers })).status, 403)
    })

    await test('nginx with auth_request: the own page signs in over WebSocket, without a token', async () => {
        const headers = { Host: name, Origin: url, Cookie: 'user=ann' }
        const socket = await openWebSocket({ ...connection, headers })
        assert.equal(socket.status, 101)
        socket.send({ type: 'hello', protocol: 1, client: 'client-of-ann' })
        const welcome = await socket.receive('welcome')
        assert.equal(welcome.user, 'ann')
        assert.deepEqual(welcome.grants, [{ rights: 'write', prefix: 'home/ann/' }])
        socket.close()
    })

    await test('nginx with auth_request: an event stream arrives', async () => {
        const fields = ['-H', 'Cookie: user=ann', '-H', 'Sec-Fetch-Site: same-origin']
        const events = start('curl', ['-N', ...always, ...fields, `${url}/events/home/ann/a`])
        await events.line(/^data: \{"type":"opened".*"text":"Milk\\n"/)
        await events.stop()
    })

    await test('nginx with auth_request: the server logs a proxy that names no user', async () => {
        const earlier = server.lines.length
        await curl('', '/docs')
        await server.line(/ event=login_failed peer=127\.0\.0\.1:\d+ reason=no_user$/, earlier)
    })
}
