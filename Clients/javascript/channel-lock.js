// A lock that one tab of a browser holds until it ends, or until it releases it, where the browser itself has no locks.

/** How long another tab may need to answer, in milliseconds. A tab in the background answers too. */
const answerTime = 2_000

/**
 * A lock by messages between tabs, for pages over plain HTTP, where browsers have no locks. A tab that wants the lock
 * asks, and has it if no other tab objects in time.
 *
 * The browser may stop a tab in the background completely, so that it cannot answer. When this tab continues, it finds
 * the question, and that it is too late. Then it has lost the lock, and calls `lost`.
 */
export async function lockByChannel(name, { wait = 0, lost = () => {}, patience = answerTime } = {}) {
    const deadline = Date.now() + wait
    for (;;) {
        const lock = new ChannelLock(name, patience, lost)
        if (await lock.isFree) return () => lock.release()
        if (Date.now() >= deadline) return null
    }
}

class ChannelLock {
    isFree
    #channel
    #patience
    #lost
    /** Of two tabs that ask at the same time, the one with the lower number gets the lock. */
    #number = Math.random()
    #isHeld = false

    constructor(name, patience, lost) {
        this.#channel = new BroadcastChannel(name)
        // Node must not wait for messages.
        this.#channel.unref?.()
        this.#patience = patience
        this.#lost = lost
        this.isFree = new Promise((resolve) => {
            const timer = setTimeout(() => resolve(true), patience)
            this.#channel.onmessage = ({ data }) => {
                if (this.#isHeld) return this.#defend(data)
                if (!data.isHeld && data.number > this.#number) return this.#ask()
                clearTimeout(timer)
                this.release()
                resolve(false)
            }
        }).then((isFree) => {
            this.#isHeld = isFree
            // If this tab was too busy to read an objection, both tabs find out now.
            if (isFree) this.#send({ isHeld: true })
            return isFree
        })
        this.#ask()
    }

    /** Also repeats the question for a tab that was not there when this one asked first. */
    #ask() { this.#send({ isHeld: false, until: Date.now() + this.#patience }) }

    #defend({ isHeld, until, number }) {
        // The other tab has the lock, because this tab was stopped when the other one asked.
        const hasLost = isHeld ? number < this.#number : Date.now() > until
        if (!hasLost) return this.#send({ isHeld: true })
        this.release()
        this.#lost()
    }

    #send(message) { this.#channel.postMessage({ ...message, number: this.#number }) }

    release() { this.#channel.close() }
}
