// What other people look like: their colors and names.

/** More carets than these would hide the text. */
export const mostPeers = 100
const longestName = 64

/**
 * Colors for people. White text is readable on each of them, and each of them is easy to see on white and on a
 * dark background.
 */
export const palette = [
    '#1074cc', '#d92f23', '#218431', '#8658d7', '#bb540f', '#077d95', '#d62578', '#597d11', '#4b69e1', '#9a6908',
    '#b834cc', '#0a8264',
]

/** The color of a peer, which is safe to use in a style. */
export function peerColor({ color, client = '' }) {
    if (/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)) return color
    const hash = [...client].reduce((sum, character) => (sum * 31 + character.codePointAt(0)) >>> 0, 7)
    return palette[hash % palette.length]
}

/** Black or white, whichever is easier to read on a color. */
export function textColorOn(color) {
    const digits = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit) : color.slice(1).match(/../g)
    const [red, green, blue] = digits.map((pair) => {
        const share = parseInt(pair, 16) / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    // The contrasts of WCAG with black and with white are equal at this luminance.
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff'
}

/** What people are called who have no name. */
export const nobody = 'Somebody'

/** The name of a peer, without characters that change the text around them. Without tokens, all are the same user. */
export function peerName({ name, user }) {
    const clean = (name || user?.replace(/^(anonymous$|link\/.*)/,'') || '').replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '').trim()
    return [...clean].slice(0, longestName).join('') || nobody
}
