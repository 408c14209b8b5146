// Makes the Swift messages of Sources/CaretWire/Messages/Made from the description of the protocol.

import { allParts, boundOf, isRequired, meaningOf, wordsOf, wrap } from './description.mjs'

/** The files, by name, before `swift format`. */
export function swiftFiles(description) {
    const clientMessages = description.messages.filter((message) => message.from !== 'server')
    const serverMessages = description.messages.filter((message) => message.from === 'server')
    return {
        'Bounds.swift': [bounds(description)],
        'ErrorCode.swift': [errorCode(description)],
        'WordLists.swift': description.words.filter((list) => !list.byHand).map(wordList),
        'Parts.swift': ['package import CaretCore', ...description.parts.map((part) => partType(description, part))],
        'ClientMessage.swift': [
            'package import CaretCore',
            ...messageEnums(description, 'client'), traits(description), ...structs(description, clientMessages),
        ],
        'ServerMessage.swift': [
            'package import CaretCore',
            ...messageEnums(description, 'server'), ...structs(description, serverMessages),
        ],
    }
}

function structs(description, messages) {
    return messages.filter((message) => !message.byHand).map((message) => messageType(description, message))
}

function messageType(description, message) {
    const isPart = allParts(description).includes(message)
    const type = `package static var type: StaticString { "${message.type}" }`
    return record(description, message.swift, isPart ? 'WireMessage, WirePart' : 'WireMessage', message, [type])
}

function partType(description, part) {
    return record(description, part.swift, 'WirePart, Hashable, Sendable', part, [])
}

/** A struct with its fields, which reads and writes them. A name with a dot is nested in another type. */
function record(description, name, protocols, { is, fields }, members) {
    const [outer, inner] = name.includes('.') ? name.split('.') : [null, name]
    const all = fields.map((field) => property(description, field))
    const properties = all.filter(({ type }) => type)
    const body = [
        ...members,
        properties.map(({ comment, name, type }) => `${comment}package var ${name}: ${type}`).join('\n'),
        `package init(${properties.map(parameter).join(', ')}) ${block(properties.map(assignment))}`,
        `init(_ fields: Fields) throws(FieldFault) ${block(all.map(({ read }) => read))}`,
        `package func writeMembers(to writer: inout JSONWriter) ${block(all.map(({ write }) => write))}`,
    ].filter(Boolean)
    const struct = `${comment(is)}package struct ${inner}: ${protocols} {\n${body.join('\n\n')}\n}`
    return outer ? `extension ${outer} {\n${struct}\n}` : struct
}

