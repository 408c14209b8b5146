// A link that is opened in a tab that has the same document open already. The browser loads nothing then.

/** Loads the page again with the link. */
export function followPastedLinks(app) {
    window.addEventListener('hashchange', () => {
        if (location.hash.startsWith('#link=')) app.reload()
    })
}
