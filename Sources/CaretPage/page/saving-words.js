// What the editor says if something needs the user: a banner, or a page of its own. Plain values in and out; the caller
// passes the time. saving-state.js has the situations.
import { isOffline, isSignedOut, slowDelay } from './saving-state.js'
import { count, errorWords } from './words.js'

/** The actions of banners and pages. The editor runs them by their names. */
export const actionLabels = {
    now: 'Now', show: 'Show', copy: 'Copy', retry: 'Try again', discard: 'Discard', create: 'Create',
    bringBack: 'Bring back', reload: 'Reload', signIn: 'Sign in',
}

// Banners.

/** { tone, sentence, detail, actions }; null if there is nothing to say. `detail` changes with each second. */
export function bannerFor(situation, facts, now) {
    const { link, unsaved } = facts
    switch (situation) {
    case 'opening': case 'offline':
        if (!isOffline(facts, now)) return null
        return {
            tone: 'calm', sentence: offlineSentence(situation, facts), detail: attemptWords(link, now),
            actions: link.state === 'waiting' ? ['now'] : [],
        }
    case 'sending': return delayedBanner(facts, now)
    case 'refused': return refusedBanner(facts)
    case 'deleted':
        return { tone: 'warn', sentence: deletedSentence(facts), detail: '', actions: ['copy', 'bringBack'] }
    case 'damaged': return { tone: 'warn', sentence: errorWords({ code: 'damaged' }), detail: '', actions: ['copy'] }
    case 'ended': return {
        tone: 'warn', detail: '', actions: [...(unsaved > 0 ? ['copy'] : []), isSignedOut(link) ? 'signIn' : 'reload'],
        sentence: `${endSentence(link)}${unsaved > 0 ? ` ${notSaved(unsaved)}.` : ''}`,
    }
    default: return null
    }
}

/** The client tries again by itself, so there is nothing to press. */
function delayedBanner(facts, now) {
    if (!facts.saving.code || now - facts.saving.since < slowDelay) return null
    return { tone: 'warn', sentence: `${notSaved(facts.unsaved)}. ${reasonOf(facts)}`, detail: '', actions: ['copy'] }
}

function refusedBanner(facts) {
    const { unsaved } = facts
    const reason = reasonOf(facts)
    if (unsaved === 0) return { tone: 'warn', sentence: reason, detail: '', actions: ['retry'] }
    return {
        tone: 'warn', sentence: `${notSaved(unsaved)}. ${reason}`, detail: '',
        actions: ['show', 'copy', 'retry', 'discard'],
    }
}

function offlineSentence(situation, { unsaved, isKept }) {
    if (situation === 'opening') return 'Offline. The text appears as soon as there is a connection.'
    if (unsaved === 0) return 'Offline. You can go on writing.'
    if (isKept) return 'Offline. Kept on this device.'
    return 'Offline. Keep this tab open: your changes are only here.'
}

function attemptWords({ state, until }, now) {
    if (state !== 'waiting') return 'Connecting\u2026'
    return `Next attempt in ${Math.max(1, Math.ceil((until - now) / 1000))}\u00a0s`
}

// To users with a token, the server does not tell whether a document was deleted, or renamed to where they may not
// read it.
function deletedSentence({ gone, hasToken, unsaved }) {
    const what = gone === 'deleted' && !hasToken ? 'This document was deleted.'
        : 'This document was deleted, or you may no longer read it.'
    return `${what} ${unsaved > 0 ? `${notSaved(unsaved)}, but the text is still here.` : 'Its last text is still here.'}`
}

function endSentence(link) {
    if (link.reason === 'replaced') return 'Another window has continued in place of this one.'
    if (link.reason === 'closed') return 'This page has closed its connection.'
    if (isSignedOut(link)) return 'You are signed out.'
    return errorWords({ code: link.reason, message: `The server has ended the connection: ${link.reason}` })
}

/** '1 change is not saved'. */
export function notSaved(number) {
    return number === 1 ? '1\u00a0change is not saved' : `${count(number, 'change')} are not saved`
}

/** Why the server has refused the changes or the document. */
export function reasonOf({ saving, error, limits }) {
    // The error may be an older one. All codes that the client does not distinguish are 'other'.
    const isCurrent = error && (saving.code === 'other' || saving.code === error.code)
    const { code, message } = isCurrent ? error : { code: saving.code, message: `The server says: ${saving.code}` }
    const sentence = errorWords({ code, message })
    if (code !== 'too_large' || !limits?.document) return sentence
    return `${sentence} The limit is ${sizeWords(limits.document)}.`
}

function sizeWords(bytes) {
    const [size, unit] = bytes >= 1 << 20 ? [bytes / (1 << 20), 'MiB'] : bytes >= 1 << 10 ? [bytes / (1 << 10), 'KiB']
        : [bytes, 'bytes']
    return `${size.toLocaleString('en', { maximumFractionDigits: 1 })}\u00a0${unit}`
}

// Pages.

/** { title, sentence, actions, hasText } of a situation in `pages`. With `hasText`, the page shows the text to copy. */
export function pageFor(situation, facts) {
    switch (situation) {
    case 'missing': return {
        title: 'There is nothing here yet', actions: ['create'], hasText: false,
        sentence: 'No document has this name, or you may not read it.',
    }
    case 'damagedPage': return {
        title: 'This document is damaged', sentence: errorWords({ code: 'damaged' }), actions: [], hasText: false,
    }
    case 'trapped': return {
        // Nobody can ask the module any more what is saved.
        title: 'This page has a fault', actions: ['copy', 'reload'], hasText: true,
        sentence: 'What you typed last may not be saved. Copy the text before you reload the page.',
    }
    default: return {
        title: 'This document cannot be opened', sentence: reasonOf(facts), actions: ['retry'], hasText: false,
    }
    }
}
