/** A timer for the earliest of several moments, as `performance.now()` counts them. */
export class Alarm {
    #ring
    #timer = null
    #at = Infinity

    /** `ring` is called at each moment that was set, unless an earlier moment was set too. */
    constructor(ring) { this.#ring = ring }

    set(moment) {
        if (this.#at <= moment) return
        this.#at = moment
        this.#start()
    }

    stop() {
        clearTimeout(this.#timer)
        this.#at = Infinity
    }

    #start() {
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => {
            // Node may fire a timer early: the delay counts from the start of Node's turn. The owner ignores a
            // moment that comes too early, and would not set another one.
            if (performance.now() < this.#at) return this.#start()
            this.#at = Infinity
            this.#ring()
        }, Math.max(0, this.#at - performance.now()) + 1)
    }
}
