// The keepsakes of all clients of one server on this device.
//
// A keepsake has the unsaved edits of one document: { server, client, number, account, user, name, creates,
// restores, earlier, time, bytes }. The first three members are its key. `client` is the secret id of the client that has
// made it, because the server recognises a repeated push only under this id. `account` is made from the token,
// and `user` is undefined if the client has never been connected. `restores` are the numbers that the client has used
// to restore the document, and `earlier` is the text of an earlier keepsake that this one continues from, if any.
import { CaretError } from './errors.js'
import { Replica } from './replica.js'

/** How long to wait for the storage, in milliseconds. */
const timeout = 5_000

export class Keepsakes {
    #keeping
    #server
    #account

    constructor(keeping, { server, token }) {
        this.#keeping = keeping
        this.#server = server
        this.#account = accountOf(token)
    }

    async list() { return (await inTime(this.#keeping.list(this.#server))).filter(isKeepsake) }

    async put(keepsake) {
        await inTime(this.#keeping.put({ account: this.#account, ...keepsake, server: this.#server }))
    }

    async remove({ client, number }) { await inTime(this.#keeping.remove({ server: this.#server, client, number })) }

    /** Locks a client's id. Returns a function that ends this, or null if another tab has the lock. */
    lock(client, { wait = 0, lost = () => {} } = {}) {
        return inTime(this.#keeping.lock(this.#server, client, { wait, lost }))
    }

    /** The client id that this tab had before it was loaded again. */
    get remembered() { return this.#keeping.remembered?.(this.#server) }
    remember(client) { this.#keeping.remember?.(this.#server, client) }

    /** Whether a keepsake was made with the token of this client, so that the user is certainly the same. */
    isOfAccount(keepsake) { return keepsake.account === this.#account }

    /** Whether a keepsake belongs to this user. */
    isOfUser(keepsake, user) {
        return keepsake.user === undefined ? this.isOfAccount(keepsake) : keepsake.user === user
    }

    /**
     * What the program sees of all keepsakes, sorted by name. `own` has the numbers of those that this client uses,
     * and whether their documents still have unsaved edits. `user` is undefined before the server has said it.
     */
    async describe(module, { client, own, user }) {
        const all = await this.list()
        // A stored keepsake is removed a little later than its edits are saved.
        const found = all.filter((keepsake) => keepsake.client !== client || own.get(keepsake.number) !== false)
        const others = [...new Set(found.map((keepsake) => keepsake.client))].filter((other) => other !== client)
        const locked = new Set()
        await Promise.all(others.map(async (other) => { if (await this.#isLocked(other)) locked.add(other) }))
        const stateOf = (keepsake) => {
            if (locked.has(keepsake.client)) return 'otherTab'
            if (!Replica.canRestore(module, keepsake.bytes)) return 'damaged'
            if (keepsake.client === client && own.has(keepsake.number)) return 'here'
            const isOwn = user === undefined ? this.isOfAccount(keepsake) : this.isOfUser(keepsake, user)
            return isOwn ? 'waiting' : 'otherUser'
        }
        return found.sort(byName).map((keepsake) => ({
            name: keepsake.name, user: keepsake.user, since: new Date(keepsake.time), state: stateOf(keepsake),
            id: `${keepsake.client} ${keepsake.number}`,
        }))
    }

    async #isLocked(client) {
        const release = await this.lock(client)
        release?.()
        return release === null
    }

    /** The ids whose keepsakes are all of one kind. Those with the newest keepsakes come first. */
    async clients(isOfKind) {
        const found = (await this.list()).sort((left, right) => right.time - left.time)
        const others = new Set(found.filter((keepsake) => !isOfKind(keepsake)).map(({ client }) => client))
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

function byName(left, right) {
    return left.name < right.name ? -1 : left.name > right.name ? 1 : left.time - right.time
}

/**
 * A short hash of the token. It shows that two tokens are the same, but has far too few bits to find the token. It
 * needs no `crypto.subtle`, which pages over plain HTTP do not have.
 */
function accountOf(token = '') {
    let [left, right] = [0x811c9dc5, 0x1b873593]
    for (const character of token) {
        left = Math.imul(left ^ character.codePointAt(0), 0x01000193)
        right = Math.imul(right ^ left, 0x85ebca6b) + character.codePointAt(0)
    }
    return token && [left, right].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}
