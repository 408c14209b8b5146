// How long a client waits before it tries to connect again.

const [firstDelay, longestDelay, longestRequestedDelay] = [500, 30_000, 300_000]

export class Backoff {
    #failures = 0

    /**
     * The delay after a failure: twice the previous one, shortened by at most one half. `jitter` is a random number from
     * 0 to below 1. The delay is at least `requested`, which the server may have asked for.
     */
    next(jitter, requested = 0) {
        // The seventh delay is the longest one, so counting further is of no use.
        this.#failures = Math.min(this.#failures + 1, 7)
        const delay = Math.min(firstDelay * 2 ** (this.#failures - 1), longestDelay)
        return Math.min(Math.max(Math.floor(delay / 2 + jitter * (delay / 2)), requested), longestRequestedDelay)
    }

    /** The client is online. */
    reset() { this.#failures = 0 }
}
