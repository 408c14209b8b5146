// What the editor says about its document: a mark and words in its bar, and a banner or a page of its own if
// something needs the user. Plain values in and out; the caller passes the time.
import { count, errorWords } from './words.js'

/** How long something lasts before the editor mentions it, in milliseconds. */
const [sendingDelay, slowDelay, offlineDelay] = [300, 5_000, 600]
/** How long 'Saved' stays before only the tick is left. */
const savedTime = 2_000

/** The actions of banners and pages. The editor runs them by their names. */
export const actionLabels = {
    now: 'Now', show: 'Show', copy: 'Copy', retry: 'Try again', discard: 'Discard', create: 'Create',
    createAgain: 'Create again', reload: 'Reload', signIn: 'Sign in',
}

/**
 * The situation of a document, as one word. `facts` has:
 *
 * - `saving`, `rights` and `link`, as the client has them
 * - `hasText`: the text has arrived at some time
 * - `gone`: why the document is gone, if the server said so while it was open
 * - `hasToken`: whether the user is signed in with a token, so that rights may end
 * - `error`: the refusal of the server as a CaretError, if there is one
 * - `isRestored`: the text is what this device has kept, and the server has not opened the document yet
 * - `unsaved`: how many changes are not saved
 * - `isKept`: whether these changes would survive the end of the page
 */
export function situationOf({ saving, rights, link, hasText, gone, isRestored }) {
    if (link.state === 'ended') return link.reason === 'trapped' ? 'trapped' : 'ended'
    // Refused edits hide in `saving` that the document is gone too.
    if (gone && saving.state === 'refused') return gone === 'damaged' ? 'damaged' : 'deleted'
    switch (saving.state) {
    case 'refused':
        if (saving.code === 'not_found') return hasText ? 'deleted' : 'missing'
        if (saving.code === 'damaged') return hasText ? 'damaged' : 'damagedPage'
        return hasText ? 'refused' : 'failed'
    // The user can write in a text that this device has kept, before the server has opened it.
    case 'opening': return isRestored ? 'offline' : 'opening'
    case 'offline': return 'offline'
    case 'sending': return 'sending'
    default: return rights === 'read' ? 'reading' : 'saved'
    }
}

/** Situations in which only the text is left. */
export const goneSituations = new Set(['deleted', 'damaged'])

/** Situations in which the text cannot be shown, and a page says why. */
export const pages = new Set(['missing', 'damagedPage', 'failed', 'trapped'])

/**
 * What the editor shows. It remembers what it has shown before: while edits are saved within 300 ms, nothing
 * blinks.
 */
export class SavingDisplay {
    #status = null
    /** Since when the bar shows this status. */
    #since = 0

    /**
     * { situation, status, banner, page, wakeIn }. `status` is { mark, tone, words, isQuiet }: quiet words are for
     * screen readers only. `wakeIn` is in how many milliseconds something changes; null if nothing will.
     */
    update(facts, now) {
        const situation = situationOf(facts)
        const age = Math.max(0, now - facts.saving.since)
        const next = this.#next(situation, facts, age)
        if (next && next.words !== this.#status?.words) [this.#status, this.#since] = [next, now]
        const shownFor = now - this.#since
        const isQuiet = this.#status?.fades === true && shownFor >= savedTime
        const { fades, ...status } = this.#status ?? opening
        return {
            situation, status: { ...status, isQuiet },
            banner: bannerFor(situation, facts, age, now), page: pages.has(situation) ? pageFor(situation, facts) : null,
            wakeIn: wakeIn(situation, facts, { age, now, fadesIn: fades && !isQuiet ? savedTime - shownFor : null }),
        }
    }

    /** The next status; null while the last one stays. */
    #next(situation, { link }, age) {
        switch (situation) {
        case 'opening': return opening
        case 'saved': return saved
        case 'sending':
            if (age < sendingDelay) return null
            return { mark: 'sending', tone: '', words: age < slowDelay ? 'Saving\u2026' : 'Still saving\u2026' }
        case 'offline': return age < offlineDelay ? null : { mark: 'offline', tone: 'warn', words: 'Offline' }
        case 'reading': return { mark: 'lock', tone: '', words: 'You may only read this' }
        case 'refused': return { mark: 'alert', tone: 'warn', words: 'Not saved' }
        case 'deleted': return { mark: 'bin', tone: 'warn', words: 'Deleted' }
        case 'ended': return { mark: 'offline', tone: 'warn', words: isSignedOut(link) ? 'Signed out' : 'Disconnected' }
        case 'missing': return { mark: 'search', tone: '', words: 'Not found' }
        case 'damaged': case 'damagedPage': return { mark: 'alert', tone: 'bad', words: 'Damaged' }
        default: return { mark: 'alert', tone: 'bad', words: 'Stopped' }
        }
    }
}

const opening = { mark: 'sending', tone: '', words: 'Opening\u2026' }
const saved = { mark: 'tick', tone: 'good', words: 'Saved', fades: true }

function isSignedOut({ reason }) { return reason === 'unauthorized' || reason === 'revoked' }

/** In how many milliseconds the display changes without an event. */
function wakeIn(situation, { link }, { age, now, fadesIn }) {
    const waits = [fadesIn]
    const limits = { sending: [sendingDelay, slowDelay], offline: [offlineDelay], opening: [offlineDelay] }
    for (const limit of limits[situation] ?? []) waits.push(limit > age ? limit - age : null)
    // The countdown shows whole seconds.
    if (link.state === 'waiting') waits.push((link.until - now) % 1000 || 1000)
    const moments = waits.filter((wait) => wait !== null && wait > 0)
    return moments.length > 0 ? Math.min(...moments) : null
}

// Banners.

/** { tone, sentence, detail, actions }; null if there is nothing to say. `detail` changes with each second. */
function bannerFor(situation, facts, age, now) {
    const { link, unsaved } = facts
    switch (situation) {
    case 'opening': case 'offline':
        if (age < offlineDelay || link.state === 'online') return null
        return {
            tone: 'calm', sentence: offlineSentence(situation, facts), detail: attemptWords(link, now),
            actions: link.state === 'waiting' ? ['now'] : [],
        }
    case 'refused': return refusedBanner(facts)
    case 'deleted':
        return { tone: 'warn', sentence: deletedSentence(facts), detail: '', actions: ['copy', 'createAgain'] }
    case 'damaged': return { tone: 'warn', sentence: errorWords({ code: 'damaged' }), detail: '', actions: ['copy'] }
    case 'ended': return {
        tone: 'warn', detail: '', actions: [...(unsaved > 0 ? ['copy'] : []), isSignedOut(link) ? 'signIn' : 'reload'],
        sentence: `${endSentence(link)}${unsaved > 0 ? ` ${notSaved(unsaved)}.` : ''}`,
    }
    default: return null
    }
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

/** { title, sentence, actions, hasText }. With `hasText`, the page shows the last text to copy. */
function pageFor(situation, facts) {
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