function block(lines) { return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n}` }

function parameter({ name, label, parameterType, standard }) {
    const shown = label ? `${label} ${name}` : name
    return `${shown}: ${parameterType}${standard === undefined ? '' : ` = ${standard}`}`
}

function assignment({ name, wrap }) { return `self.${name} = ${wrap ? wrap(name) : name}` }

/** How a field is stored, read and written. */
function property(description, field) {
    if (field.group) return groupProperty(field)
    const name = field.swift ?? propertyName(field.name)
    const shape = shapeOf(description, field, name)
    const isOptional = Boolean(field.optional)
    const type = shape.type && shape.type + (isOptional ? '?' : '')
    const why = field.why ? ` ${field.why}` : ''
    return {
        name, type, label: field.label, comment: comment(sentence(meaningOf(description, field)) + why),
        parameterType: shape.parameterType ? shape.parameterType + (isOptional ? '?' : '') : type,
        standard: shape.standard ?? (isOptional ? 'nil' : undefined),
        wrap: shape.wrap && (isOptional ? (value) => `${value}.map { ${shape.wrap('$0')} }` : shape.wrap),
        read: type ? `${name} = ${shape.read(isOptional)}` : shape.read(),
        write: shape.write(),
    }
}

function groupProperty(field) {
    const key = field.keyed ? `"${field.fields[0].name}"` : ''
    const type = field.of + (field.optional ? '?' : '')
    const standard = field.optional ? 'nil' : field.keyed ? '.unspecified' : undefined
    return {
        name: field.group, type, label: field.label, comment: '', parameterType: type, standard,
        read: `${field.group} = try ${field.of}(${field.optional ? 'optional: ' : ''}fields${key && `, ${key}`})`,
        write: `${field.group}${field.optional ? '?' : ''}.writeMembers(to: &writer${key && `, ${key}`})`,
    }
}

function propertyName(name) {
    const special = {
        doc: 'document', docs: 'documents', rev: 'revision', more: 'hasMore', dry_run: 'isDryRun',
        retry_after_ms: 'retryAfterMilliseconds',
    }
    return special[name] ?? camelCase(name)
}

function camelCase(name) { return name.replace(/[_-](\w)/g, (_, letter) => letter.toUpperCase()) }

/** The kinds of fields. `read` gets whether the field may be missing. */
function shapeOf(description, field, name) {
    const key = `"${field.name}"`
    const write = () => `writer.member(${key}, ${name})`
    const reader = (kind, more = '') => (isOptional) =>
        `try fields.${kind}(${isOptional ? 'optional: ' : ''}${key}${more})`
    if (field.word && field.type !== 'flag') return wordShape(field, name, reader, write)
    if (field.openWord) {
        const type = `OpenWord<${field.openWord}>`
        const wrap = (value) => `.known(${value})`
        return { type, parameterType: field.openWord, wrap, read: reader('openWord'), write }
    }
    const plain = (type, kind) => ({ type, read: reader(kind), write })
    const list = (element, kind) => listShape(field, name, element, reader(kind, limits(description, field)), write)
    switch (field.type) {
        case 'document': return plain('WireString', 'document')
        case 'string': return { type: 'WireString', read: reader('string', limits(description, field)), write }
        case 'revision': return plain('Revision', 'revision')
        case 'seq': return plain('PushNumber', 'seq')
        case 'crc32': return { ...plain('UInt32', 'crc32'), write: () => `writer.member(${key}, crc32: ${name})` }
        case 'info': return { type: 'WireInfo', read: () => 'try fields.info()', write }
        case 'integer': case 'time': return integerShape(field, name, reader, write)
        case 'flag': return flagShape(description, field, name, key)
        case 'page': return {
            type: 'Int', standard: 'Limits.itemsByDefault', read: () => 'try fields.pageLimit()',
            write: () => `writer.memberOfPageLimit(${name})`,
        }
        case 'version': return {
            read: () => `try fields.checkVersion(${key})`, write: () => `writer.member(${key}, Limits.protocolVersion)`,
        }
        case 'object': {
            const standard = hasDefaults(description, field) ? `${field.of}()` : undefined
            return { ...plain(field.of, 'part'), standard }
        }
        case 'selections': return list('WireSelection', 'selections')
        case 'range': return plain('WireRange', 'range')
        case 'edits': return list('WireEdit', 'edits')
        case 'strings': return list('WireString', 'strings')
        case 'objects': return list(field.of, 'parts')
    }
}

/** Whether each field of the object may be missing. */
function hasDefaults(description, { of, optional }) {
    return !optional && description.part(of).fields.every((field) => !field.group && !isRequired(field))
}

/** The arguments that limit a value. */
function limits(description, field) {
    if (!field.most) return ''
    const bound = boundOf(description, field)
    const most = bound.announced ? `fields.limits.${bound.announced}` : `Limits.${field.most}`
    return `, atMost: ${most}${field.orElse ? `, orElse: .${codeName(field.orElse)}` : ''}`
}

function wordShape(field, name, reader, write) {
    if (!field.default) return { type: field.word, read: reader('word'), write }
    return {
        type: field.word, standard: `.${field.default}`, read: () => `${reader('word')(true)} ?? .${field.default}`,
        write: () => `if ${name} != .${field.default} { ${write()} }`,
    }
}

function integerShape(field, name, reader, write) {
    const read = reader('integer')
    if (field.default === undefined) return { type: 'Int', read, write }
    const standard = field.default.toLocaleString('en-US').replaceAll(',', '_')
    return { type: 'Int', standard, read: () => `${read(true)} ?? ${standard}`, write }
}

/** A flag is a boolean, or the only word of a list, which may be missing. */
function flagShape(description, field, name, key) {
    if (!field.word) return {
        type: 'Bool', standard: 'false', read: () => `try fields.flag(${key})`,
        write: () => `writer.member(${key}, ifTrue: ${name})`,
    }
    const [only] = wordsOf(description, field.word)
    const word = `${field.word}.${camelCase(only)}`
    return {
        type: 'Bool', standard: 'false', read: () => `try fields.word(optional: ${key}) == ${word}`,
        write: () => `if ${name} { writer.member(${key}, ${word}) }`,
    }
}

/** A list that may be missing is nil, or empty if the description says so. */
function listShape(field, name, element, read, write) {
    if (field.optional) return { type: `[${element}]`, read, write: () => `if let ${name} { ${write()} }` }
    if (!field.missing) return { type: `[${element}]`, read, write }
    return {
        type: `[${element}]`, standard: '[]', read: () => `${read(true)} ?? []`,
        write: () => field.written === 'always' ? write() : `if !${name}.isEmpty { ${write()} }`,
    }
}

function comment(text) { return text ? wrap(text, 105).map((line) => `/// ${line}\n`).join('') : '' }

