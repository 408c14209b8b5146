// When to store the unsaved edits of one document, and when to remove them from the storage.
//
// It uses no clock and no storage. Each event is a method that returns the actions that the owner must run:
//
//     { do: 'write' }       store the current keepsake, and call `finished` or `failed`
//     { do: 'remove' }      remove the stored keepsake, and call `finished` or `failed`
//     { do: 'push' }        send the push that waits
//     { do: 'wake', at }    call `timePassed` at this moment or a little later
//
// Laws:
// - At most one action 'write' or 'remove' runs at a time.
// - A push is sent only after the storage has it. So a client that continues from the keepsake repeats exactly
//   this push, and the server recognises it. Only if the storage fails, the push is sent without it.
// - Edits that the user has undone or dropped are not kept until the storage has forgotten them too: a client that
//   continues from the old keepsake would enter them again. This does not matter for edits that the server has.

/** Between two writes there are at least this many milliseconds, and this many times what a write takes. */
const [shortestPause, pauseFactor] = [250, 20]
/** How long to wait after a failure of the storage. */
const pauseAfterFailure = 5_000

export class KeepSchedule {
    /** Grows with each change of the document. */
    #version = 0
    /** The version that the storage has; null if it has none. */
    #stored
    #hasUnsaved
    /** The action that runs: { version, isWrite, since }. */
    #running = null
    /** The next action must not begin before this moment, unless it is urgent. */
    #nextAt = -Infinity
    /** The version of the push that waits. */
    #push = null
    #isUrgent = false
    /** The storage has, or may get, edits that the user does not want any more. */
    #mustForget = false
    #hasFailed = false

    /** `isStored` means that the document continues from a stored keepsake. */
    constructor({ isStored = false } = {}) {
        this.#stored = isStored ? 0 : null
        this.#hasUnsaved = isStored
    }

    /** Whether a client that continues after this one would have the unsaved edits of this moment, and no others. */
    get isKept() { return this.#hasUnsaved ? this.#stored === this.#version : !this.#mustForget }

    /** Whether an action runs. */
    get isRunning() { return this.#running !== null }

    /**
     * The document has changed: by the user with `isOwn`, otherwise by the server. `isStored` compares its unsaved edits
     * with those that the storage has got last. A caret or a lost connection changes nothing of them.
     */
    changed(hasUnsaved, now, { isOwn = false, isStored = () => false } = {}) {
        if (!hasUnsaved && !this.#hasUnsaved) return []
        if (hasUnsaved && this.#hasUnsaved && this.isKept && isStored()) return []
        this.#version++
        this.#hasUnsaved = hasUnsaved
        this.#mustForget = !hasUnsaved && isOwn && (this.#stored !== null || this.#running !== null)
        // The user has dropped the edits before they were sent.
        if (!hasUnsaved) this.#push = null
        return this.#next(now)
    }

    /** A push waits, which was made by the last change. */
    pushed(now) {
        this.#push = this.#version
        return this.#next(now)
    }

    /** The push that waits is not needed any more. */
    pushDropped() { this.#push = null }

    /** The page may end soon, so nothing may wait. */
    hurried(now) {
        this.#isUrgent = true
        return this.#next(now)
    }

    timePassed(now) { return this.#next(now) }

    /** The last action 'write' or 'remove' has succeeded. */
    finished(now) {
        const { version, isWrite, since } = this.#running
        this.#running = null
        this.#stored = isWrite ? version : null
        if (!isWrite) this.#mustForget = false
        this.#hasFailed = false
        this.#nextAt = since + Math.max(shortestPause, pauseFactor * (now - since))
        return this.#next(now)
    }

    /** The last action 'write' or 'remove' has failed. */
    failed(now) {
        this.#running = null
        if (this.#stored === null) this.#mustForget = false
        this.#hasFailed = true
        this.#nextAt = now + pauseAfterFailure
        const actions = this.#push === null ? [] : [{ do: 'push' }]
        this.#push = null
        // Hurrying does not help now.
        this.#isUrgent = false
        return [...actions, ...this.#next(now)]
    }

    #next(now) {
        const actions = this.#sendPush()
        if (this.#running) return actions
        const isWrite = this.#hasUnsaved
        if (isWrite ? this.#stored === this.#version : this.#stored === null) {
            this.#isUrgent = false
            return actions
        }
        if (!this.#mayBegin(isWrite, now)) return [...actions, { do: 'wake', at: this.#nextAt }]
        this.#running = { version: this.#version, isWrite, since: now }
        this.#isUrgent = false
        return [...actions, { do: isWrite ? 'write' : 'remove' }]
    }

    #mayBegin(isWrite, now) {
        if (this.#isUrgent || now >= this.#nextAt) return true
        if (this.#hasFailed) return false
        if (this.#mustForget) return true
        // The first unsaved edit, and a push, do not wait.
        return isWrite && (this.#stored === null || this.#push !== null)
    }

    #sendPush() {
        const isReady = this.#push !== null && (this.#isStorageOff || (this.#stored ?? -1) >= this.#push)
        if (!isReady) return []
        this.#push = null
        return [{ do: 'push' }]
    }

    /** The storage has failed, and is not tried again yet. Pushes do not wait for it. */
    get #isStorageOff() { return this.#hasFailed && !this.#running }
}
