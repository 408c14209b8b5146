// Stores keepsakes of long texts in two records, so that a push does not store the whole text again. Few pages have
// such keepsakes, so this file is loaded only for them.
//
//     the text    { server, client, number, text, earlier }: the committed text of the moment when the record was
//                 stored, in UTF-8. `number` is that of the keepsake plus a random fraction
//     the rest    the members of the keepsake, but in place of `bytes` and `earlier`: `base`, the number of the text;
//                 `changes` of the committed text since then; and `head`, the bytes without the committed text
//
// Version 0.1.0 stores each keepsake in one record with its `bytes`, as this version does with short ones. It ignores
// records without `bytes`.
//
// Laws:
// - A record with a text never changes, and each has a number of its own. So a keepsake gets no text but its own.
// - A keepsake and the text that it needs are stored in one transaction.
// - If a text has no keepsake, nothing of its document is unsaved.

/** About how many bytes an edit takes in the storage, without its text. */
const editSize = 40
/** Above this size, the changes are no longer collected. In the same unit. */
const largestChanges = 100_000
/** How long the text of a saved document stays for the next edit, in milliseconds, while the page is visible. */
const spareTime = 60_000

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

export class LongTexts {
    #keeping
    #committedRange
    /**
     * The texts of the last calls of `put`, by the keys of their keepsakes. `isStored` is true after the call has
     * succeeded, `timer` is set while there is no keepsake, and `since` has what has changed since the call.
     */
    #texts = new Map()
    /** For each open document, what has changed since the last call of `put`. */
    #since = new WeakMap()

    /**
     * `keeping` is a BrowserKeeping, and `committedRange` that of replica.js. An import would make the files larger
     * that the page of the server loads first.
     */
    constructor(keeping, committedRange) {
        this.#keeping = keeping
        this.#committedRange = committedRange
        // After these events, the browser may end the page at any moment.
        globalThis.document?.addEventListener('visibilitychange', () => this.#dropSpare())
        if (globalThis.document) addEventListener('pagehide', () => this.#dropSpare())
    }

    /** `document` is the DocumentState of an open document. `isLong` means that two records are worth it. */
    async put(keepsake, document, isLong) {
        const key = keyOf(keepsake)
        const stored = this.#texts.get(String(key))
        clearTimeout(stored?.timer)
        const since = this.#since.get(document)
        if (document) this.#since.set(document, new ChangesSince(document))
        const isKnown = stored?.isStored && stored.since === since && stored.earlier === keepsake.earlier
        const text = isKnown && since?.changes ? addChanges(stored, since.changes) : null
        if (text) await this.#putRest(key, keepsake, { ...text, since: this.#since.get(document) })
        else if (isLong) await this.#putBoth(key, keepsake, this.#since.get(document))
        else await this.#putWhole(key, keepsake)
    }

    #putRest(key, keepsake, text) { return this.#putText(key, text, (store) => store.put(this.#rest(keepsake, text))) }

    #putBoth(key, keepsake, since) {
        const { bytes, earlier } = keepsake
        const [server, client, number] = key
        const committed = bytes.slice(...this.#committedRange(bytes))
        // Whole numbers are keys of keepsakes. A random number may be 0, and a sum is rounded.
        const base = number + 0.25 + Math.random() / 2
        const text = { base, earlier, since, length: committed.length, changes: [], size: 0 }
        return this.#putText(key, text, (store) => {
            store.delete(textsOf(key))
            store.put({ server, client, number: base, text: committed, earlier })
            return store.put(this.#rest(keepsake, text))
        })
    }

    /**
     * Stores a keepsake that needs this text. The next call does not rely on the text if this one has failed or has not
     * ended yet.
     */
    async #putText(key, text, request) {
        this.#texts.set(String(key), text)
        await this.#keeping.run('readwrite', request)
        text.isStored = true
    }

