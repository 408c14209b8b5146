#!/usr/bin/env node
// Makes what follows from docs/protocol/protocol.json, the description of the protocol: the Swift messages in
// Sources/CaretWire/Messages/Made, the lists and types of the JavaScript client, the lists of the Python client, the
// tables of docs/protocol/messages.md and docs/errors.md, the JSON Schema of all messages, and the OpenAPI file of the
// server.
//
//   scripts/protocol.mjs            writes the files
//   scripts/protocol.mjs --check    fails if a file differs from what the description says

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'
import { readDescription } from './protocol/description.mjs'
import { javaScriptLists, typeScriptTypes } from './protocol/javascript.mjs'
import { checkResources, checkStatuses, errorsPage, messagesPage } from './protocol/pages.mjs'
import { openAPI } from './protocol/openapi.mjs'
import { pythonLists } from './protocol/python.mjs'
import { messageSchema } from './protocol/schema.mjs'
import { swiftFiles } from './protocol/swift.mjs'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const source = 'docs/protocol/protocol.json'
const swiftFolder = 'Sources/CaretWire/Messages/Made'

const [option, ...rest] = process.argv.slice(2)
if (rest.length > 0 || ![undefined, '--check'].includes(option)) {
    console.error('usage: scripts/protocol.mjs [--check]')
    process.exit(2)
}
const files = madeFiles(readDescription(path.join(root, source)))
const differing = Object.entries(files).filter(([name, text]) => read(name) !== text).map(([name]) => name)
const stray = strayFiles(Object.keys(files))
if (option === '--check') {
    for (const name of differing) {
        console.error(`protocol.mjs: ${name} is not what ${source} says: run scripts/protocol.mjs`)
    }
    for (const name of stray) console.error(`protocol.mjs: ${name} is made by nothing: delete it`)
    process.exit(differing.length + stray.length > 0 ? 1 : 0)
}
mkdirSync(path.join(root, swiftFolder), { recursive: true })
for (const name of differing) {
    writeFileSync(path.join(root, name), files[name])
    console.log(`wrote ${name}`)
}
for (const name of stray) console.log(`${name} is made by nothing: delete it`)

/** All files that are made, by path. */
function madeFiles(description) {
    checkStatuses(description, read('docs/protocol/http.md'))
    checkResources(description, read('docs/protocol/http.md'))
    const pages = {
        'docs/protocol/messages.md': messagesPage(description, read('docs/protocol/messages.md')),
        'docs/errors.md': errorsPage(description, read('docs/errors.md')),
    }
    const note = `// Made by scripts/protocol.mjs from ${source}. Change that file, not this one.`
    const swift = Object.entries(swiftFiles(description)).map(([name, blocks]) =>
        [`${swiftFolder}/${name}`, formatted([note, ...blocks].join('\n\n'))])
    return {
        ...pages, ...Object.fromEntries(swift),
        'docs/protocol/messages.schema.json': `${JSON.stringify(messageSchema(description), null, 2)}\n`,
        'Sources/CaretPage/openapi.json': `${JSON.stringify(openAPI(description), null, 1)}\n`,
        'Clients/javascript/protocol.js': `${note}\n\n${javaScriptLists(description)}`,
        'Clients/javascript/protocol.d.ts': `${note}\n\n${typeScriptTypes(description)}`,
        'Clients/python/src/caret_client/protocol.py': `${note.replace('//', '#')}\n${pythonLists(description)}`,
    }
}

function formatted(swift) {
    const options = ['format', '--configuration', path.join(root, '.swift-format'), '-']
    return execFileSync('swift', options, { input: swift, encoding: 'utf8', maxBuffer: 1 << 24 })
}

function read(name) {
    const file = path.join(root, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function strayFiles(made) {
    const folder = path.join(root, swiftFolder)
    const found = existsSync(folder) ? readdirSync(folder).map((name) => `${swiftFolder}/${name}`) : []
    return found.filter((name) => !made.includes(name))
}
