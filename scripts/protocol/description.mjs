// Reads docs/protocol/protocol.json, the description of the protocol, and checks it.
//
// A message has fields. The value of a field can be a part, which has fields of its own, and several messages can have
// the same part. Fields that depend on each other are a group, whose Swift type is written by hand. The messages of a
// family share a case of `ClientMessage` or `ServerMessage`.

import { readFileSync } from 'node:fs'

/** What a `type` of a field is called in the tables of docs/protocol/messages.md. */
const typeNames = {
    document: 'string', string: 'string', crc32: 'string', integer: 'integer', time: 'integer', revision: 'integer',
    seq: 'integer', page: 'integer', version: 'integer', flag: 'boolean', info: 'object', object: 'object',
    objects: 'array of objects', strings: 'array of strings', edits: 'array of edits',
    selections: 'array of pairs', range: 'pair',
}

/** The members of each kind of object in the description. A member that is not listed is a mistake. */
const members = {
    message: {
        type: 'the word on the wire', from: '`client`, `server` or `both`', swift: 'the name of the struct',
        is: 'its comment', fields: 'in the order of the line', answer: 'the message that answers it',
        errors: 'the codes that are specific to it', waits: 'the next request of the connection runs after its answer',
        repeats: 'sending it twice does no harm', often: 'its place among the types that are compared first',
        family: 'the family', case: 'the case of the enum, if it is not named after the type',
        byHand: 'the struct is written by hand',
    },
    part: { swift: 'the name of the struct', is: 'its comment', fields: 'its fields' },
    family: {
        name: 'which messages belong to it', from: 'who sends them', swift: 'the name of the enum', is: 'its comment',
        case: 'its case of the outer enum', isOrdered: 'its requests wait for others about the same document',
    },
    field: {
        name: 'the key on the wire', swift: 'the property, if it is not named after the key', type: 'the kind of value',
        word: 'a closed list of words', openWord: 'a list of words that later versions may extend',
        of: 'the part of an `object` or of `objects`', optional: 'nil if missing', default: 'the value if missing',
        missing: '`empty`: a missing list is empty', written: '`always`: an empty list is written, too',
        most: 'the bound', orElse: 'the code beyond the bound', required: 'when it must be there, as a text',
        label: 'the label in the initializer',
        meaning: 'a text; `{words}` stands for its words', meanings: 'other texts for the fields of the part',
        parts: 'other texts for the range and the text of an edit', why: 'more for the Swift comment',
    },
    group: {
        group: 'the property', of: 'the Swift type, or a part', fields: 'the fields of a type by hand',
        label: 'as in a field', optional: 'nil if all are missing', keyed: 'the type gets the name of the first field',
    },
    list: {
        swift: 'the name of the enum', is: 'its comment', words: 'each word, with what it means',
        byHand: 'as in a message',
    },
    bound: {
        name: 'the constant in `Limits`', least: 'the least', most: 'the most', unit: 'of the most', is: 'its comment',
    },
    code: {
        code: 'the word', section: 'the heading in docs/errors.md', meaning: 'a text', remedy: 'what to do',
        closes: '`yes`, `no`, or when the connection is closed', status: 'over HTTP',
        final: 'the server would refuse the same `hello` again',
        neverOverHTTP: 'the server itself speaks the protocol for HTTP, and makes no such mistake',
    },
    request: {
        method: 'of HTTP', path: 'of HTTP', is: 'its summary', parameters: 'of the query', body: 'its type, `edits`, or a message without its type',
        answers: 'by status: a message, media types, or a sentence', conditions: 'it has `If-Match`',
        repeatable: 'it can be repeated with `Caret-Client`', isPlain: 'it has no `unit`',
    },
    parameter: {
        name: 'in the query', resource: 'where it means this', type: 'as in a field', word: 'as in a field',
        words: 'its values', most: 'as in a field', meaning: 'a text', needed: 'it must be there',
    },
}

function checkMembers(kind, object, place) {
    for (const name of Object.keys(object)) {
        if (!members[kind][name]) throw new Error(`${place}: a ${kind} has no member ${name}`)
    }
}

