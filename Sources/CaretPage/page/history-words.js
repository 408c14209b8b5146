// The sentences and times of the history and of the comparison. It uses no page.
import { userName } from './user-name.js'
import { count } from './words.js'

const longestTag = 64
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const shortClock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

export function timeWords(time) { return `${day.format(time)}, ${clock.format(time)}` }
export function dayWords(time) { return shortDay.format(time) }
export function clockWords(time) { return shortClock.format(time) }
export function momentWords(time) { return `${dayWords(time)}, ${clockWords(time)}` }

/** How many characters a revision changed, such as '+5 −2'. */
export function changeWords({ inserted, deleted }) {
    const parts = [inserted > 0 && `+${inserted.toLocaleString('en')}`, deleted > 0 && `\u2212${deleted.toLocaleString('en')}`]
    return parts.filter(Boolean).join(' ') || '\u00b10'
}

/** The same for screen readers, which may leave out signs. */
export function spokenChange({ inserted, deleted }) {
    const parts = [inserted > 0 && `added ${count(inserted, 'character')}`, deleted > 0 && `removed ${count(deleted, 'character')}`]
    return parts.filter(Boolean).join(', ') || 'changed nothing'
}

/** What a screen reader says at a place of the slider. `author` and `revision` are null at the start. */
export function placeWords(place, { start, head }, revision, author, tags = []) {
    const which = [`Revision ${place} of ${head}`, ...tags].join(', ')
    if (!revision) return place === start ? `${which}, ${startWords(start)}` : which
    return `${which}, by ${author.name}, ${timeWords(revision.time)}, ${spokenChange(revision)}`
}

function startWords(start) {
    return start === 0 ? 'the empty document' : 'where the history begins'
}

/** Why 'Restore this' cannot be pressed; null if it can. */
export function restoreObstacle({ place, head, rights, isOnline, isGone }) {
    if (isGone) return 'The document was deleted'
    if (place === head) return 'This is the newest text'
    if (rights === 'read' || rights === 'none') return 'You may only read this document'
    return isOnline ? null : 'This needs a connection'
}

/**
 * Why a revision cannot have this name; null if it can. `tags` are the names that the document has:
 * { name, revision } each.
 */
export function tagObstacle(name, place, tags) {
    if (/\s/.test(name)) return 'A name has no spaces. Write - between the words.'
    if (!/^[a-z]/i.test(name)) return 'A name begins with a letter from A to Z.'
    if (!/^[\w.-]*$/.test(name)) return 'A name has only letters from A to Z, digits, -, _ and .'
    if (name.length > longestTag) return `A name has at most ${longestTag} characters. This one has ${name.length}.`
    const other = tags.find((tag) => tag.name === name)
    if (other) return other.revision === place ? 'This revision has the name already.' : `Revision ${other.revision} has this name. Remove it there first.`
    return null
}

/** Which revision has a name, and since when. */
export function tagWords({ revision, user, time }) {
    return [`Revision ${revision.toLocaleString('en')}`, userName(user) && `named by ${user}`, momentWords(time)].filter(Boolean).join(', ')
}

/** The counts of a difference. */
export function countWords({ changes, added, removed }) {
    return `${count(changes, 'change')}, ${count(added, 'line')} added, ${count(removed, 'line')} removed`
}