function sentence(meaning) { return `${meaning[0].toUpperCase()}${meaning.slice(1)}.` }

// MARK: Which message a line has

/** The cases of the enum of all messages from one side. The messages of a family are one case. */
function casesOf(description, side) {
    const families = description.families.filter((family) => family.from === side)
    const cases = []
    for (const message of description.messages.filter(({ from }) => from === side || from === 'both')) {
        const family = families.find((family) => family.name === message.family)
        const found = cases.find((item) => family && item.family === family)
        if (found) found.messages.push(message)
        else if (family) cases.push({ name: family.case, type: family.swift, family, messages: [message] })
        else cases.push(caseOf(message))
    }
    return cases
}

function caseOf(message) {
    return { name: message.case ?? camelCase(message.type), type: message.swift, messages: [message] }
}

/** The enum of all messages from one side, and the enums of its families. */
function messageEnums(description, side) {
    const cases = casesOf(description, side)
    const rank = ({ messages }) => messages[0].often ?? Infinity
    const sorted = [...cases].sort((a, b) => rank(a) === rank(b) ? 0 : rank(a) - rank(b))
    const [name, is] = side === 'client' ? ['ClientMessage', 'A message from a client to the server.']
        : ['ServerMessage', 'A message from the server to a client.']
    const families = cases.filter(({ family }) => family)
    return [choice(name, is, cases, sorted, 'package '), ...families.map(familyEnum)]
}

function familyEnum({ family, messages }) {
    const cases = messages.map(caseOf)
    const more = []
    if (family.from === 'client' && !family.isOrdered) more.push(types(messages))
    if (family.from === 'client') more.push(documentOf(cases))
    if (family.isOrdered) more.push(documentsOf(cases, ''))
    return choice(family.swift, family.is, cases, cases, '', more)
}

/** An enum with a case for each message. `sorted` is the order in which the types are compared. */
function choice(name, is, cases, sorted, access, more = []) {
    const encoders = cases.map(({ name }) => `case .${name}(let message): message.encode(id: id, into: &writer)`)
    const encoder = `/// Appends the message as one line.
${access}func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
    // Does not use \`any WireMessage\`, because boxing a message would allocate memory.
    switch self {
    ${encoders.join('\n')}
    }
}`
    const list = cases.map(({ name, type }) => `case ${name}(${type})`).join('\n')
    const members = [list, ...more, ...decoders(sorted, sorted !== cases), encoder]
    return `${comment(is)}package enum ${name}: Equatable, Sendable {\n${members.join('\n\n')}\n}`
}

/** Initializers that compare the type of a line with the types of the cases, each with at most `size` of them. */
function decoders(cases, isSorted) {
    const size = 20
    const branches = cases.map(({ name, type, family }) => family
        ? `if let message = try ${type}(type: type, fields) {\nself = .${name}(message)\n}`
        : `if type.equals(${type}.type) {\nself = .${name}(try ${type}(fields))\n}`)
    const order = isSorted ? ' The most frequent types come first.' : ''
    const found = []
    for (let first = 0; first < branches.length; first += size) {
        const next = first + size
        const head = first === 0
            ? `/// Decodes the message of this type; nil if the type is unknown.${order}\ninit?(type`
            : `private init?(type${first} type`
        const rest = next < branches.length ? `try self.init(type${next}: type, fields)` : 'return nil'
        const chain = branches.slice(first, next).join(' else ')
        found.push(`${head}: JSONString, _ fields: Fields) throws(FieldFault) {\n${chain} else {\n${rest}\n}\n}`)
    }
    return found
}

function types(messages) {
    return `static let types: [StaticString] = [${messages.map((message) => `${message.swift}.type`).join(', ')}]`
}

/** The property `document` of a family. */
function documentOf(cases) {
    const having = cases.filter(({ messages: [message] }) => documentFields(message).length > 0)
    const isAlways = having.length === cases.length
    const lines = having.map(({ name }) => `case .${name}(let message): message.document`)
    if (!isAlways) lines.push(`case ${named(cases.filter((item) => !having.includes(item)))}: nil`)
    const is = `The document that the request is about${isAlways ? '' : ', if any'}.`
    const type = `WireString${isAlways ? '' : '?'}`
    return `${comment(is)}package var document: ${type} {\nswitch self {\n${lines.join('\n')}\n}\n}`
}

