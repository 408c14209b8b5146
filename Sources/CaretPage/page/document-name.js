// Names of documents: rule T1 of docs/protocol/semantics.md, and the parts that the page shows.
import { cleanText } from './words.js'

const longest = 512

/** What is wrong with a name: a sentence for the user, or null if a document can have this name. */
export function nameProblem(name) {
    if (name === '') return 'Type a name.'
    if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'A name cannot contain control characters.'
    const bytes = new TextEncoder().encode(name).length
    if (bytes > longest) return `The name has ${bytes} bytes. At most ${longest} are allowed.`
    const parts = name.split('/')
    if (parts.slice(0, -1).includes('')) return 'Each slash needs a name before it.'
    if (parts.at(-1) === '') return 'Type a name after the slash.'
    const dots = parts.find((part) => part === '.' || part === '..')
    if (dots) return `No part of a name can be “${dots}”.`
    if (parts.some((part) => part.startsWith(' ') || part.endsWith(' '))) return 'Remove the space next to the slash.'
    return null
}

/** The name that the user means: spaces at both ends are left out. */
export function typedName(text) { return text.replace(/^ +| +$/g, '') }

/**
 * What a user who types a name is told: { state, name, words }. The state is 'unfinished', 'invalid', 'exists' or
 * 'free'. `exists` says whether a document has a name.
 */
export function validatedName(text, exists) {
    const name = typedName(text)
    if (name === '') {
        return { state: 'unfinished', name, words: 'For example “agenda”, or “notes/today” to put it into a folder.' }
    }
    const problem = nameProblem(name)
    if (problem) return { state: name.endsWith('/') ? 'unfinished' : 'invalid', name, words: problem }
    if (exists(name)) return { state: 'exists', name, words: 'There is already a document with this name.' }
    const { folder } = partsOf(name)
    return { state: 'free', name, words: folder ? `In the folder “${shortName(folder)}”.` : 'This name is free.' }
}

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

/** The name of the file that a document is downloaded to. */
export function fileName(name) {
    const title = partsOf(name).title.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069"*:<>?\\|]/gu, '_')
    return /.\.[^.\s]{1,8}$/.test(title) ? title : `${title}.txt`
}

/** A name as a word of a command in a shell. One that cannot be copied from the page stays NAME. */
export function shellWord(name) {
    if (visibleName(name) !== name) return 'NAME'
    return /^[\w./][\w./-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
}
