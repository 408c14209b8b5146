// The notes that the server has not saved yet. A page stores them, so that a reload loses none.
import { writeNote } from './notes-text.js'

export class Outbox {
    #entries

    /** `stored` is what `toJSON` has returned before. */
    constructor(stored = []) {
        this.#entries = (Array.isArray(stored) ? stored : []).filter(isNote)
            .map(({ time, author, text }) => ({ time, author, text, isInText: false, isStored: true }))
    }

    get isEmpty() { return this.#entries.length === 0 }

    /** The notes that are not yet in the text of the document. */
    get waiting() {
        return this.#entries.filter(({ isInText }) => !isInText)
            .map(({ time, author, text }) => ({ time: new Date(time), author, text }))
    }

    add({ time, author, text }) {
        this.#entries.push({ time: time.getTime(), author, text, isInText: false, isStored: false })
    }

    /** What to append to the text of the document. From now on, the notes are in the text. */
    handOver(documentText) {
        let added = ''
        for (const entry of this.#entries.filter(({ isInText }) => !isInText)) {
            const block = blockOf(entry)
            // Before the page was reloaded, the server may have saved the note without the page knowing.
            if (!entry.isStored || !documentText.includes(block)) added += block
            entry.isInText = true
        }
        // Another program may have written a last line without a line break.
        return added && documentText && !documentText.endsWith('\n') ? `\n${added}` : added
    }

    /** The server has saved everything that is in the text. */
    saved() { this.#entries = this.#entries.filter(({ isInText }) => !isInText) }

    /** The text is lost, because somebody has deleted the document. */
    textLost() {
        for (const entry of this.#entries) entry.isInText = false
    }

    /** Removes all notes, and returns their texts. */
    takeAll() { return this.#entries.splice(0).map(({ text }) => text) }

    toJSON() { return this.#entries.map(({ time, author, text }) => ({ time, author, text })) }
}

function blockOf({ time, author, text }) {
    return writeNote({ time: new Date(time), author, text })
}

function isNote(value) {
    return Number.isFinite(value?.time) && Math.abs(value.time) < 8e15 && typeof value.author === 'string'
        && typeof value.text === 'string' && value.text !== ''
}
