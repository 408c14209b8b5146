// Documents that no screen shows any more. Each stays open until the server has saved it, so that going back to the
// list of documents while offline loses nothing.

/** How long a saved document stays open. Users often come back at once. One that was refused may be created now. */
const delay = 1_000

export class LeftDocuments {
    #timers = new Map()
    #listeners = new Map()

    /** A screen has shown this document, and does not need it any more. */
    leave(document) {
        this.take(document)
        const listener = new AbortController()
        this.#listeners.set(document, listener)
        const check = () => this.#check(document)
        document.addEventListener('saving', check, { signal: listener.signal })
        check()
    }

    /** A screen shows this document again. */
    take(document) {
        this.#listeners.get(document)?.abort()
        this.#listeners.delete(document)
        clearTimeout(this.#timers.get(document))
        this.#timers.delete(document)
    }

    /** Whether changes would be lost if the page ended now. */
    get mayLose() { return [...this.#listeners.keys()].some(mayLose) }

    #check(document) {
        clearTimeout(this.#timers.get(document))
        if (!isSettled(document)) return
        this.#timers.set(document, setTimeout(() => {
            if (!isSettled(document)) return
            this.take(document)
            document.close()
        }, document.saving.state === 'saved' ? delay : 0))
    }
}

// While a document is offline or opening, `close` would wait and then give up.
function isSettled(document) {
    const { state } = document.saving
    return state === 'saved' || (state === 'refused' && document.unsaved.length === 0)
}

/** Whether a document has changes that are neither on the server nor kept on this device. */
export function mayLose(document) {
    try {
        return document.unsaved.length > 0 && !(document.isKept ?? false)
    } catch {
        // After a fault of the module, nobody can tell. The page shows the text.
        return false
    }
}
