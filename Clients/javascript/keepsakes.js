// The keepsakes of all clients of one server on this device.
//
// A keepsake has the unsaved edits of one document: { server, client, number, account, user, name, creates,
// restores, earlier, time, bytes }. The first three members are its key. `client` is the secret id of the client that has
// made it, because the server recognises a repeated push only under this id. `account` is made from the token; it is null
// if there was none yet. `user` is undefined if neither the program nor the server has named the user. `restores`
// are the numbers that the client has used to restore the document, and `earlier` is the text of an earlier keepsake that
// this one continues from, if any.
import { CaretError } from './errors.js'

/** How long to wait for the storage, in milliseconds. */
const timeout = 5_000

export class Keepsakes {
    #keeping
    #server
    #account

    constructor(keeping, { server, token }) {
        this.#keeping = keeping
        this.#server = server
        this.token = token
    }

    /** The token of the client. Null if its program has not answered with one yet. */
    set token(token) { this.#account = accountOf(token) }

    async list() { return (await inTime(this.#keeping.list(this.#server))).filter(isKeepsake) }

    /** `document` is the DocumentState of an open document. Only BrowserKeeping uses it. */
    async put(keepsake, document) {
        await inTime(this.#keeping.put({ account: this.#account, ...keepsake, server: this.#server }, document))
    }

    async remove({ client, number }) { await inTime(this.#keeping.remove({ server: this.#server, client, number })) }

    /** Locks a client's id. Returns a function that ends this, or null if another tab has the lock. */
    lock(client, { wait = 0, lost = () => {} } = {}) {
        return inTime(this.#keeping.lock(this.#server, client, { wait, lost }))
    }

    /** The client id that this tab had before it was loaded again. */
    get remembered() { return this.#keeping.remembered?.(this.#server) }
    remember(client) { this.#keeping.remember?.(this.#server, client) }

    /**
     * Whether a keepsake belongs to this user. If one of both users is not known, they are certainly the same only if
     * the token is the same. Without a token, they are all `anonymous`, unless a proxy has named the user.
     */
    isOfUser(keepsake, user) {
        if (keepsake.user !== undefined && user !== undefined) return keepsake.user === user
        if (this.#account === null || keepsake.account !== this.#account) return false
        return this.#account !== '' || (keepsake.user ?? user ?? 'anonymous') === 'anonymous'
    }

    /** The ids that have keepsakes of this user only. Those with the newest keepsakes come first. */
    async clients(user) {
        const found = (await this.list()).sort((left, right) => right.time - left.time)
        const others = new Set(found.filter((keepsake) => !this.isOfUser(keepsake, user)).map(({ client }) => client))
        return [...new Set(found.map(({ client }) => client))].filter((client) => !others.has(client))
    }
}

/** Fails if the storage does not answer in time. */
async function inTime(promise) {
    let timer
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new CaretError('storage', 'the storage does not answer')), timeout)
    })
    try {
        return await Promise.race([promise, late])
    } finally {
        clearTimeout(timer)
    }
}

// Another version of the client may have stored something else.
function isKeepsake(found) {
    return typeof found?.client === 'string' && Number.isSafeInteger(found.number) && typeof found.name === 'string'
        && found.bytes instanceof Uint8Array
}

/**
 * A short hash of the token. It shows that two tokens are the same, but has far too few bits to find the token. It
 * needs no `crypto.subtle`, which pages over plain HTTP do not have.
 */
function accountOf(token = '') {
    if (!token) return token
    let [left, right] = [0x811c9dc5, 0x1b873593]
    for (const character of token) {
        left = Math.imul(left ^ character.codePointAt(0), 0x01000193)
        right = Math.imul(right ^ left, 0x85ebca6b) + character.codePointAt(0)
    }
    return [left, right].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}
