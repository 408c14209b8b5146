// Makes the tables of docs/protocol/messages.md and docs/errors.md. The other text of these pages is written by hand.

import { boundOf, flatFields, innerFields, isRequired, joined, meaningOf, typeName, wrap } from './description.mjs'

/** The page docs/protocol/messages.md with the table of each message, and the list of its errors. */
export function messagesPage(description, page) {
    const sections = page.split(/^(?=###? )/m)
    const documented = sections.map((section) => section.match(/^### (\w+)\n/)?.[1]).filter(Boolean)
    for (const { type } of description.messages) {
        if (!documented.includes(type)) throw new Error(`docs/protocol/messages.md has no heading for ${type}`)
    }
    return sections.map((section) => {
        const type = section.match(/^### (\w+)\n/)?.[1]
        return type ? messageSection(description, description.message(type), section) : section
    }).join('')
}

function messageSection(description, message, section) {
    if (message.answer && !section.includes(`#${message.answer})`)) {
        throw new Error(`the section on ${message.type} has no link to ${message.answer}`)
    }
    const withErrors = section.replace(/^Errors?: [^]*?(?=\n\n|\n```)/m, () => errorList(message))
    if (message.errors && withErrors === section && !section.includes(errorList(message))) {
        throw new Error(`the section on ${message.type} has no line that begins with Errors`)
    }
    const rows = tableRows(description, message.fields, '')
    if (rows.length === 0) return withErrors
    const table = [
        '| field | type | required | limit | meaning |', '| --- | --- | --- | --- | --- |', ...rows,
    ].join('\n')
    return withErrors.replace(/\| field \|(.*\n\|)*.*(?=\n)/, () => table)
}

function errorList(message) {
    if (!message.errors) throw new Error(`the section on ${message.type} lists errors, but the message has none`)
    const codes = message.errors.map((code) => `\`${code}\``)
    return wrap(`${codes.length === 1 ? 'Error' : 'Errors'}: ${codes.join(', ')}.`, 100).join('\n')
}

function tableRows(description, fields, prefix, meanings = {}) {
    return flatFields(description, fields).flatMap((field) => {
        const name = prefix + field.name
        const inner = innerFields(description, field)
        const isList = inner && field.type !== 'object'
        const shown = { ...field, meaning: meanings[field.name] ?? field.meaning }
        return [
            row(description, shown, name),
            ...inner ? tableRows(description, inner, `${name}${isList ? '[]' : ''}.`, field.meanings) : [],
        ]
    })
}

function row(description, field, name) {
    const standard = typeof field.default === 'number' ? `: ${number(field.default)}` : ''
    const cells = [
        `\`${name}\``, joined(typeName(description, field)), field.required ?? (isRequired(field) ? 'yes' : 'no'),
        limit(boundOf(description, field)), meaningOf(description, field) + standard,
    ]
    return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')
}

function limit(bound) {
    if (!bound) return ''
    const unit = bound.unit ? ` ${bound.unit}` : ''
    return bound.least === undefined ? `at most ${number(bound.most)}${unit}`
        : `${number(bound.least)} to ${number(bound.most)}${unit}`
}

function number(value) { return value.toLocaleString('en-US') }

/** Checks that the table of statuses in docs/protocol/http.md has each code of the protocol at its status. */
export function checkStatuses({ codes }, page) {
    for (const { code, status, neverOverHTTP } of codes) {
        const row = page.split('\n').find((line) => line.startsWith(`| ${status} |`))
        if (!neverOverHTTP && !row?.includes(`\`${code}\``)) {
            throw new Error(`docs/protocol/http.md does not list ${code} at the status ${status}`)
        }
    }
}

/** Checks that the table of resources in docs/protocol/http.md has each request. */
export function checkResources({ requests }, page) {
    for (const { method, path } of requests) {
        if (!page.includes(`| \`${method} ${path.replace(/\{(\w+)\}/, (_, word) => word.toUpperCase())}\` |`)) {
            throw new Error(`docs/protocol/http.md has no row for ${method} ${path}`)
        }
    }
}

/** The page docs/errors.md with the tables of the codes. */
export function errorsPage(description, page) {
    const groups = new Set(description.codes.map((code) => code.section))
    return page.split(/^(?=## )/m).map((section) => {
        const heading = section.match(/^## (.*)\n/)?.[1]
        if (!groups.delete(heading)) return section
        const rows = description.codes.filter((code) => code.section === heading)
            .map((code) => `| \`${code.code}\` | ${code.meaning} | ${code.remedy} | ${code.closes} |`)
        return section.replace(/(\| code \|.*\n\| ---.*)(\n\|.*)*/, (_, head) => [head, ...rows].join('\n'))
    }).join('') + [...groups].map((group) => { throw new Error(`docs/errors.md has no heading ${group}`) }).join('')
}
