// The names of people, as text.

/** The name of a person as text. People may have no name, or one that shows nothing. */
export function nameWords({ name, user }) {
    const clean = (name || user || '').replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '').trim()
    return [...clean].slice(0, 64).join('') || 'Somebody'
}

/** 'Bob, Eve and 3 others', from a list of names. */
export function namesWords(names, most = 3) {
    if (names.length <= 1) return names.join('')
    const shown = names.length > most ? names.slice(0, most - 1) : names.slice(0, -1)
    const rest = names.length - shown.length
    return `${shown.join(', ')} and ${rest === 1 ? names.at(-1) : `${rest} others`}`
}
