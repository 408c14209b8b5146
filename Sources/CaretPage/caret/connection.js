// The connection of a client: one transport after the other.

export class Connection {
    #make
    #events
    #transport = null

    /** `make` makes a transport. `events` has the functions `opened`, `received` and `closed` of Transport.start. */
    constructor(make, events) {
        this.#make = make
        this.#events = events
    }

    start() {
        const transport = this.#make()
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

/** Whether a line has more than `limit` bytes. */
export function isLonger(line, limit) {
    // A UTF-16 code unit has at most three bytes of UTF-8.
    return 3 * line.length > limit && new TextEncoder().encode(line).length > limit
}
