// Makes a JSON Schema of the messages from the description of the protocol.

import { allParts, boundOf, flatFields, isRequired, meaningOf, wordsOf } from './description.mjs'

/** The schemas of all messages and parts, as the value of `$defs`. `place` is where they will be. */
export function definitions(description, place) {
    const found = {
        edit: { type: 'object', properties: { range: pair, text: { type: 'string' } }, required: ['range', 'text'] },
    }
    for (const part of allParts(description)) found[partKey(part.swift)] = object(description, place, part)
    for (const message of description.messages) {
        const schema = object(description, place, message)
        schema.properties = { type: { const: message.type }, id, ...schema.properties }
        schema.required = ['type', ...schema.required]
        found[message.type] = schema
    }
    return found
}

const pair = { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 2, maxItems: 2 }
const id = { type: ['integer', 'string'], description: 'Any message may have an id, and its answer has the same id.' }
const mostInteger = 2 ** 53 - 1

function partKey(swift) { return swift.replace('.', '') }

function object(description, place, { fields, is }) {
    const flat = flatFields(description, fields)
    const properties = Object.fromEntries(flat.map((field) => [field.name, value(description, place, field)]))
    return { description: is, type: 'object', properties, required: flat.filter(isRequired).map(({ name }) => name) }
}

function value(description, place, field) {
    return { description: `${meaningOf(description, field)}`, ...valueType(description, place, field) }
}

export function valueType(description, place, field) {
    const bound = boundOf(description, field)
    const reference = (name) => ({ $ref: `${place}${name}` })
    const list = (items) => ({ type: 'array', items, ...bound ? { maxItems: bound.most } : {} })
    if (field.word) return { enum: wordsOf(description, field.word) }
    if (field.openWord) return { type: 'string', examples: wordsOf(description, field.openWord) }
    switch (field.type) {
        case 'flag': return { type: 'boolean' }
        case 'document': case 'string':
            // A schema counts characters, and the limit counts bytes, so a text that fits may still be too long.
            return { type: 'string', maxLength: bound?.most, minLength: bound?.least }
        case 'crc32': return { type: 'string', pattern: '^[0-9a-f]{8}$' }
        case 'info': return { type: 'object' }
        case 'strings': return list({ type: 'string' })
        case 'edits': return list(reference('edit'))
        case 'selections': return list(pair)
        case 'range': return pair
        case 'object': return reference(partKey(field.of))
        case 'objects': return list(reference(partKey(field.of)))
        default: return { type: 'integer', minimum: bound?.least ?? 0, maximum: bound?.most ?? mostInteger }
    }
}

/** docs/protocol/messages.schema.json: a line is a message from a client or from the server. */
export function messageSchema(description) {
    const side = (from) => description.messages.filter((message) => [from, 'both'].includes(message.from))
        .map(({ type }) => ({ $ref: `#/$defs/${type}` }))
    return {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: 'The messages of Caret',
        description: 'Made by scripts/protocol.mjs from docs/protocol/protocol.json. Unknown fields are ignored.',
        anyOf: [{ $ref: '#/$defs/fromClient' }, { $ref: '#/$defs/fromServer' }],
        $defs: {
            fromClient: { anyOf: side('client') }, fromServer: { anyOf: side('server') },
            ...definitions(description, '#/$defs/'),
        },
    }
}
