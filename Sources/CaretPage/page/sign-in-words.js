// What the page says about a token.

/** Why the page asks for a token. Nothing if the user has not used one before. */
export function refusedWords(reason, hadToken) {
    if (reason === 'revoked') return 'Your token was revoked. You need another one.'
    if (reason === 'token_ended') return 'Your token has ended. You need another one.'
    return hadToken ? 'The server does not know your token, or it has ended.' : ''
}

/** What the user can do if the site signs its users in, and the page is signed out. */
export function siteWords(reason) {
    if (reason === 'signed_out') return 'You are not signed in to this site, or your session has ended. Sign in there, and then reload this page.'
    if (reason === 'revoked') return 'This site has signed you out. Sign in there again, and then reload this page.'
    return 'The server does not accept the tokens of this site. Tell the administrator.'
}

/** What is wrong while the page tries a token; nothing if nothing is. `now` is a `Date`. */
export function attemptWords({ state, reason, until }, now) {
    if (state === 'ended') {
        if (reason === 'unauthorized') return 'The server does not know this token, or it has ended.'
        if (reason === 'token_ended') return 'This token has ended.'
        return reason === 'revoked' ? 'This token was revoked.' : `The server refuses the connection: ${reason}.`
    }
    if (state !== 'waiting') return ''
    const seconds = Math.max(1, Math.ceil((until - now) / 1000))
    const next = `Next attempt in ${seconds}\u00a0s.`
    const isLimited = /\(rate_limited\)$/.test(reason)
    return `${isLimited ? 'Too many unknown tokens came from your network.' : 'The server cannot be reached.'} ${next}`
}