function named(cases) { return cases.map(({ name }) => `.${name}`).join(', ') }

function documentFields(message) { return message.fields.filter((field) => field.type === 'document') }

/** The property `documents`, by which the server orders requests. */
function documentsOf(cases, access) {
    const names = ({ messages: [message] }) => documentFields(message).map((field) => field.swift ?? propertyName(field.name))
    const branches = []
    const others = []
    for (const item of cases) {
        const [first, second] = item.family ? [] : names(item).map((name) => `message.${name}`)
        if (item.family?.isOrdered) branches.push(`case .${item.name}(let message): message.documents`)
        else if (first) branches.push(`case .${item.name}(let message): (${first}, ${second ?? 'nil'})`)
        else others.push(item)
    }
    if (others.length > 0) branches.unshift(`case ${named(others)}: (nil, nil)`)
    return `/// The names of the documents that the message is about: at most two.
${access}var documents: (WireString?, WireString?) {
    switch self {
    ${branches.join('\n')}
    }
}`
}

/** What the server must know of each request before it handles the request. */
function traits(description) {
    const cases = casesOf(description, 'client')
    const waits = cases.filter(({ messages }) => messages[0].waits)
    for (const { name, messages } of cases) {
        if (messages.some((message) => message.waits !== messages[0].waits)) {
            throw new Error(`the messages of ${name} differ in waits`)
        }
    }
    return `extension ClientMessage {
    /// Whether the message must be answered before the next request of the connection runs.
    package var waits: Bool {
        switch self {
        case ${named(waits)}: true
        case ${named(cases.filter((item) => !waits.includes(item)))}: false
        }
    }

    ${documentsOf(cases, 'package ')}
}`
}

// MARK: Words, codes and bounds

function wordList({ swift, is, words }) {
    const cases = Object.entries(words).map(([word, meaning]) => {
        const name = camelCase(word)
        return `${comment(meaning && sentence(meaning))}case ${name}${name === word ? '' : ` = "${word}"`}`
    })
    return `${comment(is)}package enum ${swift}: String, CaseIterable, WireWord {\n${cases.join('\n')}\n}`
}

function plainName(code) { return camelCase(code).replace(/Json$/, 'JSON') }

/** The name of a case where it is declared. `internal` is a word of Swift. */
function codeName(code) { return code === 'internal' ? '`internal`' : plainName(code) }

function errorCode({ codes }) {
    const cases = codes.map(({ code }) => {
        const name = codeName(code)
        return `case ${name}${plainName(code) === code ? '' : ` = "${code}"`}`
    })
    const matching = (holds) => codes.filter(holds).map(({ code }) => `.${plainName(code)}`).join(', ')
    const choose = (holds) =>
        `switch self {\ncase ${matching(holds)}: true\ncase ${matching((code) => !holds(code))}: false\n}`
    const statuses = [...new Set(codes.map(({ status }) => status))].sort()
    const byStatus = statuses.map((status) => `case ${matching((code) => code.status === status)}: ${status}`)
    return `/// The error codes of the protocol. The raw values are the words on the wire.
package enum ErrorCode: String, CaseIterable, WireWord {
    ${cases.join('\n')}

    /// Whether the server closes the connection after this error. Before the server has sent \`welcome\`, it
    /// closes the connection after every error.
    package var closes: Bool {
        ${choose((code) => code.closes === 'yes')}
    }

    /// Whether the server would refuse the same \`hello\` again.
    package var refusesEveryHello: Bool {
        ${choose((code) => code.final)}
    }

    /// The status of a response over HTTP with this error. For such a request, the server itself speaks the
    /// protocol, so a mistake in a message is a fault of the server.
    package var httpStatus: Int {
        switch self {
        ${byStatus.join('\n')}
        }
    }
}`
}

function bounds({ bounds, version }) {
    const number = (value) => value.toLocaleString('en-US').replaceAll(',', '_')
    const constants = bounds.map(({ name, least, most, is }) => {
        const value = least === undefined ? number(most) : `${least}...${number(most)}`
        return `${comment(is)}package static let ${name} = ${value}`
    })
    const all = [`/// The version of the protocol.\npackage static let protocolVersion = ${version}`, ...constants]
    return `extension Limits {\n${all.join('\n')}\n}`
}
