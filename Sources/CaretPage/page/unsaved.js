// What only this page has, and what would be lost with it.

/** The document of the editor if it has edits that the server has not saved, or else null. */
export function unsavedDocument(app) {
    const { screen, name } = app.route ?? {}
    if (screen !== 'editor') return null
    // The editor has it open already, so this only finds it.
    const document = app.caret.open(name)
    return document.unsaved.length > 0 ? document : null
}

/**
 * Saves what is unsaved, and reloads the page. Returns false, and does nothing, if it cannot be saved now. `change` is
 * called first: the connection keeps its token until the reload.
 */
export async function reloadSafely(app, change = () => {}) {
    const document = unsavedDocument(app)
    if (document && (app.caret.link.state !== 'online' || document.saving.state === 'refused')) return false
    change()
    await app.reload()
    return true
}
