// A site whose files change, as if the server was replaced by another version.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { connect as connectTCP } from 'node:net'
import { atEnd } from '../NodeSupport/suite.mjs'

const digestsPath = '/page/files.json'

/**
 * Starts a site that passes all requests on to the server at a port.
 *
 * A test may set `change`, which is called with each path of a file, its bytes and whether only their digest is
 * needed. It returns what to send, perhaps later. While `isDown`, the site answers nothing.
 */
export async function startChangingSite(port) {
    const state = { isDown: false, change: (path, bytes) => bytes }
    const site = createServer(async (request, response) => {
        if (state.isDown) return request.socket.destroy()
        const { pathname } = new URL(request.url, 'http://127.0.0.1')
        const isFile = /^\/(page|caret)\/|^\/service-worker\.js$/.test(pathname)
        if (!isFile || request.method !== 'GET') return passRequest(request, response, port)
        const { status, type, policy, bytes } = await read(port, pathname)
        try {
            const changed = status === 200 ? await state.change(pathname, await withDigests(port, state, pathname, bytes)) : bytes
            const tag = `"${createHash('sha1').update(changed).digest('hex')}"`
            if (policy) response.setHeader('Content-Security-Policy', policy)
            response.setHeader('Content-Type', type).setHeader('ETag', tag).setHeader('Cache-Control', 'no-cache')
            if (request.headers['if-none-match'] === tag) response.writeHead(304).end()
            else response.writeHead(status).end(changed)
        } catch {
            response.writeHead(404).end()
        }
    })
    site.on('upgrade', (request, socket) => {
        if (state.isDown) return socket.destroy()
        passUpgrade(request, socket, port)
    })
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    atEnd(() => { site.close(), site.closeAllConnections() })
    return Object.assign(state, { origin: `http://127.0.0.1:${site.address().port}` })
}

/** Passes a request to the server at a port, and its answer back. */
export function passRequest(request, response, port) {
    const { method, headers } = request
    const passed = httpRequest({ port, host: '127.0.0.1', path: request.url, method, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers)
        answer.pipe(response)
    })
    request.pipe(passed)
}

/** The answer of the server to a request for a file. */
async function read(port, path) {
    const request = httpRequest({ port, host: '127.0.0.1', path }).end()
    const [answer] = await once(request, 'response')
    const pieces = []
    for await (const piece of answer) pieces.push(piece)
    const { 'content-type': type, 'content-security-policy': policy } = answer.headers
    return { status: answer.statusCode, type, policy, bytes: Buffer.concat(pieces) }
}

/** The list of digests says what the changed files are. Another file stays as it is. */
async function withDigests(port, state, path, bytes) {
    if (path !== digestsPath) return bytes
    const digests = JSON.parse(bytes)
    for (const name of Object.keys(digests)) {
        const changed = await state.change(name, (await read(port, name)).bytes, true)
        digests[name] = createHash('sha1').update(changed).digest('hex')
    }
    return Buffer.from(JSON.stringify(digests))
}

/** Passes a request for a WebSocket to the server at a port. Returns the connection to it. */
export function passUpgrade(request, socket, port) {
    const far = connectTCP(port, '127.0.0.1')
    const fields = []
    for (let at = 0; at < request.rawHeaders.length; at += 2) fields.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`)
    far.write(`GET ${request.url} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
    socket.pipe(far).pipe(socket)
    socket.on('error', () => far.destroy())
    far.on('error', () => socket.destroy())
    return far
}
