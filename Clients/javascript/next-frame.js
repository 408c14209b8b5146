// When a bound field or editor handles the messages that wait.

/** A page that is visible but gets no frames, as in a hidden frame of another page, acts this late. */
const frameTimeout = 500
/** How long messages may wait after the last sign of a composition, in milliseconds, and how large they may get. */
export const [longestComposition, mostHeld] = [5_000, 256 * 1024]

/** Runs an action with the next frame of a page, once for all calls of `schedule` before it. */
export class NextFrame {
    #page
    #action
    #frame = null
    #timer = null

    /** Without a page, as in Node, the action runs as in a hidden page. */
    constructor(page, action) {
        this.#page = page
        this.#action = action
    }

    get isScheduled() { return this.#frame !== null }

    schedule() {
        if (this.#frame !== null) return
        // A hidden page gets no frames.
        if ((this.#page?.visibilityState ?? 'hidden') === 'hidden') {
            this.#frame = 0
            // Not now, because the client is still handling an event.
            return queueMicrotask(() => { if (this.#frame === 0) this.run() })
        }
        this.#frame = requestAnimationFrame(() => this.run())
        this.#timer = setTimeout(() => this.run(), frameTimeout)
    }

    run() {
        this.cancel()
        this.#action()
    }

    cancel() {
        // A frame of 0 is no frame of the page, and Node has none.
        if (this.#frame) cancelAnimationFrame(this.#frame)
        clearTimeout(this.#timer)
        this.#frame = null
    }
}
