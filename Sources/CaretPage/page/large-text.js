// Tells the user about texts in which changes by others appear noticeably later.
import { notify } from './notices.js'

/** From this length on, in UTF-16 code units, a text is large. */
const largeText = 100 * 1024

/** The names of the large documents that the user knows about. */
const known = new Set()

export function warnOfLargeText(name, length) {
    if (length <= largeText || known.has(name)) return
    known.add(name)
    notify('A large text: changes by others appear a little later.')
}
