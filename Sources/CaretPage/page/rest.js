// Loads the part of the page that the text of a document does not need: the list of documents, the history, the notes
// and others. So a first visit over a slow line shows the text before this part has arrived.

let loading = null

/** The exports of late.js. The first call loads them, with their style sheet. */
export function rest() {
    loading ??= load().catch(() => {
        // The next call tries again.
        loading = null
        throw new Error('A part of this page could not be loaded. Try again, or reload the page.')
    })
    return loading
}

async function load() {
    const [modules] = await Promise.all([import('./late.js'), loadStyles()])
    return modules
}

/** Browsers do not fetch a style sheet that is disabled. */
function loadStyles() {
    const link = document.getElementById('late-styles')
    if (!link.disabled) return
    return new Promise((resolve, reject) => {
        link.addEventListener('load', resolve, { once: true })
        link.addEventListener('error', () => {
            link.disabled = true
            reject()
        }, { once: true })
        link.disabled = false
    })
}
