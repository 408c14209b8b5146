// The history of a document, as far as it is loaded: its revisions and its texts. It uses no connection and no page.
//
// A part begins with the text at a revision, its base, and has the revisions after it. Every part except the last one
// has `partSize` revisions. Parts far from where the user looks are dropped.
import { userName } from './user-name.js'

/** How many revisions one part has, and how many parts are held. */
export const partSize = 1000
const mostParts = 2

/** Changes of one author within this time are one step of playing, in milliseconds. */
const stepTime = 1000
/** More steps than these are joined into one edit, because each step copies the whole text. */
const mostSteps = 3

/** Whose change a revision is. Users without a name of their own are told apart by their clients. */
export function authorOf({ user, client }) {
    return userName(user) ? `user ${user}` : `client ${client}`
}

export class Timeline {
    /** The first revision whose text can be read, and the newest revision. */
    start
    head

    #core
    #parts = []
    /** The text at one revision of one part: { part, revision, text }. */
    #cursor = null
    /** The first revision of each day that is known. */
    #days = new Map()
    /** The times of the first and the last revision of each part that was ever loaded. */
    #edges = new Map()

    /** `core` has `apply`, `invert` and `compose`. */
    constructor(core, { start, head }) {
        this.#core = core
        this.start = start
        this.head = head
    }

    clamp(revision) { return Math.min(Math.max(revision, this.start), this.head) }

    /** The head has moved. */
    grow(head) { this.head = Math.max(this.head, head) }

    /** Whether the text at a revision is known, and what the revision changed. */
    holds(revision) {
        const part = this.#partAt(revision)
        return part !== undefined && revision <= lastOf(part)
    }

    /** What to load for a revision: { base, after, count, needsText }. Null if nothing is missing. */
    missing(revision) {
        if (this.holds(revision)) return null
        const part = this.#partAt(revision)
        const base = this.#baseOf(revision)
        const after = part ? lastOf(part) : base
        return { base, after, count: Math.min(base + partSize, this.head) - after, needsText: !part }
    }

    /** Adds what was missing. `revisions` follow each other, and each one has its edits. */
    add({ base, text, revisions }) {
        let part = this.#parts.find((one) => one.base === base)
        if (!part) {
            part = { base, text, revisions: [], inverses: new Map() }
            this.#parts.push(part)
            this.#parts.sort((left, right) => left.base - right.base)
        }
        const next = lastOf(part) + 1
        part.revisions.push(...revisions.filter(({ revision }) => revision >= next))
        this.#noteDays(part)
        this.#dropFarFrom(part)
    }

    /** A revision with its author, its time and its edits. Null if it is not loaded, and for the start. */
    revision(number) {
        const part = this.#partAt(number)
        return part?.revisions[number - part.base - 1] ?? null
    }

    /** All revisions that are loaded, oldest first. */
    get revisions() { return this.#parts.flatMap((part) => part.revisions) }

    /** The text at a revision that is loaded. */
    textAt(revision) {
        const part = this.#partAt(revision)
        this.#seek(part, revision)
        return this.#cursor.text
    }

    /**
     * What the revisions from `from` to `revision` did, as the text before them and their edits. All of them must be
     * in one part.
     */
    viewAt(revision, from = revision) {
        const part = this.#partAt(revision)
        if (revision === this.start) return { before: part.text, edits: [] }
        this.#seek(part, from - 1)
        const before = this.#cursor.text
        const edits = this.#editsBetween(part, from - 1, revision)
        this.#seek(part, revision)
        return { before, edits }
    }

    /**
     * The next revision after `place`, or before it with `direction` -1, which `author` made. A revision that is not
     * loaded is returned too: load it and call again. Null at the end.
     */
    nearest(place, direction, author = null) {
        for (let next = place + direction; next >= this.start && next <= this.head; next += direction) {
            if (author === null || !this.holds(next)) return next
            const revision = this.revision(next)
            if (revision && authorOf(revision) === author) return next
        }
        return null
    }

    /**
     * The next step of playing: { from, to }. What one author did within a second is one step. `to` may be a revision
     * that is not loaded: load it and call again. Null at the end.
     */
    step(place, author = null) {
        const from = this.nearest(place, 1, author)
        if (from === null) return null
        const first = this.revision(from)
        let to = from
        while (first) {
            const next = this.revision(to + 1)
            // The next part begins with a text of its own, so a step ends where a part ends.
            if (!next || this.#partAt(to + 1) !== this.#partAt(from)) break
            if (authorOf(next) !== authorOf(first) || next.time - first.time >= stepTime) break
            to++
        }
        return { from, to }
    }

    /** The first revision of each day that is known: { revision, time }, oldest first. */
    get days() { return [...this.#days.values()].sort((left, right) => left.revision - right.revision) }

    // The part in which a revision is the base only if it is the start, so that a revision is beside the text
    // before it.
    #baseOf(revision) {
        return this.start + Math.floor(Math.max(0, revision - this.start - 1) / partSize) * partSize
    }

    #partAt(revision) {
        const base = this.#baseOf(revision)
        return this.#parts.find((part) => part.base === base)
    }

    #noteDays(part) {
        for (const { revision, time } of part.revisions) {
            const before = this.revision(revision - 1)?.time ?? this.#edges.get(revision - 1)
            const isFirst = revision === this.start + 1 || (before !== undefined && !isSameDay(before, time))
            if (isFirst) this.#days.set(revision, { revision, time })
        }
        for (const one of [part.revisions[0], part.revisions.at(-1)]) if (one) this.#edges.set(one.revision, one.time)
        // The part after this one may begin with a new day, which could not be known before.
        const next = this.#parts.find(({ base }) => base === part.base + partSize)?.revisions[0]
        const last = this.#edges.get(part.base + partSize)
        if (next && last && !isSameDay(last, next.time)) this.#days.set(next.revision, { revision: next.revision, time: next.time })
    }

    #dropFarFrom(part) {
        const distance = (one) => Math.abs(one.base - part.base)
        while (this.#parts.length > mostParts) {
            const farthest = this.#parts.reduce((far, one) => (distance(one) > distance(far) ? one : far))
            this.#parts.splice(this.#parts.indexOf(farthest), 1)
        }
    }

