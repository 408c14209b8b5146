// Finding a text in another one. Without a page.

/** Where `wanted` is in a text: [start, end] each, in order and without overlaps. */
export function placesOf(text, wanted, { isCaseSensitive = false } = {}) {
    if (wanted === '') return []
    const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), isCaseSensitive ? 'gu' : 'giu')
    return Array.from(text.matchAll(pattern), ({ index, 0: found }) => [index, index + found.length])
}

/** The index of the first place at an offset or after it; 0 if all are before it. */
export function placeAfter(places, offset) {
    const index = places.findIndex(([start]) => start >= offset)
    return Math.max(0, index)
}

/** The edits that put a new text in all places. If they are more than a change may have, one edit replaces all from the first on. */
export function replacements(text, places, replacement, most = 10_000) {
    if (places.length <= most) return places.map((range) => ({ range, text: replacement }))
    const [start, end] = [places[0][0], places.at(-1)[1]]
    const between = places.slice(1).map(([next], index) => text.slice(places[index][1], next))
    return [{ range: [start, end], text: [replacement, ...between.map((part) => part + replacement)].join('') }]
}
