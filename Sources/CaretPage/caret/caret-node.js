// The client of Caret for Node 18 or later, over TCP.
//
//     const caret = await connect('127.0.0.1', 22738)
//     caret.open('agenda', { create: true }).append('Bring a pen.\n')
//     await caret.close()
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { Caret } from './caret.js'

export * from './caret.js'

/** The most UTF-16 code units of a line of the server: more than five times what the default limits allow. */
const longestLine = 128 << 20
/** The most bytes that may wait for a server that reads too slowly. */
const longestOutput = 64 << 20

/** Loads the module, and begins to connect to a server. */
export async function connect(host = '127.0.0.1', port = 22738, options = {}) {
    const wasm = options.wasm ?? readFile(new URL('caret.wasm', import.meta.url))
    const makeID = () => randomBytes(16).toString('hex')
    return Caret.connect(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, {
        transport: lines(host, port), makeID, ...options, wasm,
    })
}

/** The transport over TCP: one message per line. */
export function lines(host, port) { return () => new LineTransport(host, port) }

class LineTransport {
    #host
    #port
    #socket = null
    #fault = 'the server closed the connection'

    constructor(host, port) {
        this.#host = host
        this.#port = port
    }

    start({ opened, received, closed }) {
        this.#socket = connectSocket({ host: this.#host, port: this.#port, noDelay: true })
        // The decoder joins a scalar that is split between two chunks.
        this.#socket.setEncoding('utf8')
        this.#socket.on('connect', opened)
        this.#socket.on('data', splitter(received, () => this.#end('the server sent a line that is too long')))
        this.#socket.on('error', (error) => { this.#fault = error.message })
        this.#socket.on('close', () => closed(this.#fault))
    }

    send(line) {
        this.#socket.write(line + '\n')
        if (this.#socket.writableLength > longestOutput) this.#end('the server reads too slowly')
    }

    close() { this.#socket.destroy() }

    #end(fault) {
        this.#fault = fault
        this.#socket.destroy()
    }
}

/** Calls `received` with each line. */
function splitter(received, tooLong) {
    let rest = ''
    return (chunk) => {
        const lines = chunk.split('\n')
        lines[0] = rest + lines[0]
        rest = lines.pop()
        for (const line of lines) received(line)
        if (rest.length > longestLine) tooLong()
    }
}
