// The link between a tab and the server: a TCP relay that can be cut, can refuse connections, and can hold back what the
// server sends.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { atEnd } from '../NodeSupport/suite.mjs'

export class TypingLink {
    port
    #target
    #isOffline = false
    #isStalled = false
    /** For each connection: its end at the tab, its end at the server, and the bytes that were held back. */
    #pairs = new Set()

    static async start(target) {
        const link = new TypingLink()
        link.#target = target
        const server = createServer((near) => link.#accept(near))
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
        atEnd(() => (server.close(), link.cut()))
        link.port = server.address().port
        return link
    }

    #accept(near) {
        if (this.#isOffline) return near.destroy()
        const pair = { near, far: connect(this.#target, '127.0.0.1'), held: [] }
        const { far } = pair
        this.#pairs.add(pair)
        near.on('data', (bytes) => far.write(bytes))
        far.on('data', (bytes) => (this.#isStalled ? pair.held.push(bytes) : near.write(bytes)))
        for (const [end, other] of [[near, far], [far, near]]) {
            // The end of a connection is reported by 'close'.
            end.on('error', () => {}).on('close', () => (other.destroy(), this.#pairs.delete(pair)))
        }
    }

    /** Ends all connections without a word, and drops what was held back. */
    cut() { for (const { near } of this.#pairs) near.destroy() }

    offline() {
        this.#isOffline = true
        this.cut()
    }

    online() { this.#isOffline = false }

    /** From now on, what the server sends is held back. */
    stall() { this.#isStalled = true }

    flow() {
        this.#isStalled = false
        for (const { near, held } of this.#pairs) for (const bytes of held.splice(0)) near.write(bytes)
    }
}
