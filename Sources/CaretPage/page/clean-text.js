// Texts of users, as the page may show them.

/** A text of a user, without characters that change the text around them. */
export function cleanText(text) {
    return text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '')
}
