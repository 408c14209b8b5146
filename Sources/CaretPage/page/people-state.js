// Who has a document open: what the list of people says about them, and what a screen reader says when they come
// and go. Plain values in and out; the caller passes the time in milliseconds.
import { endsOf } from '../../../Clients/javascript/field-text.js'
import { peerName } from '../../../Clients/javascript/peer-look.js'
import { namesWords } from './people-words.js'
import { timeAgo } from './words.js'

/** For how long somebody counts as typing after their last change, and as active after any sign, in milliseconds. */
const [typingTime, activeTime] = [2_000, 60_000]
/** Comings and goings within this time are said in one sentence. */
const gatherTime = 5_000

/**
 * The people in one document. The client does not say who has made a change, but it tells where everybody's caret is:
 * the author's caret stands at the end of the change.
 */
export class PeopleState {
    #peers = []
    #seen = new Map()
    /** The people that the last sentence was about, by their clients; null before the first ones are known. */
    #announced = null
    #announceAt = null

    /** Others have come, gone or moved their carets. `isOnline` is false while nobody can be seen. */
    update(peers, now, { isOnline = true } = {}) {
        this.#peers = peers
        for (const { session, selections } of peers) {
            const caret = JSON.stringify(selections)
            const seen = this.#seen.get(session)
            if (!seen) this.#seen.set(session, { caret, activeAt: now, typedAt: -Infinity })
            else if (seen.caret !== caret) Object.assign(seen, { caret, activeAt: now })
        }
        const sessions = new Set(peers.map(({ session }) => session))
        for (const session of this.#seen.keys()) if (!sessions.has(session)) this.#seen.delete(session)
        if (isOnline) this.#prepareNews(now)
    }

    /** Somebody else has changed the text. `peers` have their carets after the change. */
    changed(edits, peers, now) {
        const ends = new Set(endsOf(edits))
        for (const { session, selections } of peers) {
            const seen = this.#seen.get(session)
            if (!seen || !selections.some(([, head]) => ends.has(head))) continue
            Object.assign(seen, { typedAt: now, activeAt: now })
        }
    }

    /** For each person: { peer, isTyping, offset, idle }. `idle` is '' for people who are active. */
    rows(now) {
        return this.#peers.map((peer) => {
            const { typedAt, activeAt } = this.#seen.get(peer.session)
            return {
                peer, isTyping: now - typedAt < typingTime, offset: peer.selections[0]?.[1] ?? null,
                idle: now - activeAt < activeTime ? '' : timeAgo(activeAt, now),
            }
        })
    }

    get peers() { return this.#peers }

    /** When to call `takeNews`; null if there is no news. */
    get newsAt() { return this.#announceAt }

    /** A sentence about who has come and gone since the last one; null if nobody has. */
    takeNews(now) {
        if (this.#announceAt === null || now < this.#announceAt) return null
        this.#announceAt = null
        const before = this.#announced
        const present = this.#present()
        this.#announced = present
        const came = [...present].filter(([client]) => !before.has(client)).map(([, name]) => name)
        const left = [...before].filter(([client]) => !present.has(client)).map(([, name]) => name)
        const sentences = [verbWords(came, 'joined'), verbWords(left, 'left')].filter(Boolean)
        return sentences.length > 0 ? sentences.join(' ') : null
    }

    #present() { return new Map(this.#peers.map((peer) => [peer.client, peerName(peer)])) }

    #prepareNews(now) {
        const present = this.#present()
        // Whoever was there first is no news.
        if (!this.#announced) return void (this.#announced = present)
        const differs = present.size !== this.#announced.size
            || [...present.keys()].some((client) => !this.#announced.has(client))
        if (differs) this.#announceAt ??= now + gatherTime
    }
}

function verbWords(names, verb) {
    if (names.length === 0) return null
    return `${namesWords(names)} ${names.length === 1 ? 'has' : 'have'} ${verb}.`
}

/** The number of the line with an offset, from 1. */
export function lineNumber(text, offset) {
    let number = 1
    for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) number++
    return number
}
