// What the page says about unsaved texts on this device that it cannot open. It uses no page.
import { shortName } from './document-name.js'
import { timeAgo } from './words.js'

/** Whose text it is, and what the user can do. */
export function adviceFor({ state, user, since }, now) {
    const when = `From ${timeAgo(since, now)}.`
    if (state === 'damaged') return `${when} This page cannot read it. A newer version of the page may be able to.`
    return user === undefined ? `${when} It belongs to another user. They can sign in to save it.`
        : `${when} It belongs to \u201c${shortName(user)}\u201d. Sign in as this user to save it.`
}
