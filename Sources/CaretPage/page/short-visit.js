// Finds out what only an open document has: what the user may do with it, and who is there.

/** The visits that have not ended, by the names of their documents. There is only one object for each open document. */
const visits = new Map()

/** Opens a document for a moment. The promise has { rights, peers }, or null if it cannot be opened. */
export function visit(app, name) {
    if (!visits.has(name)) visits.set(name, run(app, name).finally(() => visits.delete(name)))
    return visits.get(name)
}

async function run(app, name) {
    const open = app.caret.open(name)
    // An editor may still be saving in it, and closes it itself.
    const isOurs = open.saving.state === 'opening'
    try {
        await open.opened()
        return { rights: open.rights, peers: open.peers }
    } catch {
        return null
    } finally {
        // The user may have gone to the editor, which then uses this same object.
        const isEdited = app.route.screen === 'editor' && app.route.name === name
        if (isOurs && !isEdited) open.close().catch(() => {})
    }
}
