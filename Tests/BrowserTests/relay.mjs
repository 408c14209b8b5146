// A TCP relay between a browser and a server. It records which requests arrived, and how they were answered.
import { EventEmitter, once } from 'node:events'
import { connect, createServer } from 'node:net'
import { atEnd, within } from '../NodeSupport/suite.mjs'

/**
 * Starts a relay. `target` is the port that it passes new connections to. `statuses(count)` waits for the answers
 * to all requests since the last call, at least `count`, and returns their statuses. `cut()` ends all connections
 * without a word. `goOffline()` also refuses new ones, until `goOnline()`.
 */
export async function startRelay(target) {
    const changes = new EventEmitter()
    let answers = []
    const sockets = new Set()
    const server = createServer((near) => {
        const far = connect(relay.target, '127.0.0.1')
        // Each request of a browser, and each answer to it, begins a packet.
        const open = []
        near.on('data', (bytes) => {
            const [request] = bytes.toString('latin1').match(/^[A-Z]+ \S+ HTTP\/1\.1(?=\r\n)/) ?? []
            if (request) open.push(request), answers.push({ request }), changes.emit('change')
        })
        far.on('data', (bytes) => {
            const [, status] = bytes.toString('latin1').match(/^HTTP\/1\.1 (\d{3})/) ?? []
            const answer = status && answers.find((one) => one.request === open[0] && !one.status)
            if (answer) open.shift(), answer.status = Number(status), changes.emit('change')
        })
        sockets.add(near)
        near.once('close', () => sockets.delete(near))
        near.pipe(far).pipe(near)
        near.on('error', () => far.destroy())
        far.on('error', () => near.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => server.close())
    const relay = {
        target, port: server.address().port,
        cut() { for (const socket of sockets) socket.destroy() },
        goOffline() {
            // Nothing listens on this port.
            relay.target = 9
            relay.cut()
        },
        goOnline() { relay.target = target },
        async statuses(count) {
            const all = async () => {
                while (answers.length < count || answers.some((one) => !one.status)) await once(changes, 'change')
            }
            await within(all(), `${count} requests that are answered`)
            return answers.splice(0).map((one) => one.status)
        },
    }
    return relay
}
