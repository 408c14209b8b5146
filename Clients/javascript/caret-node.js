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

const defaultPort = 22738
/** The most UTF-16 code units of a line of the server: more than five times what the default limits allow. */
const longestLine = 128 << 20
/** The most bytes that may wait for a server that reads too slowly. */
const longestOutput = 64 << 20

/**
 * Loads the module, and begins to connect to a server. Instead of a host and a port, there may be a list of several
 * servers over one database: 'host', 'host:port' or '[address]:port' each.
 */
export async function connect(host = '127.0.0.1', port = defaultPort, options = {}) {
    if (Array.isArray(host)) return connectTo(host.map(toURL), typeof port === 'object' ? port : options)
    return connectTo(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, options)
}

function connectTo(servers, options) {
    const wasm = options.wasm ?? readFile(new URL('caret.wasm', import.meta.url))
    const makeID = () => randomBytes(16).toString('hex')
    return Caret.connect(servers, { transport, makeID, ...options, wasm })
}

/** The URL that stands for a server of a list. */
function toURL(server) {
    const [, host, port = defaultPort] = /^(\[[^\]]*\]|[^:/]*)(?::(\d+))?$/.exec(server) ?? []
    if (!host) throw new TypeError(`${server} is not the address of a server`)
    return `http://${host}:${port}`
}

function transport({ hostname, port }) {
    // A URL has no port if it is the one of HTTP, and brackets around an IPv6 address.
    return new LineTransport(hostname.replace(/^\[|\]$/g, ''), Number(port || 80))
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
