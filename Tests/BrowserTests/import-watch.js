// Says what modules do while they are imported. client-package.mjs copies it to the folder of an app, and runs it there:
//
//     node import-watch.mjs MODULE...
//
// Prints one line for each file, socket, process, timer or compilation that they have started, and for each global that
// they have changed.
import childProcess from 'node:child_process'
import fs from 'node:fs'
import promises from 'node:fs/promises'
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const found = []

/** Replaces a function by one that also writes down that it was called. */
function watch(owner, object, name) {
    const original = object[name]
    if (typeof original !== 'function') return
    object[name] = function (...args) {
        // Node itself reads the files of the modules.
        const caller = new Error().stack.split('\n')[2]
        if (!caller.includes('node:internal/')) found.push(`${owner}.${name}`)
        return new.target ? Reflect.construct(original, args) : Reflect.apply(original, this, args)
    }
}

for (const name of ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream', 'writeFile', 'writeFileSync']) {
    watch('fs', fs, name)
    watch('fs/promises', promises, name)
}
for (const name of ['connect', 'createConnection', 'createServer']) watch('net', net, name)
for (const name of ['request', 'get']) watch('http', http, name)
for (const name of ['spawn', 'exec', 'execFile', 'fork']) watch('child_process', childProcess, name)
for (const name of ['compile', 'instantiate', 'Module', 'Instance']) watch('WebAssembly', WebAssembly, name)
for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'MessageChannel', 'BroadcastChannel', 'WebSocket']) {
    if (name in globalThis) watch('globalThis', globalThis, name)
}
syncBuiltinESMExports()

const globals = () => new Map(Reflect.ownKeys(globalThis).map((key) => [key, globalThis[key]]))
// Node makes some of them, and others with them, when they are first read.
globals()
const before = globals()
const resources = process.getActiveResourcesInfo().length

for (const name of process.argv.slice(2)) await import(name)

for (const [key, value] of globals()) {
    if (!before.has(key) || !Object.is(before.get(key), value)) found.push(`the global ${String(key)}`)
}
if (process.getActiveResourcesInfo().length > resources) found.push(`resources: ${process.getActiveResourcesInfo()}`)
if (found.length > 0) console.log(found.join('\n'))
