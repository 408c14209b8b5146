// Locks that one tab of a browser holds until it ends, or until it releases them.
//
// Both functions return a promise of a function that releases the lock, or of null if another tab has it. `wait` is
// how many milliseconds to wait for it.

/** A lock of the browser. */
export function lockByManager(name, { wait = 0 } = {}) {
    const tooLate = new AbortController()
    const timer = wait > 0 ? setTimeout(() => tooLate.abort(), wait) : undefined
    const options = wait > 0 ? { signal: tooLate.signal } : { ifAvailable: true }
    return new Promise((resolve, reject) => {
        navigator.locks.request(name, options, (lock) => {
            clearTimeout(timer)
            if (lock) return new Promise((release) => resolve(release))
            resolve(null)
        }).catch((error) => (error.name === 'AbortError' ? resolve(null) : reject(error)))
    })
}

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
        this.#patience = patience
        this.#lost = lost
        this.isFree = new Promise((resolve) => {
            const decide = (isFree) => {
                clearTimeout(timer)
                if (!isFree) this.release()
                this.#isHeld = isFree
                resolve(isFree)
            }
            const timer = setTimeout(() => decide(true), patience)
            this.#channel.onmessage = ({ data }) => {
                if (this.#isHeld) this.#answer(data)
                else if (data.isHeld || data.number < this.#number) decide(false)
                // The other tab may not have been there when this one asked.
                else this.#ask()
            }
        })
        // Node must not wait for messages.
        this.#channel.unref?.()
        this.#ask()
    }

    #ask() { this.#channel.postMessage({ number: this.#number, until: Date.now() + this.#patience }) }

    #answer({ isHeld, until }) {
        // The other tab has the lock since its question has expired, or since this tab was stopped.
        if (isHeld || Date.now() > until) {
            this.release()
            this.#lost()
        } else {
            this.#channel.postMessage({ isHeld: true })
        }
    }

    release() { this.#channel.close() }
}
