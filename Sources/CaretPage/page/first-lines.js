// The first words of the documents that are in view. The server is asked only for the beginning of a text.
import { cleanText } from './clean-text.js'

/** How much of a text is asked for, in UTF-16 code units. */
const length = 200
/** How many texts are read at a time. */
const most = 4
/** The shortest time between two reads of a text that somebody changes, in milliseconds. */
const pause = 3_000

/**
 * Calls `show(name, words)` for documents that are in view: when they come into view, and later when they have changed.
 * `read` is that of the client. A text that cannot be read has no words.
 */
export class FirstLines {
    #read
    #show
    #inView = new Map()
    #reading = new Set()
    /** What was read: { version, words } by name. */
    #known = new Map()
    #timer = null

    constructor(read, show) {
        this.#read = read
        this.#show = show
    }

    /** The words that are known of a document. */
    words(name) { return this.#known.get(name)?.words ?? '' }

    entered(row) {
        this.#inView.set(row.name, row)
        this.#readNext()
    }

    left(name) { this.#inView.delete(name) }

    changed(row) {
        if (!this.#inView.has(row.name)) return
        this.#inView.set(row.name, row)
        this.#timer ??= setTimeout(() => {
            this.#timer = null
            this.#readNext()
        }, pause)
    }

    #readNext() {
        for (const row of this.#inView.values()) {
            if (this.#reading.size >= most) return
            const isKnown = this.#known.get(row.name)?.version === versionOf(row)
            if (!isKnown && !row.isOnlyHere && !this.#reading.has(row.name)) this.#readWords(row)
        }
    }

    async #readWords(row) {
        const { name } = row
        const version = versionOf(row)
        this.#reading.add(name)
        let words = ''
        if (row.length > 0) {
            try {
                words = oneLine((await this.#read(name, { start: 0, end: length })).text)
            } catch {
                // It is read again when it has changed.
            }
        }
        this.#reading.delete(name)
        this.#known.set(name, { version, words })
        if (this.#inView.has(name)) this.#show(name, words)
        this.#readNext()
    }
}

function oneLine(text) { return cleanText(text.trim().replace(/\s+/g, ' ')) }

/** A document that was deleted and created again can have the same revision. */
function versionOf({ revision, updated }) { return `${revision} ${updated.getTime()}` }
