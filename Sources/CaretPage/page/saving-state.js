// What the editor says about its document in its bar: a mark and words. Plain values in and out; the caller passes the
// time. saving-words.js has what it says if something needs the user.

/** How long something lasts before the editor mentions it, in milliseconds. */
const [sendingDelay, offlineDelay] = [300, 600]
export const slowDelay = 5_000
/** How long 'Saved' stays before only the tick is left. */
const savedTime = 2_000

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
     * { situation, status, isUrgent, wakeIn }. `status` is { mark, tone, words, isQuiet }: quiet words are for screen
     * readers only. `isUrgent` says that a banner or a page has more to say. `wakeIn` is in how many milliseconds
     * something changes; null if nothing will.
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
            situation, status: { ...status, isQuiet }, isUrgent: situation !== 'opening' || isOffline(facts, now),
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

/** Whether there has been no connection for so long that the user should know it. */
export function isOffline({ saving, link }, now) { return now - saving.since >= offlineDelay && link.state !== 'online' }

export function isSignedOut({ reason }) { return ['unauthorized', 'revoked', 'token_ended', 'signed_out'].includes(reason) }

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
