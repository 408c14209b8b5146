// Sentences that more than one screen uses.

/** What an error code means to a user. For other codes, the message of the server is shown. */
const meanings = {
    bad_edits: 'The server does not accept these changes. Copy the text and reload the page.',
    bad_name: 'This is not a name that a document can have.',
    bad_text: 'The text contains characters that the server does not accept.',
    closed: 'The page was closed.',
    damaged: 'The stored document is damaged, and the server has closed it. Tell the administrator.',
    epoch_changed: 'The document was deleted and created again.',
    exists: 'There is already a document with this name.',
    forbidden: 'You may only read this document.',
    internal: 'The server had an internal error.',
    line_too_long: 'The change is too long for one message.',
    not_found: 'There is no such document, or you may not read it.',
    other_user: 'Another user has signed in here. Reload the page to go on as this user.',
    overloaded: 'The server has too much to do. It will continue by itself.',
    rate_limited: 'The server asks to wait a moment.',
    seq_reused: 'Another window has saved changes in your name.',
    shutting_down: 'The server is stopping.',
    storage_failed: 'The server cannot write to its disk.',
    storage_full: 'The server\u2019s disk is full. It will continue by itself when there is room.',
    too_large: 'The document would be larger than the server allows.',
    unauthorized: 'The server does not know this token, or the token has ended.',
}

/** A sentence for an error of the client or the server. */
export function errorWords(error) {
    if (error.code && Object.hasOwn(meanings, error.code)) return meanings[error.code]
    return `${error.message ?? error}`.replace(/^./, (letter) => letter.toUpperCase()).replace(/[^.!?]$/, '$&.')
}

/** The state of the connection: { mark, words }. `now` is a `Date`. */
export function linkWords({ state, until, reason }, now) {
    switch (state) {
    case 'online': return { mark: 'tick', words: 'Connected' }
    case 'connecting': return { mark: 'offline', words: 'Connecting\u2026' }
    case 'waiting': {
        const seconds = Math.max(1, Math.ceil((until - now) / 1000))
        return { mark: 'offline', words: `Offline. Next attempt in ${seconds}\u00a0s` }
    }
    default: return { mark: 'alert', words: reason === 'closed' ? 'Closed' : 'Disconnected' }
    }
}

/** A number with separators, and the word for what it counts. */
export function count(number, one, many = `${one}s`) {
    return `${number.toLocaleString('en')}\u00a0${number === 1 ? one : many}`
}

const units = [[60, 'second'], [60, 'minute'], [24, 'hour'], [7, 'day'], [4.35, 'week'], [12, 'month'], [Infinity, 'year']]

/** How long ago a time was, such as '2 minutes ago'. */
export function timeAgo(time, now) {
    let amount = Math.max(0, (now - time) / 1000)
    if (amount < 45) return 'just now'
    for (const [size, unit] of units) {
        if (Math.round(amount) < size) return `${count(Math.round(amount), unit)} ago`
        amount /= size
    }
}
