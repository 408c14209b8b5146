// What only this page has, and what would be lost with it.
import { mayLose } from './may-lose.js'

/**
 * Saves what is unsaved, calls `change`, and reloads the page. Returns false, and does nothing, if something cannot be
 * saved now. The connection keeps its token until the reload.
 */
export async function reloadSafely(app, change = () => {}, { pause = 200 } = {}) {
    for (let turn = 0; mayLose(); turn++) {
        // After 4 s, `Caret.close` would give up too.
        if (app.caret.link.state !== 'online' || turn === 20) return false
        await new Promise((later) => setTimeout(later, pause))
    }
    await change()
    await app.reload()
    return true
}

/** The document of the editor if it has edits that the server has not saved, or else null. */
export function unsavedDocument(app) {
    const { screen, name } = app.route ?? {}
    if (screen !== 'editor') return null
    try {
        // The editor has it open already, so this only finds it.
        const document = app.caret.open(name)
        document.close()
        return document.unsaved.length > 0 ? document : null
    } catch {
        // The client has met a fault. The editor shows the text then.
        return null
    }
}

/** Removes all that the page has stored in the browser's storages. Both may be forbidden. */
export function emptyStorages(...names) {
    for (const name of names) {
        try {
            const storage = globalThis[name]
            for (const key of Object.keys(storage)) if (key.startsWith('caret')) storage.removeItem(key)
        } catch {
            // Where storage is forbidden, nothing is stored.
        }
    }
}
