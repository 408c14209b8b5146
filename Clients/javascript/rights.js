// Why a user may not write in a bound field or editor, for people who do not see it.

export const closedReason = 'The text is closed'
const reasons = { none: 'The text is not available', read: 'You may only read this text' }
const closedCodes = { not_found: 'This text does not exist', damaged: 'This text is damaged' }

/** Why the user may not write in this document. Undefined if they may, or if they began before the text arrived. */
export function readOnlyReason({ rights, saving, isRestored }, hasBegun = false) {
    // The user could write when the edits were kept.
    return closedCodes[saving.code] ?? (isRestored || hasBegun ? undefined : reasons[rights])
}
