// Finds out what only an open document has: what the user may do with it, and who is there.

/** The visits that have not ended, by the names of their documents. */
const visits = new Map()

/** Opens a document for a moment. The promise has { rights, peers }, or null if it cannot be opened. */
export function visit(app, name) {
    if (!visits.has(name)) visits.set(name, run(app, name).finally(() => visits.delete(name)))
    return visits.get(name)
}

async function run(app, name) {
    const open = app.caret.open(name)
    try {
        await open.opened()
        return { rights: open.rights, peers: open.peers }
    } catch {
        return null
    } finally {
        open.close().catch(() => {})
    }
}
