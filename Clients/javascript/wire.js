// The messages of the protocol as JSON, one per line. docs/protocol/messages.md describes them.
import { closingCodes, finalCodes, repeatableRequests } from './protocol.js'

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

export function isIdempotent(message) { return repeatableRequests.has(message.type) }

export function closesConnection(error) { return closingCodes.has(error.code) }

export function refusesEveryHello(error) { return finalCodes.has(error.code) }
