// Documents that no screen shows any more. Each stays open until the server has saved it, so that going back to the
// list of documents while offline loses nothing.

/** How long a saved document stays open. Users often come back at once. One that was refused may be created now. */
const delay = 1_000

export class LeftDocuments {
    /** A document is here once for each screen that has left it. */
    #documents = []

    /** A screen has shown this document, and closes it in this way. */
    leave(document) {
        this.#documents.push(document)
        const listener = new AbortController()
        let timer
        const close = () => {
            if (!isSettled(document)) return
            listener.abort()
            this.#documents.splice(this.#documents.indexOf(document), 1)
            document.close()
        }
        const check = () => {
            clearTimeout(timer)
            if (isSettled(document)) timer = setTimeout(close, document.saving.state === 'saved' ? delay : 0)
        }
        document.addEventListener('saving', check, { signal: listener.signal })
        check()
    }

    /** Whether changes would be lost if the page ended now. */
    get mayLose() { return this.#documents.some(mayLose) }
}

// While a document is offline or opening, `close` would wait and then give up.
function isSettled(document) {
    return ask(() => {
        const { state } = document.saving
        return state === 'saved' || (state === 'refused' && document.unsaved.length === 0)
    })
}

/** Whether a document has changes that are neither on the server nor kept on this device. */
export function mayLose(document) { return ask(() => document.unsaved.length > 0 && !(document.isKept ?? false)) }

/** The answer, or false if the document can no longer be read: after a fault of the module, or during a reload. */
function ask(question) {
    try {
        return question()
    } catch {
        return false
    }
}
