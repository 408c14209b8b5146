// What a program sees of the keepsakes on this device, and what it can do with them. A text that it opens does not need
// this file, so it is loaded only for `Caret.kept`, `forget` and `claim`.
//
// The functions get parts of a Keeper: { keepsakes, client, user, documents, stored }.

/** See Kept in caret.d.ts. `restore` throws if the bytes are not a whole keepsake. */
export async function describe({ keepsakes, client, user, documents }, restore) {
    const all = await keepsakes.list()
    const isOwn = (keepsake) => keepsake.client === client && documents.has(keepsake.number)
    // A stored keepsake is removed a little later than its edits are saved.
    const found = all.filter((keepsake) => !isOwn(keepsake) || documents.get(keepsake.number).hasUnsaved)
    const others = [...new Set(found.map((keepsake) => keepsake.client))].filter((other) => other !== client)
    const locked = new Set()
    await Promise.all(others.map(async (other) => { if (await isLocked(keepsakes, other)) locked.add(other) }))
    const stateOf = (keepsake) => {
        if (locked.has(keepsake.client)) return 'otherTab'
        if (!canRestore(keepsake.bytes, restore)) return 'damaged'
        if (isOwn(keepsake)) return 'here'
        if (keepsakes.isOfUser(keepsake, user)) return 'waiting'
        return keepsake.user === undefined || user === undefined ? 'unknownUser' : 'otherUser'
    }
    return found.sort(byName).map((keepsake) => ({
        name: keepsake.name, user: keepsake.user, since: new Date(keepsake.time), state: stateOf(keepsake),
        id: `${keepsake.client} ${keepsake.number}`,
    }))
}

/** Removes a keepsake for good. Returns false if a document or another tab uses it. */
export async function forget({ keepsakes, client, documents, stored }, id) {
    const key = keyOf(id)
    if (key.client !== client) return whileLocked(keepsakes, key.client, () => keepsakes.remove(key))
    const kept = documents.get(key.number)
    if (kept?.isOpen) return false
    // From now on, `open` does not find it.
    documents.delete(key.number)
    await kept?.end()
    await keepsakes.remove(key)
    stored.delete(key.number)
    return true
}

/**
 * From now on, the edits of another client belong to this user, if their user is not known. All edits of one client are of
 * one person. Returns false if another tab uses them, or if the user is not known yet.
 */
export async function claim({ keepsakes, client, user }, id) {
    const key = keyOf(id)
    if (user === undefined || key.client === client) return false
    return whileLocked(keepsakes, key.client, async () => {
        const unnamed = (await keepsakes.list()).filter((one) => one.client === key.client && one.user === undefined)
        await Promise.all(unnamed.map((keepsake) => keepsakes.put({ ...keepsake, user })))
    })
}

/** The next client with this token must not choose the id of this client. */
export async function disown({ keepsakes, client }) {
    const found = (await keepsakes.list()).filter((one) => one.client === client)
    await Promise.all(found.map((keepsake) => keepsakes.put({ ...keepsake, account: null })))
}

function canRestore(bytes, restore) {
    try {
        restore(bytes)
        return true
    } catch (error) {
        if (error.code === 'trapped') throw error
        return false
    }
}

function keyOf(id) {
    // A client id may contain spaces.
    const space = id.lastIndexOf(' ')
    return { client: id.slice(0, space), number: Number(id.slice(space + 1)) }
}

async function whileLocked(keepsakes, client, task) {
    const release = await keepsakes.lock(client)
    if (!release) return false
    await task().finally(release)
    return true
}

async function isLocked(keepsakes, client) { return !await whileLocked(keepsakes, client, async () => {}) }

function byName(left, right) {
    return left.name < right.name ? -1 : left.name > right.name ? 1 : left.time - right.time
}
