// The names of people, as text.

/** 'Bob, Eve and 3 others', from a list of names. */
export function namesWords(names, most = 3) {
    if (names.length <= 1) return names.join('')
    const shown = names.length > most ? names.slice(0, most - 1) : names.slice(0, -1)
    const rest = names.length - shown.length
    return `${shown.join(', ')} and ${rest === 1 ? names.at(-1) : `${rest} others`}`
}
