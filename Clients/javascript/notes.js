// The notes of a document: remarks on its words, answers to them, and suggestions.

export class Notes {
    #request

    /** `request` sends a message about the document with this name. */
    constructor(request, name) {
        this.#request = (message) => request({ ...message, doc: name })
    }

    /** All notes, or those that were written or changed since a list with the count `since`. */
    async list({ since = 0 } = {}) {
        const pages = []
        for (let after = 0, more = true; more;) {
            const page = await this.#request({ type: 'list_notes', since, after, limit: 1000 })
            pages.push(page)
            after = page.notes.at(-1)?.note
            more = Boolean(page.more && after)
        }
        const [{ count, rights, whole = false }] = pages
        return { count, rights, whole, notes: pages.flatMap(({ rev, notes }) => notes.map((note) => seen(note, rev))) }
    }

    /** Writes a note on the words in `range`, in the text at `revision`, or on the whole document. */
    add(text, { range, revision } = {}) { return this.#add({ text, range, rev: revision }) }

    /** Suggests edits of the text at `revision`. */
    suggest(edits, { revision, text = '' }) { return this.#add({ text, edits, rev: revision }) }

    answer(number, text) { return this.#add({ parent: number, text }) }

    change(note, text) { return this.#change(note, { text }) }
    resolve(note) { return this.#change(note, { state: 'resolved' }) }
    reopen(note) { return this.#change(note, { state: 'open' }) }
    reject(note) { return this.#change(note, { state: 'rejected' }) }

    /** Commits the change of a suggestion. */
    accept(note) { return this.#change(note, { state: 'accepted' }) }

    async remove({ number, version }) { await this.#request({ type: 'remove_note', note: number, version }) }

    // If the answer is lost, the client sends the request again, which must not write a second note.
    #add(fields) { return this.#write({ type: 'add_note', request: randomID(), ...fields }) }

    #change({ number, version }, fields) { return this.#write({ type: 'change_note', note: number, version, ...fields }) }

    async #write(message) {
        const { note, version, rev } = await this.#request(message)
        return { number: note, version, revision: rev }
    }
}

// Browsers have `crypto.randomUUID` only on secure pages.
function randomID() { return crypto.getRandomValues(new Uint32Array(4)).join('-') }

/** A note of a page, whose ranges count in the text at this revision. */
function seen({ note, time, edited, ...rest }, revision) {
    return { number: note, revision, ...rest, time: new Date(time), edited: edited === undefined ? undefined : new Date(edited) }
}