    /** Moves the cursor to a revision of a part. */
    #seek(part, revision) {
        const cursor = this.#cursor
        if (cursor?.part !== part || Math.abs(cursor.revision - revision) > mostSteps) return this.#jump(part, revision)
        while (cursor.revision < revision) this.#forward(cursor)
        while (cursor.revision > revision) {
            if (!part.inverses.has(cursor.revision)) return this.#jump(part, revision)
            cursor.text = this.#core.apply(cursor.text, part.inverses.get(cursor.revision))
            cursor.revision--
        }
    }

    #forward(cursor) {
        const { part, revision, text } = cursor
        const { edits } = part.revisions[revision - part.base]
        part.inverses.set(revision + 1, this.#core.invert(edits, text))
        cursor.text = this.#core.apply(text, edits)
        cursor.revision++
    }

    #jump(part, revision) {
        const edits = this.#editsBetween(part, part.base, revision)
        this.#cursor = { part, revision, text: this.#core.apply(part.text, edits) }
    }

    /** The edits from the text at one revision to the text at a later one. */
    #editsBetween(part, from, to) {
        let changes = part.revisions.slice(from - part.base, to - part.base).map(({ edits }) => edits)
        // Joined in pairs, so that no edit is copied more often than the number of doublings.
        while (changes.length > 1) {
            const pairs = []
            for (let at = 0; at < changes.length; at += 2) {
                pairs.push(at + 1 < changes.length ? this.#core.compose(changes[at], changes[at + 1]) : changes[at])
            }
            changes = pairs
        }
        return changes[0] ?? []
    }
}

function lastOf(part) { return part.base + part.revisions.length }
function isSameDay(left, right) { return left.toDateString() === right.toDateString() }

/** The pieces of a text with what a change did: { kind, text }. Kinds are 'same', 'removed' and 'added'. */
export function piecesOf(before, edits) {
    const pieces = []
    let at = 0
    for (const { range: [start, end], text } of edits) {
        pieces.push({ kind: 'same', text: before.slice(at, start) }, { kind: 'removed', text: before.slice(start, end) },
            { kind: 'added', text })
        at = end
    }
    pieces.push({ kind: 'same', text: before.slice(at) })
    return pieces.filter(({ text }) => text.length > 0)
}

/**
 * The pieces without what is far from a change, for texts that would take long to lay out. A piece of the kind 'gap'
 * has `length`: how many characters are left out.
 */
export function shortened(pieces, most = 100_000, around = 20_000) {
    if (pieces.reduce((sum, { text }) => sum + text.length, 0) <= most) return pieces
    const hasChange = pieces.some(({ kind }) => kind !== 'same')
    return pieces.flatMap((piece, index) => {
        const keepsStart = index > 0 || piece.kind !== 'same' || !hasChange
        const keepsEnd = index < pieces.length - 1 || piece.kind !== 'same'
        return withGap(piece, keepsStart ? around : 0, keepsEnd ? around : 0)
    })
}

function withGap({ kind, text }, atStart, atEnd) {
    const [start, end] = [boundary(text, atStart), boundary(text, text.length - atEnd)]
    if (end <= start) return [{ kind, text }]
    const kept = [{ kind, text: text.slice(0, start) }, { kind: 'gap', length: end - start }, { kind, text: text.slice(end) }]
    return kept.filter((piece) => piece.kind === 'gap' || piece.text.length > 0)
}

// A cut between the two units of one character would show two characters that are not in the text.
function boundary(text, offset) {
    return /^[\udc00-\udfff]/.test(text.charAt(offset)) && offset > 0 ? offset - 1 : offset
}

/**
 * The revisions after which an author paused, or another one went on: moments that a user may look for. Each one is
 * the last revision of its group, with `count`: how many revisions are in the group.
 */
export function momentsOf(revisions, pause = 5 * 60_000) {
    const moments = []
    for (const revision of revisions) {
        const last = moments.at(-1)
        const continues = last && authorOf(last) === authorOf(revision) && revision.time - last.time < pause
            && isSameDay(last.time, revision.time)
        if (continues) moments[moments.length - 1] = { ...revision, count: last.count + 1 }
        else moments.push({ ...revision, count: 1 })
    }
    return moments
}

/** The marks that have room for a label: each one is at least `distance` after the one before. Offsets are shares. */
export function labelled(marks, distance) {
    let last = -Infinity
    return marks.map((mark) => {
        const hasLabel = mark.share - last >= distance && mark.share <= 1 - distance
        if (hasLabel) last = mark.share
        return { ...mark, hasLabel }
    })
}
