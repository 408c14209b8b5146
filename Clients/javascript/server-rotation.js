// Which of several servers a client connects to next, and when. ServerRotation.swift is the same in Swift, and has
// the reasons.
//
// The client tries its servers in a fixed order. A round tries each server once, and within a round the client goes on
// to the next server at once. After a round without success it waits, and every such round makes the next wait longer.

const firstDelay = 500
const longestDelay = 30_000
/** The longest delay that a server can ask for. */
const longestRequestedDelay = 300_000

export class ServerRotation {
    #servers
    #index = 0
    /** Why servers have failed in this round. */
    #reasons = []
    /** The shortest delay that these servers have asked for. */
    #requested
    /** How many rounds have failed since the last welcome. */
    #failures = 0
    /** When the current connection was welcomed. */
    #welcomedAt = Infinity

    /** `servers` are URLs, in the order in which they are tried. */
    constructor(servers) { this.#servers = servers }

    /** The server that the client is connected to, or tries next. */
    get current() { return this.#servers[this.#index] }

    /** How long the attempt to connect to the current server may take. The last one of a round may take longer. */
    get timeout() { return this.#reasons.length + 1 < this.#servers.length ? 3_000 : 10_000 }

    welcomed(now) {
        this.#failures = 0
        this.#welcomedAt = now
    }

    /**
     * The client could not connect to the current server, or its connection has ended. Returns why, and the delay before
     * the next server is tried, which is the current one now. The delay is null if it is tried at once.
     *
     * After a round, the delay is twice the previous one, shortened by at most one half. `jitter` is a random number from
     * 0 to below 1. The delay is at least what each server has asked for, if all have.
     */
    failed({ reason, retryAfter = 0 }, now, jitter) {
        const count = this.#servers.length
        // A connection that has lasted begins a new round.
        if (now - this.#welcomedAt >= firstDelay) this.#reasons = []
        this.#welcomedAt = Infinity
        if (count > 1) reason = `${this.current.host}: ${reason}`
        this.#requested = Math.min(retryAfter, this.#reasons.length ? this.#requested : retryAfter)
        this.#index = (this.#index + 1) % count
        if (this.#reasons.push(reason) < count) return { reason, delay: null }
        reason = this.#reasons.join('; ')
        this.#reasons = []
        const delay = Math.min(firstDelay * 2 ** this.#failures++, longestDelay)
        const shortened = Math.floor(delay / 2 * (1 + jitter))
        return { reason, delay: Math.min(Math.max(shortened, this.#requested), longestRequestedDelay) }
    }
}
