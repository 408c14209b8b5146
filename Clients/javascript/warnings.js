// Warns on the console of a page when something is wrong and the page does not listen for it. Few pages need this file,
// so it is loaded only then.

const advice = {
    unauthorized: 'Pass a valid token to Caret.connect, as { token }.',
    token_ended: 'Pass a function to Caret.connect, as { token: () => … }, so that the client gets another token in time.',
    signed_out: 'The client has ended. Connect again when the user has signed in.',
    not_found: 'Open it with { create: true } to create it, or check the name and the token.',
    forbidden: 'Use a token with this right.',
}

/** Writes a sentence about a refusal of the server, a CaretError, to the console. */
export function warnOfRefusal(subject, { code, message }) {
    warn(`${subject}: ${message}. ${advice[code] ?? ''}`.trim())
}

/** The same about a server that was never reached, for which a browser does not say why, or about a token function. */
export function warnOfServer(server, reason) {
    // The server was not asked.
    if (reason.startsWith('the token function')) return warn(`${reason}. The client calls it again.`)
    const { origin } = globalThis.location ?? {}
    const site = origin === undefined || origin === server.origin ? ''
        : ` If it runs, add ${origin} to its web_origins, because this page comes from there.`
    warn(`cannot connect to ${server.origin}: ${reason}. Check that the server runs.${site} The client tries again.`)
}

const written = new Set()

/** Writes each sentence once. */
function warn(sentence) {
    if (written.has(sentence)) return
    written.add(sentence)
    console.warn(`caret.js: ${sentence}`)
}
