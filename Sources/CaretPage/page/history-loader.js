// Loads the history of a document into a timeline. It uses no page.
import { Timeline } from './timeline.js'

export class HistoryLoader {
    timeline = null
    /** The epoch in which the history was loaded. In another one, the same number is another text. */
    epoch = null

    #caret
    #name
    /** The last load. Loads run one after the other, because each one may make the next one needless. */
    #loading = Promise.resolve()

    /** `caret` is a client. */
    constructor(caret, name) {
        this.#caret = caret
        this.#name = name
    }

    /** Finds where the history begins and ends. Throws if there is no such document. */
    async open() {
        const [entry, first] = await Promise.all([documentEntry(this.#caret, this.#name), revisionAfter(this.#caret, this.#name)])
        const start = first ? first.revision - 1 : entry.revision
        this.epoch = entry.epoch
        this.timeline = new Timeline(this.#caret.core, { start, head: Math.max(start, entry.revision) })
    }

    /** Loads what the timeline needs for a revision. Throws if it is not kept any more. */
    load(revision) {
        const loading = this.#loading.catch(() => {}).then(() => this.#load(revision))
        this.#loading = loading
        return loading
    }

    async #load(revision) {
        const missing = this.timeline.missing(revision)
        if (!missing) return
        const { base, after, count, needsText } = missing
        const [found, revisions] = await Promise.all([
            needsText ? this.#caret.read(this.#name, { rev: base }) : null, this.#revisions(after, count),
        ])
        if ((found && found.epoch !== this.epoch) || revisions.length < count) throw new HistoryChanged()
        this.timeline.add({ base, text: found?.text, revisions })
    }

    async #revisions(after, count) {
        const revisions = []
        for await (const revision of this.#caret.history(this.#name, { after, edits: true, limit: count })) revisions.push(revision)
        return revisions
    }
}

/** The revision after another one, or the first that is kept. Null if there is none. */
export async function revisionAfter(caret, name, after) {
    for await (const revision of caret.history(name, { after, limit: 1 })) return revision
    return null
}

/** A document as lists have it, without its text. Throws if there is no such document. */
export async function documentEntry(caret, name) {
    const { docs: [entry] } = await caret.list({ prefix: name, limit: 1 })
    // Its name is the first one with this prefix. Reading a document that is missing throws the right error.
    return entry?.name === name ? entry : await caret.read(name)
}

/** The document was deleted and created again, or lost a part of its history, while it was loaded. */
class HistoryChanged extends Error {
    code = 'epoch_changed'
    message = 'The history of this document has changed.'
}
