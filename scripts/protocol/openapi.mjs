// Makes the OpenAPI description of the resources over HTTP from the description of the protocol.

import { meaningOf } from './description.mjs'
import { definitions, valueType } from './schema.mjs'

const place = '#/components/schemas/'

/** Sources/CaretPage/openapi.json, which the server sends at /openapi.json. */
export function openAPI(description) {
    const paths = {}
    for (const request of description.requests) {
        const item = paths[request.path] ??= {}
        item[request.method.toLowerCase()] = operation(description, request)
    }
    const schemas = definitions(description, place)
    return {
        openapi: '3.1.0',
        info: {
            title: 'Caret', version: String(description.version),
            description: 'Documents over HTTP. docs/protocol/http.md explains conditions, versions and event streams.',
        },
        security: [{}, { token: [] }],
        paths,
        components: {
            securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
            responses: { refusal: { description: 'A refusal. `code` says why.', content: json('error') } },
            schemas: used(schemas, paths),
        },
    }
}

function operation(description, request) {
    const resource = request.path.split('/')[1]
    const names = request.isPlain ? [] : [...request.parameters ?? [], 'unit']
    const parameters = names.map((name) => parameter(description, resource, name))
    if (request.path.includes('{name}')) parameters.unshift({
        name: 'name', in: 'path', required: true, description: 'The name of the document. It may contain `/`.',
        schema: { type: 'string' },
    })
    if (request.path.includes('{number}')) parameters.unshift({
        name: 'number', in: 'path', required: true, description: 'The number of the token.',
        schema: { type: 'integer' },
    })
    if (request.conditions) parameters.push(
        header('If-Match', 'The tag of the version that must be the head, or `*`.'),
        ...request.method === 'PUT' ? [header('If-None-Match', '`*`: only if there is no such document.')] : [],
    )
    if (request.repeatable) parameters.push(
        header('Caret-Client', 'A random id of 8 to 64 characters that your program keeps, to repeat the request.'),
        header('Caret-Seq', 'A number that grows with each new change that your program makes to the document.'),
    )
    const suffix = request.path.match(/\{(\w+)\}/)?.[1]
    return {
        summary: request.is,
        operationId: [request.method.toLowerCase(), resource.replace('-', '_'), suffix].filter(Boolean).join('_'),
        parameters,
        ...request.body ? { requestBody: { required: true, content: body(description, request.body, request.path.includes('{name}')) } } : {},
        responses: { ...responses(request.answers), default: { $ref: '#/components/responses/refusal' } },
    }
}

function header(name, description) { return { name, in: 'header', description, schema: { type: 'string' } } }

/** A parameter may mean something else at one resource. */
function parameter(description, resource, name) {
    const found = description.parameters.filter((parameter) => parameter.name === name)
    const chosen = found.find((item) => item.resource === resource) ?? found.find((item) => !item.resource)
    if (!chosen) throw new Error(`there is no parameter ${name} of /${resource}`)
    return {
        name, in: 'query', required: Boolean(chosen.needed), description: meaningOf(description, chosen),
        schema: chosen.words ? { enum: chosen.words } : valueType(description, place, chosen),
    }
}

function json(type) { return { 'application/json': { schema: { $ref: place + type } } } }

function body(description, kind, hasName) {
    if (kind.includes('/')) return { [kind]: { schema: { type: 'string' } } }
    const message = definitions(description, place)[kind]
    if (message) return { 'application/json': { schema: withoutType(message, hasName) } }
    const edits = { type: 'array', items: { $ref: `${place}edit` } }
    return { 'application/json': { schema: { type: 'object', properties: { edits }, required: ['edits'] } } }
}

/** The path says the type of the message and the document, and the answer needs no id. */
function withoutType(message, hasName) {
    const { type, id, ...properties } = message.properties
    if (hasName) delete properties.doc
    const required = message.required.filter((name) => name in properties)
    return { ...message, properties, required }
}

/** An answer is a message, media types and messages, or a sentence about an answer without a body. */
function responses(answers) {
    return Object.fromEntries(Object.entries(answers).map(([status, answer]) => {
        if (typeof answer === 'string' && answer.includes(' ')) return [status, { description: answer }]
        const content = [answer].flat().map((kind) => kind.includes('/') ? { [kind]: { schema: {} } } : json(kind))
        return [status, { description: 'The request was carried out.', content: Object.assign({}, ...content) }]
    }))
}

/** The schemas that the paths need, also indirectly. */
function used(schemas, paths) {
    const found = new Set()
    const visit = (value) => {
        for (const [, name] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
            if (found.has(name)) continue
            found.add(name)
            visit(schemas[name])
        }
    }
    visit([paths, json('error')])
    return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}
