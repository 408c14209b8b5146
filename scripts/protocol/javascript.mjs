// Makes the lists and the types of the JavaScript client from the description of the protocol.

import { allParts, flatFields, isRequired, meaningOf, wrap } from './description.mjs'

/** Clients/javascript/protocol.js: what the client must know of codes and requests. */
export function javaScriptLists({ codes, messages }) {
    const listed = (items) => {
        const lines = wrap(items.map((item) => `'${item}',`).join(' '), 116)
        return `[\n${lines.map((line) => `    ${line}`).join('\n')}\n]`
    }
    const named = (holds) => codes.filter(holds).map(({ code }) => code)
    return `/** All error codes of the server. */
export const errorCodes = ${listed(codes.map(({ code }) => code))}

/** After an error with one of these codes, the server closes the connection. */
export const closingCodes = new Set(${listed(named(({ closes }) => closes === 'yes'))})

/** After an error with one of these codes, the server would refuse the same \`hello\` again. */
export const finalCodes = new Set(${listed(named(({ final }) => final))})

/** Repeating one of these requests does no harm. The server recognises a repeated change by its number. */
export const repeatableRequests = new Set(${listed(messages.filter(({ repeats }) => repeats).map(({ type }) => type))})
`
}

/** Clients/javascript/protocol.d.ts: the codes and messages as types. */
export function typeScriptTypes(description) {
    const { codes, messages, words } = description
    const head = ({ type }) => `    type: '${type}'\n    id?: number | string\n`
    const choices = codes.map(({ code }) => `    | '${code}'`).join('\n')
    const lists = words.map(({ swift, is, words }) =>
        `${comment(is)}export type ${swift} = ${Object.keys(words).map((word) => `'${word}'`).join(' | ')}\n`)
    const records = [
        ...allParts(description).map((part) => record(description, typeName(part.swift), part, '')),
        ...messages.map((message) => record(description, messageName(message), message, head(message))),
    ]
    const union = (side) => messages.filter(({ from }) => from === side || from === 'both')
        .map((message) => `    | ${messageName(message)}`).join('\n')
    return [
        '// The messages of the protocol. docs/protocol/messages.md explains them.\n',
        `/** The error codes of the server. docs/errors.md explains them. */\nexport type ErrorCode =\n${choices}\n`,
        'export type Edit = { range: [number, number]; text: string }\n',
        ...lists, ...records,
        `/** A message from a client to the server. */\nexport type ClientMessage =\n${union('client')}\n`,
        `/** A message from the server to a client. */\nexport type ServerMessage =\n${union('server')}\n`,
    ].join('\n')
}

function typeName(swift) { return swift.replace('.', '') }

function messageName({ type }) {
    return `${type.replace(/(^|_)(\w)/g, (_, __, letter) => letter.toUpperCase())}Message`
}

function record(description, name, { is, fields }, head) {
    const members = flatFields(description, fields).map((field) => {
        const optional = isRequired(field) ? '' : '?'
        const type = typeOf(description, field)
        return `    /** ${capitalised(meaningOf(description, field))}. */\n    ${field.name}${optional}: ${type}\n`
    })
    return `${comment(is)}export interface ${name} {\n${head}${members.join('')}}\n`
}

function comment(text) { return text ? `/** ${text} */\n` : '' }

function capitalised(text) { return text[0].toUpperCase() + text.slice(1) }

function typeOf(description, field) {
    if (field.word) return field.word
    // A later version of the server may have further words.
    if (field.openWord) return `${field.openWord} | (string & {})`
    switch (field.type) {
        case 'flag': return 'boolean'
        case 'document': case 'string': case 'crc32': return 'string'
        case 'info': return 'object'
        case 'strings': return 'string[]'
        case 'edits': return 'Edit[]'
        case 'selections': return '[number, number][]'
        case 'range': return '[number, number]'
        case 'object': return typeName(field.of)
        case 'objects': return `${typeName(field.of)}[]`
        default: return 'number'
    }
}
