// Reads docs/protocol/protocol.json, the description of the protocol, and checks it.

import { readFileSync } from 'node:fs'

/** What a `type` of a field is called in the tables of docs/protocol/messages.md. */
const typeNames = {
    document: 'string', string: 'string', crc32: 'string', integer: 'integer', time: 'integer', revision: 'integer',
    seq: 'integer', page: 'integer', version: 'integer', flag: 'boolean', info: 'object', object: 'object',
    objects: 'array of objects', strings: 'array of strings', edits: 'array of edits',
    selections: 'array of pairs',
}

export function readDescription(path) {
    const description = JSON.parse(readFileSync(path, 'utf8'))
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
    if (field.group) {
        if (!field.fields) description.part(field.of)
        fieldsOf(description, field).forEach((inner) => checkField(description, inner, place))
        return
    }
    const isWord = field.word ?? field.openWord
    if (isWord && isWord !== 'ErrorCode') description.word(isWord)
    if (!isWord && !typeNames[field.type]) throw new Error(`${place}: ${field.name} has the unknown type ${field.type}`)
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
        && !['flag', 'page', 'info'].includes(field.type)
}

/** The least and the most of a field's value, with the unit; undefined without a bound. */
export function boundOf(description, field) {
    if (field.type === 'document') return description.bound('name')
    if (field.type === 'page') return description.bound('items')
    if (field.type === 'info' && field.most) return description.bound(field.most)
    if (field.type === 'version') return { least: description.version, most: description.version }
    if (!field.most) return undefined
    const announced = description.part('Limits.Announced').fields.find((limit) => limit.name === field.most)
    if (!announced) return description.bound(field.most)
    return { most: announced.default, unit: 'elements', announced: field.most }
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
