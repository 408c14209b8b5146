// The names of documents, as the page shows them.
import { cleanText } from './clean-text.js'

/** The folder of a document, '' if it has none, and the last part of its name. */
export function partsOf(name) {
    const slash = name.lastIndexOf('/')
    return { folder: slash < 0 ? '' : name.slice(0, slash), title: name.slice(slash + 1) }
}

/** A name as people see it. One that has only invisible characters is shown with their codes. */
export function visibleName(name) {
    const clean = cleanText(name)
    return /[^\p{Z}\p{Cc}\p{Cf}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u.test(clean) ? clean : encodeURIComponent(name)
}

/** A name in a sentence or a title. */
export function shortName(name) {
    const characters = [...visibleName(name)]
    return characters.length > 64 ? `${characters.slice(0, 64).join('')}…` : characters.join('')
}
