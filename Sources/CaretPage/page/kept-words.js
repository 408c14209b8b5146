// What the page says about unsaved texts on this device that it cannot open. It uses no page.
import { shortName } from './document-name.js'
import { isOfLink } from './user-name.js'
import { timeAgo } from './words.js'

/** Whether this page cannot open a text. */
export function isForeign({ state }) { return ['otherUser', 'unknownUser', 'damaged'].includes(state) }

/** Whether the user may say that a text is theirs. */
export function isUnclaimed({ state, user }) { return state === 'unknownUser' && user === undefined }

/** Whose text it is, and what the user can do. */
export function adviceFor({ state, user, since }, now) {
    const when = `From ${timeAgo(since, now)}.`
    if (state === 'damaged') return `${when} This page cannot read it. A newer version of the page may be able to.`
    if (isUnclaimed({ state, user })) return `${when} It was typed before anybody was signed in. If it is yours, save it.`
    if (isOfLink(user)) return `${when} It was typed with a link. Open the same link again to save or copy it.`
    return user === undefined ? `${when} It belongs to another user. They can sign in to save it.`
        : `${when} It belongs to \u201c${shortName(user)}\u201d. Sign in as this user to save it.`
}
