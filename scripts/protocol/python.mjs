// Makes the lists of the Python client from the description of the protocol.

import { allParts, flatFields, isRequired, wrap } from './description.mjs'

const closing = 'After an error with one of these codes, the server closes the connection.'
const final = 'After an error with one of these codes, the server would refuse the same `hello` again.'
const repeatable = 'Repeating one of these requests does no harm. The server recognises a repeated push by its number.'

/** Clients/python/src/caret_client/protocol.py: what the client must know of codes, requests and messages. */
export function pythonLists(description) {
    const { codes, messages } = description
    const named = (holds) => codes.filter(holds).map(({ code }) => code)
    const received = messages.filter(({ from }) => from !== 'client')
    return `"""The error codes, requests and messages of the protocol. docs/protocol/messages.md explains them."""

from __future__ import annotations

Field = tuple[str, str, bool]
"""The name of a field, the kind of its value, and whether it must be there. A kind may name a part after a colon."""

${words('ERROR_CODES', 'All error codes of the server.', codes.map(({ code }) => code))}
${words('CLOSING_CODES', closing, named(({ closes }) => closes === 'yes'))}
${words('FINAL_CODES', final, named((code) => code.final))}
${words('REPEATABLE_REQUESTS', repeatable, messages.filter(({ repeats }) => repeats).map(({ type }) => type))}
${table('SERVER_MESSAGES', 'The fields of every message of the server.', received.map(({ type, fields }) => [type, fields]), description)}
${table('PARTS', 'The fields of the objects in these messages.', usedParts(description, received), description)}`
}

function words(name, is, list) {
    const lines = wrap(list.map((word) => `"${word}",`).join(' '), 112)
    return `${name} = frozenset(\n    {\n${lines.map((line) => `        ${line}`).join('\n')}\n    }\n)\n"""${is}"""\n`
}

function table(name, is, rows, description) {
    const lines = rows.flatMap(([key, fields]) => {
        const flat = flatFields(description, fields)
        if (flat.length === 0) return [`    "${key}": (),`]
        const row = ({ name, ...field }) => `        ("${name}", "${kindOf(field)}", ${isRequired(field) ? 'True' : 'False'}),`
        return [`    "${key}": (`, ...flat.map(row), '    ),']
    })
    return `${name}: dict[str, tuple[Field, ...]] = {\n${lines.join('\n')}\n}\n"""${is}"""\n`
}

/** The parts in these messages, and the parts in these parts, by name. */
function usedParts(description, messages) {
    const all = new Map(allParts(description).map((part) => [part.swift, part.fields]))
    const used = new Set()
    const visit = (fields) => flatFields(description, fields).filter(({ of }) => all.has(of)).forEach(({ of }) => {
        if (used.has(of)) return
        used.add(of)
        visit(all.get(of))
    })
    messages.forEach(({ fields }) => visit(fields))
    return [...used].sort().map((name) => [name, all.get(name)])
}

function kindOf(field) {
    if (field.word || field.openWord) return 'string'
    switch (field.type) {
    case 'document': case 'string': case 'crc32': return 'string'
    case 'flag': return 'boolean'
    case 'info': return 'object'
    case 'strings': case 'edits': case 'selections': case 'range': return field.type
    case 'object': case 'objects': return `${field.type}:${field.of}`
    default: return 'integer'
    }
}
