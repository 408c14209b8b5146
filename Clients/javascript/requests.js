// The requests of a client that have no answer yet. Some were sent, the others wait to be sent.
import { isIdempotent } from './wire.js'

/** How many requests may be in flight at once. The server answers requests one after the other. */
const maxInFlight = 16
/** How many requests may be unanswered. An offline client keeps its requests until it connects again. */
export const maxUnanswered = 10_000

export class PendingRequests {
    #waiting = []
    /** Requests in flight, in the order in which they were sent. */
    #sent = []
    /**
     * When requests are sent again that the server has refused for a while; null if there are none. Over the next
     * connection, they are sent at once.
     */
    retryAt = null

    /** Adds a request. Returns false, and adds nothing, if the limit is reached. */
    add(message, id) {
        if (this.#waiting.length + this.#sent.length >= maxUnanswered) return false
        this.#waiting.push({ message, id })
        return true
    }

    /** Moves requests from waiting to sent, and returns the actions that send them. */
    nextToSend() {
        if (this.retryAt) return []
        const next = this.#waiting.splice(0, Math.max(0, maxInFlight - this.#sent.length))
        this.#sent.push(...next)
        return next.map(({ message, id }) => ({ do: 'send', message, id }))
    }

    /** Removes the sent request with this id, because it has its answer. Returns false if there is none. */
    complete(id) { return this.#remove(id) !== undefined }

    /**
     * Makes a sent request wait to be sent again, because the server did not carry it out. Nothing is sent before the
     * delay has passed, in milliseconds.
     */
    requeue(id, now, delay = 500) {
        const request = this.#remove(id)
        if (!request) return
        this.#wait([request])
        this.retryAt ??= now + delay
    }

    timePassed(now) { if (this.retryAt <= now) this.retryAt = null }

    /**
     * Handles the end of the connection. Returns the ids of the sent requests that are not idempotent: they must
     * fail, because the server may have carried them out already. The other sent requests wait to be sent again.
     */
    disconnected() {
        const lost = this.#sent.filter(({ message }) => !isIdempotent(message))
        this.#wait(this.#sent.filter(({ message }) => isIdempotent(message)))
        this.#sent = []
        this.retryAt = null
        return lost.map(({ id }) => id)
    }

    /** Removes all requests, and returns their ids. */
    removeAll() {
        const ids = [...this.#sent, ...this.#waiting].map(({ id }) => id)
        this.#sent = []
        this.#waiting = []
        return ids
    }

    /** Requests wait in the order in which the program has made them. */
    #wait(requests) { this.#waiting = [...requests, ...this.#waiting].sort(({ id }, other) => id - other.id) }

    #remove(id) {
        const index = this.#sent.findIndex((request) => request.id === id)
        return index < 0 ? undefined : this.#sent.splice(index, 1)[0]
    }
}
