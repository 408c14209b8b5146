// A backend and a server under one origin, as behind a proxy. The backend has users with sessions, and signs their tokens.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { run, temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd } from '../NodeSupport/suite.mjs'
import { passRequest, passUpgrade } from './changing-site.mjs'

const [audience, tokenPath] = ['notes.example.org', '/sign-in/token']

/** A new pair of keys: the file with the private one, and the options of a server that knows the public one. */
export async function makeSite() {
    const folder = temporaryFolder()
    const commands = 'openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out public.pem'
    assert.equal((await run('/bin/sh', ['-ec', `cd '${folder}' && ${commands}`])).status, 0)
    return {
        key: join(folder, 'key.pem'),
        options: [
            '--require-tokens', '--token-keys', join(folder, 'public.pem'), '--token-audience', audience,
            '--page-token-path', tokenPath,
        ],
    }
}

/**
 * Starts the site for a server at a port. `/sign-in/ann` signs ann in, and `/sign-out` signs everybody of a browser out.
 *
 * Each token is another one. `requests` has the fields of the requests for a token. A test may set `claims`, which are
 * options of `caret token sign`, and `answer`: a status, or a function that is called before the answer. While `isDown`,
 * nobody reaches the backend or the WebSocket of the server.
 */
export async function startJoinedSite(programs, port, { key }) {
    const site = { requests: [], claims: [], answer: null, isDown: false }
    const links = new Set()
    const backend = createServer(async (request, response) => {
        const { pathname } = new URL(request.url, 'http://127.0.0.1')
        if (pathname === tokenPath && request.method === 'POST') return answerToken(request, response)
        if (!pathname.startsWith('/sign-')) return passRequest(request, response, port)
        const user = pathname.replace(/^\/sign-(in\/)?/, '')
        const cookie = pathname === '/sign-out' ? 'session=; Max-Age=0' : `session=${user}`
        response.writeHead(303, { Location: '/', 'Set-Cookie': `${cookie}; Path=/; HttpOnly; SameSite=Strict` }).end()
    })

    async function answerToken(request, response) {
        site.requests.push(request.headers)
        if (site.isDown) return request.socket.destroy()
        if (typeof site.answer === 'function') await site.answer()
        const [, user] = request.headers.cookie?.match(/session=(\w+)/) ?? []
        const isFromPage = request.headers['caret-page'] === '1'
        const status = typeof site.answer === 'number' ? site.answer : user && isFromPage ? 200 : 401
        response.writeHead(status, { 'Cache-Control': 'no-store', 'Content-Type': 'text/plain' })
        response.end(status === 200 ? await sign(user, site.requests.length) : '')
    }

    async function sign(user, id) {
        const options = [`--user=${user}`, '--write=', `--audience=${audience}`, `--key=${key}`, `--id=${id}`]
        const { status, output, errors } = await run(resolve(programs, 'caret'), ['token', 'sign', ...options, ...site.claims])
        assert.equal(status, 0, errors)
        return output
    }

    backend.on('upgrade', (request, socket) => {
        if (site.isDown) return socket.destroy()
        const far = passUpgrade(request, socket, port)
        const link = { socket, far }
        links.add(link)
        socket.once('close', () => links.delete(link))
    })
    backend.listen(0, '127.0.0.1')
    await once(backend, 'listening')
    atEnd(() => { backend.close(), backend.closeAllConnections() })
    return Object.assign(site, {
        origin: `http://127.0.0.1:${backend.address().port}`,
        goOffline() {
            site.isDown = true
            for (const { socket } of links) socket.destroy()
        },
        goOnline() { site.isDown = false },
        /** From now on, the answers of the server wait. Those of later connections arrive. */
        holdAnswers() { for (const { socket, far } of links) far.unpipe(socket) },
    })
}
