// If a tab already shows a document, and the user opens a link to the same document in this tab, the browser does not load
// the page again.

/** Loads the page again with the link. */
export function followPastedLinks(app) {
    window.addEventListener('hashchange', () => {
        if (location.hash.startsWith('#link=')) app.reload()
    })
}
