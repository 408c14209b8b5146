// The listeners of `Caret.follow`. The server knows only one prefix per connection: the one that all share.

export class Followers {
    #followers = new Set()

    /** Returns the follower, for `remove`. */
    add(prefix, listener) {
        const follower = { prefix, listener }
        this.#followers.add(follower)
        return follower
    }

    /** Returns false if the follower was removed before. */
    remove(follower) { return this.#followers.delete(follower) }

    /** What all prefixes have in common; undefined if there is no follower. */
    get prefix() {
        const [first, ...others] = [...this.#followers].map(({ prefix }) => prefix)
        return first === undefined ? undefined : others.reduce(commonPrefix, first)
    }

    /** Passes an event about a document to the followers of its prefix, and other events to all. */
    deliver({ type, doc, reason, to, ...rest }) {
        const isAboutDocument = type === 'document' || type === 'gone'
        const event = type === 'document' ? { type, ...entry({ doc, ...rest }) }
            : type === 'gone' ? { type, name: doc, reason, to } : { type }
        for (const { prefix, listener } of [...this.#followers]) {
            if (!isAboutDocument || doc.startsWith(prefix)) listener(event)
        }
    }
}

/** A document in a list, as programs see it. */
export function entry({ doc, epoch, rev, length, updated }) {
    return { name: doc, epoch, revision: rev, length, updated: new Date(updated) }
}

function commonPrefix(left, right) {
    let length = 0
    while (length < left.length && left[length] === right[length]) length++
    // The prefix must not end between the halves of a surrogate pair.
    if (/[\ud800-\udbff]$/.test(left.slice(0, length))) length--
    return left.slice(0, length)
}