export function readDescription(path) {
    const description = JSON.parse(readFileSync(path, 'utf8'))
    const lists = {
        bounds: 'bound', words: 'list', families: 'family', codes: 'code', parameters: 'parameter', requests: 'request',
        parts: 'part', messages: 'message',
    }
    for (const [name, kind] of Object.entries(lists)) {
        for (const object of description[name]) checkMembers(kind, object, JSON.stringify(object).slice(0, 60))
    }
    description.bound = byKey(description.bounds, 'name', 'bound')
    description.part = byKey(description.parts, 'swift', 'part')
    description.word = byKey(description.words, 'swift', 'list of words')
    description.code = byKey(description.codes, 'code', 'code')
    description.message = byKey(description.messages, 'type', 'message')
    for (const part of description.parts) part.fields.forEach((field) => checkField(description, field, part.swift))
    for (const message of description.messages) {
        message.fields ??= []
        message.fields.forEach((field) => checkField(description, field, message.type))
        for (const code of message.errors ?? []) description.code(code)
        if (message.answer) description.message(message.answer)
    }
    return description
}

function byKey(items, key, what) {
    const found = new Map(items.map((item) => [item[key], item]))
    if (found.size !== items.length) throw new Error(`two ${what}s have the same name`)
    return (name) => {
        if (!found.has(name)) throw new Error(`there is no ${what} ${name}`)
        return found.get(name)
    }
}

function checkField(description, field, place) {
    checkMembers(field.group ? 'group' : 'field', field, `${place}: ${field.group ?? field.name}`)
    if (field.group) {
        if (!field.fields) description.part(field.of)
        fieldsOf(description, field).forEach((inner) => checkField(description, inner, place))
        return
    }
    const list = field.word ?? field.openWord
    if (list && list !== 'ErrorCode') description.word(list)
    if (!list && !typeNames[field.type]) throw new Error(`${place}: ${field.name} has the unknown type ${field.type}`)
    if (field.orElse) description.code(field.orElse)
    if (!field.meaning) throw new Error(`${place}: ${field.name} has no meaning`)
}

/** The fields of a group. */
export function fieldsOf(description, group) { return group.fields ?? description.part(group.of).fields }

/** The fields of a message or part, without groups. */
export function flatFields(description, fields) {
    return fields.flatMap((field) => field.group ? flatFields(description, fieldsOf(description, field)) : [field])
}

/** All parts, with the messages whose fields are also a part of another message. */
export function allParts({ parts, messages }) {
    const named = new Set([...parts, ...messages].flatMap(({ fields }) => fields.map((field) => field.of)))
    return [...parts, ...messages.filter((message) => named.has(message.swift))]
}

/** The fields of an element or object in a field; undefined if it has none. */
export function innerFields(description, field) {
    if (field.type === 'edits') {
        const meanings = { range: 'what the edit replaces', text: 'the text to put there', ...field.parts }
        return [
            { name: 'range', typeName: 'pair', meaning: meanings.range },
            { name: 'text', type: 'string', meaning: meanings.text },
        ]
    }
    if (!['object', 'objects'].includes(field.type)) return undefined
    return allParts(description).find(({ swift }) => swift === field.of).fields
}

export function typeName(description, field) {
    if (field.word) return wordsOf(description, field.word).map((word) => `\`"${word}"\``)
    if (field.openWord) return ['string']
    return [field.typeName ?? typeNames[field.type]]
}

/** The words of a list, in its order. */
export function wordsOf(description, name) {
    if (name === 'ErrorCode') return description.codes.map((code) => code.code)
    return Object.keys(description.word(name).words)
}

export function isRequired(field) {
    return !field.required && !field.optional && !field.missing && field.default === undefined
        && !['flag', 'page'].includes(field.type)
}

/** The least and the most of a field's value, with the unit; undefined without a bound. */
export function boundOf(description, field) {
    if (field.type === 'document') return description.bound('name')
    if (field.type === 'page') return description.bound('items')
    if (field.type === 'version') return { least: description.version, most: description.version }
    if (!field.most) return undefined
    const announced = description.part('Limits.Announced').fields.find((limit) => limit.name === field.most)
    if (!announced) return description.bound(field.most)
    return { most: announced.default, unit: 'elements', announced: field.most }
}

/** The text in lines of at most `width` characters. */
export function wrap(text, width) {
    const lines = ['']
    for (const word of text.split(' ')) {
        if (`${lines.at(-1)} ${word}`.length > width) lines.push(word)
        else lines[lines.length - 1] = lines.at(-1) ? `${lines.at(-1)} ${word}` : word
    }
    return lines
}

/** "a, b or c" */
export function joined(words) {
    return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** What a field means. `{words}` stands for its words. */
export function meaningOf(description, field) {
    if (!field.openWord) return field.meaning
    const list = field.openWord === 'ErrorCode' ? {} : description.word(field.openWord).words
    const shown = Object.entries(list).map(([word, meaning]) => `\`${word}\`${meaning && `: ${meaning}`}`)
    const isExplained = Object.values(list).some((meaning) => meaning)
    return field.meaning.replace('{words}', isExplained ? shown.join('; ') : joined(shown))
}
