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
 * `read` is the client's. A text that cannot be read has no words.
 */
export class FirstLines {
    #read
    #show
    #later
    #inView = new Map()
    /** The names of texts to read now, and of those that have changed and are read after the pause. */
    #wanted = new Set()
    #changed = new Set()
    #reading = new Set()
    /** What was read: { version, words } by name. */
    #known = new Map()

    constructor(read, show, later = (...call) => setTimeout(...call)) {
        this.#read = read
        this.#show = show
        this.#later = later
    }

    /** The words that are known of a document. */
    words(name) { return this.#known.get(name)?.words ?? '' }

    entered(row) {
        this.#inView.set(row.name, row)
        this.#wanted.add(row.name)
        this.#readNext()
    }

    left(name) { this.#inView.delete(name) }

    changed(row) {
        if (!this.#inView.has(row.name)) return
        this.#inView.set(row.name, row)
        if (this.#changed.size === 0) this.#later(() => this.#pauseEnded(), pause)
        this.#changed.add(row.name)
    }

    #pauseEnded() {
        for (const name of this.#changed) this.#wanted.add(name)
        this.#changed.clear()
        this.#readNext()
    }

    #readNext() {
        for (const name of this.#wanted) {
            if (this.#reading.size >= most) return
            if (this.#reading.has(name)) continue
            this.#wanted.delete(name)
            const row = this.#inView.get(name)
            if (row && !row.isOnlyHere && this.#known.get(name)?.version !== versionOf(row)) this.#readWords(row)
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
