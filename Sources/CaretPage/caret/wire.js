// The messages of the protocol as JSON, one per line. docs/protocol/messages.md describes them.

/** The line of a message, without its line end. The members of `message` that are undefined are left out. */
export function encodeMessage(message, id) {
    const { type, ...members } = message
    return JSON.stringify({ type, id, ...members })
}

/** The message of a line. Throws if the line is not a JSON object with a type. */
export function decodeMessage(line) {
    const message = JSON.parse(line)
    if (typeof message?.type !== 'string') throw new TypeError('a message is an object with a type')
    return message
}

export function hello({ client, token, ...person }) {
    return { type: 'hello', protocol: 1, client, units: ['utf-16'], token, info: infoOf(person) }
}

/** What a `hello` says about the user. */
export function infoOf({ name, color }) {
    return name === undefined && color === undefined ? undefined : { name, color }
}

// Repeating one of these requests does no harm. The server recognises a repeated restore by its number.
const idempotent = new Set(['list', 'read', 'history', 'list_tags', 'push', 'restore', 'ping'])

export function isIdempotent(message) { return idempotent.has(message.type) }

// After an error with one of these codes, the server closes the connection.
const closing = new Set([
    'line_too_long', 'hello_required', 'hello_timeout', 'unsupported_protocol', 'unauthorized', 'shutting_down',
])

export function closesConnection(error) { return closing.has(error.code) }

// After an error with one of these codes, the server would refuse the same `hello` again.
const final = new Set([
    'unauthorized', 'unsupported_protocol', 'bad_message', 'bad_json', 'unknown_type', 'too_large', 'line_too_long',
    'forbidden',
])

export function refusesEveryHello(error) { return final.has(error.code) }
