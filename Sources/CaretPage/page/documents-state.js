// The documents that the page lists: events of `Caret.follow` in, sections and rows out. Without a page and a clock.
import { partsOf } from './document-name.js'
import { notesName } from './notes-text.js'

const collator = new Intl.Collator('en', { numeric: true })

/**
 * All documents. `apply` returns what the page must draw: 'nothing', 'rows' if documents came or went, or the row
 * that has changed.
 *
 * Law: while the events of a new connection arrive, documents of the last connection stay listed. Those that the
 * server no longer has are removed at 'complete'.
 */
export class DocumentList {
    /** Whether all documents have arrived at least once. */
    isComplete = false
    #rows = new Map()
    /** The names that have arrived since 'restarted'; null after 'complete'. */
    #arrived = null
    #sorted = null
    /** The names of the documents with text that only this device has. */
    #kept = new Set()

    /** Whether the server has named this document. */
    has(name) { return this.#rows.get(name)?.isOnlyHere === false }

    apply(event) {
        switch (event.type) {
        case 'restarted':
            this.#arrived = new Set()
            return 'nothing'
        case 'document':
            this.#arrived?.add(event.name)
            return this.#update(event)
        case 'gone':
            this.#arrived?.delete(event.name)
            return this.#remove(event.name) ? 'rows' : 'nothing'
        case 'complete': return this.#complete()
        default: return 'nothing'
        }
    }

    /** Adds documents that a search on the server has found before all documents have arrived. */
    add(entries) {
        for (const entry of entries) this.#update(entry)
    }

    /**
     * Marks the documents with text that only this device has: { name, since } each. Those that the server has not named
     * are listed too. Returns whether anything has changed.
     */
    keep(entries) {
        const kept = new Map(entries.map(({ name, since }) => [name, since]))
        const changed = [...this.#kept].filter((name) => !kept.has(name)).concat([...kept.keys()].filter((name) => !this.#kept.has(name)))
        this.#kept = new Set(kept.keys())
        for (const name of changed) {
            const row = this.#rows.get(name)
            if (row) row.isKept = kept.has(name)
            if (row?.isOnlyHere) this.#remove(name)
            if (!row) this.#update({ name, length: null, updated: kept.get(name), revision: 0, isOnlyHere: true })
        }
        return changed.length > 0
    }

    #update({ name, length, updated, revision, isOnlyHere = false }) {
        const known = this.#rows.get(name)
        if (known) return Object.assign(known, { length, updated, revision, isOnlyHere })
        const row = { name, ...partsOf(name), folded: fold(name), length, updated, revision, isOnlyHere, isKept: this.#kept.has(name) }
        this.#rows.set(name, row)
        this.#sorted?.splice(this.#indexOf(row), 0, row)
        return 'rows'
    }

    #remove(name) {
        const row = this.#rows.get(name)
        if (!row) return false
        if (this.#kept.has(name)) {
            Object.assign(row, { isOnlyHere: true, length: null })
            return true
        }
        this.#rows.delete(name)
        this.#sorted?.splice(this.#indexOf(row), 1)
        return true
    }

    /** Where a row is among the sorted ones, or where it belongs. Sorting all again takes 100 times as long. */
    #indexOf(row) {
        let [low, high] = [0, this.#sorted.length]
        while (low < high) {
            const middle = (low + high) >> 1
            if (compare(this.#sorted[middle], row) < 0) low = middle + 1
            else high = middle
        }
        return low
    }

    #complete() {
        // Usually many documents have come at once.
        this.#sorted = null
        if (this.#arrived) for (const name of [...this.#rows.keys()]) if (!this.#arrived.has(name)) this.#remove(name)
        this.#arrived = null
        this.isComplete = true
        return 'rows'
    }

    /** All rows: first those without a folder, then folder by folder. Numbers in names are sorted as numbers. */
    get sorted() {
        this.#sorted ??= [...this.#rows.values()].sort(compare)
        return this.#sorted
    }

    /** All rows, those that were changed last first. */
    get newest() { return [...this.#rows.values()].sort((one, other) => other.updated - one.updated || byWords(one.name, other.name)) }

    /** The documents whose names contain a text, those that were changed last first. */
    find(text, limit) { return this.newest.filter((row) => this.#isFound(row, fold(text))).slice(0, limit) }

    /** The folders that have documents, in order. */
    get folders() { return [...new Set(this.sorted.map(({ folder }) => folder))].filter((folder) => folder !== '') }

    #isFound(row, wanted) { return wanted === '' ? !this.#belongsToAnother(row) : row.folded.includes(wanted) }

    #belongsToAnother({ name }) { return name.endsWith(notes) && this.#rows.has(name.slice(0, -notes.length)) }

    /**
     * What is shown: sections of { folder, count, isCollapsed, rows }, with at most `limit` rows, and how many rows
     * a higher limit would add. A search finds all names that contain its text, also in collapsed folders. The notes
     * of a document are reached through it, so only a search lists them.
     *
     * With the order 'newest', all rows are in one section without a folder.
     */
    shown({ search = '', collapsed = new Set(), limit = Infinity, order = 'name' } = {}) {
        const wanted = fold(search)
        if (order === 'newest') return this.#shownNewest(wanted, limit)
        const sections = []
        let room = limit
        let more = 0
        for (const row of this.sorted) {
            if (!this.#isFound(row, wanted)) continue
            let section = sections.at(-1)
            if (section?.folder !== row.folder) {
                if (room === 0) {
                    more++
                    continue
                }
                const isCollapsed = wanted === '' && row.folder !== '' && collapsed.has(row.folder)
                section = { folder: row.folder, count: 0, isCollapsed, rows: [] }
                sections.push(section)
            }
            section.count++
            if (section.isCollapsed) continue
            if (room > 0) {
                section.rows.push(row)
                room--
            } else {
                more++
            }
        }
        return { sections, more }
    }

    #shownNewest(wanted, limit) {
        const found = this.newest.filter((row) => this.#isFound(row, wanted))
        const rows = found.slice(0, limit)
        const section = { folder: '', count: found.length, isCollapsed: false, rows }
        return { sections: rows.length > 0 ? [section] : [], more: found.length - rows.length }
    }
}

/** The notes of a document are the document with its name and this ending. */
const notes = notesName('')

/** A text in which upper and lower case, and the encodings of the same letter, are equal. */
function fold(text) { return text.normalize('NFC').toLowerCase() }

function compare(left, right) {
    const byPlace = (left.folder !== '') - (right.folder !== '') || byWords(left.folder, right.folder)
    return byPlace || byWords(left.title, right.title)
}

function byWords(left, right) {
    // Names that read alike still need an order.
    return collator.compare(left, right) || (left < right ? -1 : left > right ? 1 : 0)
}
