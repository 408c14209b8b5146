/** Why a call or a request failed. `code` is a word for programs, and `message` a sentence for people. */
export class CaretError extends Error {
    constructor(code, message, fields = {}) {
        super(message)
        Object.assign(this, { name: 'CaretError', code, ...fields })
    }
}

/** An error about a text, a change or an offset: `code` is a key of `sentences`, whose sentence has `numbers`. */
export function inputError(code, numbers = [], { argument, edit } = {}) {
    const where = [edit === undefined ? '' : `edit ${edit}`, argument ?? ''].filter(Boolean).join(' of ')
    return new CaretError(code, `${where && where + ': '}${sentences[code](...numbers)}`, { numbers, argument, edit })
}

const sentences = {
    invalidUTF8: (byte) => `the bytes from ${byte} on are not UTF-8`,
    carriageReturn: (byte) => `there is a carriage return at byte ${byte}`,
    outside: (offset, end) => `offset ${offset} is not between 0 and ${end}`,
    insideScalar: (offset) => `offset ${offset} is between the code units of one scalar`,
    outOfOrder: () => 'begins before the previous edit ends',
    malformed: (place) => `is invalid at ${place}`,
    reversedRange: (start, end) => `the range ends at ${end}, before its start ${start}`,
    tooLarge: (number, limit) => `${number} is over the limit of ${limit}`,
    loneSurrogate: (offset) => `the string has a lone surrogate at ${offset}`,
    trapped: () => 'the module ran out of memory or has a fault; load it again',
}
