// The connection of a client: one transport after the other.

export class Connection {
    #make
    #events
    #transport = null

    /** `make(server)` makes a transport. `events` has the functions `opened`, `received` and `closed` of Transport.start. */
    constructor(make, events) {
        this.#make = make
        this.#events = events
    }

    start(server) {
        const transport = this.#make(server)
        this.#transport = transport
        // Events of a transport that was given up are ignored.
        const pass = (name) => (argument) => { if (this.#transport === transport) this.#events[name](argument) }
        transport.start({ opened: pass('opened'), received: pass('received'), closed: pass('closed') })
    }

    stop() {
        const transport = this.#transport
        this.#transport = null
        transport?.close()
    }

    send(line) { this.#transport?.send(line) }
}

/** A transport that is started before its client is known. Its events wait for the client. */
export class StartedTransport {
    #transport
    #events = null
    #waiting = []

    constructor(transport) {
        this.#transport = transport
        const pass = (name) => (argument) => {
            if (this.#events) this.#events[name](argument)
            else this.#waiting.push([name, argument])
        }
        transport.start({ opened: pass('opened'), received: pass('received'), closed: pass('closed') })
    }

    start(events) {
        // As with every transport, not before the caller has returned.
        queueMicrotask(() => {
            this.#events = events
            for (const [name, argument] of this.#waiting.splice(0)) events[name](argument)
        })
    }

    send(line) { this.#transport.send(line) }
    close() { this.#transport.close() }
}

/** Whether a line has more than `limit` bytes. */
export function isLonger(line, limit) {
    // A UTF-16 code unit has at most three bytes of UTF-8.
    return 3 * line.length > limit && new TextEncoder().encode(line).length > limit
}
