// Gets the tokens of the page from the backend of the site, at the path that the HTML names. Few servers use this, so the
// file is loaded only for them.

/** With these statuses, the user is not signed in. Any other failure may pass, such as that of a backend that starts. */
const signedOut = [204, 401, 403]

/**
 * The token function of such a page. The token is in no storage, and the service worker does not handle the request,
 * because it is a POST.
 */
export const siteToken = (path, fetch = globalThis.fetch) => async () => {
    const response = await fetch(path, {
        method: 'POST', credentials: 'same-origin', redirect: 'error', cache: 'no-store',
        // A page of another site cannot send this field, unless the backend allows it.
        headers: { 'Caret-Page': '1' },
    })
    if (signedOut.includes(response.status)) return null
    if (!response.ok) throw new Error(`${path} has answered with status ${response.status}`)
    const token = (await response.text()).trim()
    // A page of HTML is no token. The server would refuse it, and the client would end.
    if (!/^[\w.-]+$/.test(token)) throw new Error(`${path} has answered with something that is no token`)
    return token
}
