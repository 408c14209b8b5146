// What a user may call a document: rules T1 and T8 of docs/protocol/semantics.md. Also names for files and commands.
import { partsOf, shortName } from './document-name.js'

const longest = 512

// Characters without a form of their own, and what has a form that depends on joiners and variation selectors.
const invisible = /[\p{Cf}\p{Zl}\p{Zp}\p{DI}]/u
const formed = /[^\0-\x7f\p{Cf}\p{Zl}\p{Zp}\p{DI}](\p{VS}?[\u200c\u200d][^\0-\x7f\p{Cf}\p{Zl}\p{Zp}\p{DI}])*\p{VS}?/gu

/** What is wrong with a name: a sentence for the user, or null if a document can have this name. */
export function nameProblem(name) {
    if (name === '') return 'Type a name.'
    if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'A name cannot contain control characters.'
    if (invisible.test(name.replace(formed, ''))) return 'A name cannot contain invisible characters.'
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

/**
 * What is wrong with a name for a user who may write only some documents: a sentence, or null if they may write this
 * one. `grants` is that of the client, undefined if the user may write all.
 */
export function grantProblem(name, grants) {
    if (!grants || grants.some(({ doc, prefix }) => prefix === undefined ? doc === name : name.startsWith(prefix))) return null
    const allowed = grants.slice(0, 3).map(({ doc, prefix }) => `“${prefix === undefined ? doc : `${prefix}…`}”`)
    return `You may write only ${allowed.join(', ')}${grants.length > 3 ? ' and some others' : ''}.`
}

/** The name that the user means: spaces at both ends are left out. */
export function typedName(text) { return text.replace(/^ +| +$/g, '') }

/**
 * What a user who types a name is told: { state, name, words }. The state is 'unfinished', 'invalid', 'exists' or
 * 'free'. `exists` says whether a document has a name, and `grants` which ones the user may write.
 */
export function validatedName(text, exists, grants) {
    const name = typedName(text)
    if (name === '') {
        return { state: 'unfinished', name, words: 'For example “agenda”, or “notes/today” to put it into a folder.' }
    }
    const problem = nameProblem(name)
    if (problem) return { state: name.endsWith('/') ? 'unfinished' : 'invalid', name, words: problem }
    if (exists(name)) return { state: 'exists', name, words: 'There is already a document with this name.' }
    const refusal = grantProblem(name, grants)
    if (refusal) return { state: grants.some(({ doc, prefix = doc }) => prefix.startsWith(name)) ? 'unfinished' : 'invalid', name, words: refusal }
    const { folder } = partsOf(name)
    return { state: 'free', name, words: folder ? `In the folder “${shortName(folder)}”.` : 'This name is free.' }
}

/** The name of the file that a document is downloaded to. */
export function fileName(name) {
    const title = partsOf(name).title.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069"*:<>?\\|]/gu, '_')
    return /.\.[^.\s]{1,8}$/.test(title) ? title : `${title}.txt`
}