    async #putWhole(key, keepsake) {
        this.#texts.delete(String(key))
        await this.#keeping.run('readwrite', (store) => {
            store.delete(textsOf(key))
            return store.put(keepsake)
        })
    }

    /** Removes a keepsake. Its text stays for a while if this tab has stored it, because a next edit needs it. */
    async remove(key) {
        const id = String(key)
        const text = this.#texts.get(id)
        const isSpare = text?.isStored && !globalThis.document?.hidden
        if (!isSpare) this.#texts.delete(id)
        await this.#keeping.run('readwrite', (store) => {
            if (!isSpare) store.delete(textsOf(key))
            return store.delete(key)
        })
        // If this has failed, or if `put` was called meanwhile, a keepsake needs the text.
        if (isSpare && this.#texts.get(id) === text) this.#spare(id, text, key)
    }

    #spare(id, text, key) {
        clearTimeout(text.timer)
        text.timer = setTimeout(() => this.#drop(id, text), spareTime)
        // A test in Node must not wait for it.
        text.timer.unref?.()
        text.key = key
    }

    /** Only this text: a later client with the same id may have stored another one. */
    #drop(id, { key: [server, client], base, timer }) {
        clearTimeout(timer)
        this.#texts.delete(id)
        // If this fails, a later tab removes the text.
        this.#keeping.run('readwrite', (store) => store.delete([server, client, base])).catch(() => {})
    }

    /** Removes the texts that no keepsake needs now. */
    #dropSpare() { for (const [id, text] of this.#texts) if (text.timer !== undefined) this.#drop(id, text) }

    /** The keepsakes that are stored in these records, with their `bytes`. */
    join(records) {
        const texts = new Map(records.filter(({ text }) => text).map((record) => [String(keyOf(record)), record]))
        const keepsakes = records.filter(({ text }) => !text)
        const clients = new Set(keepsakes.map(clientOf))
        for (const text of texts.values()) {
            if (clients.has(clientOf(text))) continue
            clients.add(clientOf(text))
            // A later tab tries it again.
            this.#clean(text).catch(() => {})
        }
        return keepsakes.map((one) => {
            return one.head ? this.#whole(one, texts.get(String([one.server, one.client, one.base]))) : one
        })
    }

    /** A keepsake as it is stored beside its text. */
    #rest({ bytes, earlier, ...rest }, { base, changes }) {
        const [start, end] = this.#committedRange(bytes)
        return { ...rest, base, changes, head: joined(bytes.subarray(0, start), bytes.subarray(end)) }
    }

    /** The keepsake of two records. If they do not fit each other, it is damaged. */
    #whole({ base, changes, head, ...keepsake }, text) {
        try {
            const committed = encoder.encode(changed(decoder.decode(text.text), changes))
            const [start, end] = this.#committedRange(head)
            if (end - start !== committed.length) throw new RangeError('the text has another length')
            const bytes = joined(head.subarray(0, start), committed, head.subarray(start))
            return { ...keepsake, earlier: text.earlier, bytes }
        } catch {
            return { ...keepsake, bytes: new Uint8Array() }
        }
    }

    /** Removes the texts of a client that has no keepsakes, if its tab has ended. */
    async #clean({ server, client }) {
        const release = await this.#keeping.lock(server, client, { wait: 0, lost: () => {} })
        if (!release) return
        const range = IDBKeyRange.bound([server, client], [server, client, []])
        try {
            // The tab may have stored a keepsake before it has ended.
            const records = await this.#keeping.run('readonly', (store) => store.getAll(range))
            if (records.every(({ text }) => text)) await this.#keeping.run('readwrite', (store) => store.delete(range))
        } finally {
            release()
        }
    }
}

/** The changes of the committed text of a document from now on. */
class ChangesSince {
    /** Null if they are not known, or too many. */
    changes = []
    #size = 0
    #revision

    constructor(document) {
        this.#revision = revisionOf(document)
        document.heard = (message) => this.#heard(document, message)
    }

    #heard(document, { text, seq, edits = seq === document.pushed.seq ? document.pushed.edits : undefined }) {
        const revision = revisionOf(document)
        if (text === undefined && revision === this.#revision) return
        this.#revision = revision
        // Without edits, the whole text is new. A client that only reads must not collect changes for ever.
        this.#size += edits?.reduce((size, edit) => size + editSize + edit.text.length, 0) ?? Infinity
        if (this.#size > largestChanges) this.changes = null
        this.changes?.push(edits)
        if (!this.changes) document.heard = null
    }
}

function revisionOf(document) { return document.replica.state.position?.rev }

function keyOf({ server, client, number }) { return [server, client, number] }

function clientOf({ server, client }) { return `${server} ${client}` }

/** The keys of all texts of a keepsake. */
function textsOf([server, client, number]) {
    return IDBKeyRange.bound([server, client, number], [server, client, number + 1], true, true)
}

/**
 * The stored text with more changes; null if the whole text must be stored again. The changes are stored with each
 * push, and the text once for all of them. Both take about the same if the changes grow to the root of the length.
 */
function addChanges(text, changes) {
    const all = [...text.changes]
    let { size } = text
    for (const change of changes) {
        const [last, next] = [all.at(-1), change]
        const isTyping = last?.length === 1 && next.length === 1 && next[0].range[0] === next[0].range[1]
            && next[0].range[0] === last[0].range[0] + last[0].text.length
        if (isTyping) all.splice(-1, 1, [{ range: last[0].range, text: last[0].text + next[0].text }])
        else all.push(next.map(({ range, text }) => ({ range, text })))
        size += next.reduce((sum, edit) => sum + edit.text.length + (isTyping ? 0 : editSize), 0)
    }
    return size ** 2 > 64 * text.length ? null : { ...text, timer: undefined, isStored: false, changes: all, size }
}

function joined(...parts) {
    const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
    let end = 0
    for (const part of parts) {
        bytes.set(part, end)
        end += part.length
    }
    return bytes
}

/** The text after all changes. A copy of a long text for each change would take too long, so it is cut into pieces. */
function changed(text, changes) {
    const pieces = [text]
    /** The index of the piece that begins at this offset. */
    const cut = (offset) => {
        let index = 0
        while (index < pieces.length && offset >= pieces[index].length) offset -= pieces[index++].length
        if (offset === 0) return index
        pieces.splice(index, 1, pieces[index].slice(0, offset), pieces[index].slice(offset))
        return index + 1
    }
    for (const change of changes) {
        // From the last edit to the first, because all offsets are those before the change.
        for (const { range: [start, end], text } of [...change].reverse()) {
            const first = cut(start)
            pieces.splice(first, cut(end) - first, text)
        }
    }
    return pieces.join('')
}
