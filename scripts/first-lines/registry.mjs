#!/usr/bin/env node
// A registry for npm with the packages of Debian: react, react-dom, scheduler and esbuild, as they are on this machine.
//
//     scripts/first-lines/registry.mjs PORT
//
// npm asks it for a package, and then for its tarball. The registry has only the version that Debian has, and knows
// nothing else: no audits and no other packages.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const origin = `http://127.0.0.1:${process.argv[2]}`
const scratch = mkdtempSync(join(tmpdir(), 'caret-registry-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0))

/** Packs the module that `fill` puts into a folder, and returns what the registry says about it. */
function pack(name, fill) {
    const folder = join(scratch, name, 'package')
    mkdirSync(folder, { recursive: true })
    fill(folder)
    const path = join(folder, 'package.json')
    const description = JSON.parse(readFileSync(path, 'utf8'))
    // Debian's modules do not always have the versions that the others ask for. loose-envify is for another bundler.
    const needed = Object.keys(description.dependencies ?? {}).filter((one) => one !== 'loose-envify')
    description.dependencies = Object.fromEntries(needed.map((one) => [one, '*']))
    writeFileSync(path, JSON.stringify(description))
    const options = ['--create', '--gzip', '--directory', join(scratch, name), 'package']
    const tarball = execFileSync('tar', options, { maxBuffer: 1 << 28 })
    const { version } = description
    const entry = { ...description, dist: { tarball: `${origin}/${name}.tgz` } }
    return { tarball, packument: { name, 'dist-tags': { latest: version }, versions: { [version]: entry } } }
}

const copy = (name) => (folder) => cpSync(`/usr/share/nodejs/${name}`, folder, { recursive: true, dereference: true })
function esbuild(folder) {
    const version = execFileSync('esbuild', ['--version'], { encoding: 'utf8' }).trim()
    mkdirSync(join(folder, 'bin'))
    cpSync('/usr/bin/esbuild', join(folder, 'bin/esbuild'), { dereference: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'esbuild', version, bin: 'bin/esbuild' }))
}
const modules = ['react', 'react-dom', 'scheduler'].map((name) => [name, pack(name, copy(name))])
const packages = new Map([...modules, ['esbuild', pack('esbuild', esbuild)]])

createServer((request, response) => {
    const path = request.url.slice(1)
    const found = packages.get(path.replace(/\.tgz$/, ''))
    response.setHeader('Content-Type', path.endsWith('.tgz') ? 'application/octet-stream' : 'application/json')
    if (!found) return response.writeHead(404).end('{}')
    response.end(path.endsWith('.tgz') ? found.tarball : JSON.stringify(found.packument))
}).listen(process.argv[2], '127.0.0.1', () => console.log('ready'))
