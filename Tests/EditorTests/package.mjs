// The package of the extension for VS Code.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { run, temporaryFolder } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { Window } from './window.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
// Prints the entries of an archive as JSON, in their order.
const list = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    print(json.dumps([[entry.filename, entry.date_time, archive.read(entry).decode()] for entry in archive.infolist()]))
`

async function makePackage() {
    const folder = temporaryFolder()
    const { status, errors } = await run(`${root}scripts/package-vscode`, [folder])
    assert.equal(status, 0, errors)
    const [name, ...others] = readdirSync(folder)
    assert.deepEqual(others, [])
    return { name, path: `${folder}/${name}` }
}

export async function testPackage() {
    const [first, second] = [await makePackage(), await makePackage()]
    const entries = JSON.parse((await run('python3', ['-c', list, first.path])).output)
    const files = new Map(entries.map(([name, , text]) => [name, text]))
    const manifest = JSON.parse(files.get('extension/package.json'))
    const version = /"(\d+\.\d+\.\d+)"/.exec(readFileSync(`${root}Sources/CaretConfig/Version.swift`, 'utf8'))[1]

    await test('the same sources give the same package, byte for byte', () => {
        assert.ok(readFileSync(first.path).equals(readFileSync(second.path)))
        assert.deepEqual(new Set(entries.map(([, date]) => date.join(' '))), new Set(['1980 1 1 0 0 0']))
        assert.deepEqual(entries.map(([name]) => name), [...files.keys()].sort())
    })

    await test('the package has the version of Caret, and what VS Code needs to install it', () => {
        assert.equal(first.name, `caret-${version}.vsix`)
        assert.equal(manifest.version, version)
        const identity = `Id="caret" Version="${version}" Publisher="${manifest.publisher}"`
        assert.ok(files.get('extension.vsixmanifest').includes(identity))
        for (const [, path] of files.get('extension.vsixmanifest').matchAll(/Path="([^"]*)"/g)) assert.ok(files.has(path), path)
        const types = files.get('[Content_Types].xml')
        for (const name of files.keys()) {
            const ending = name.slice(name.lastIndexOf('.'))
            assert.ok(name.startsWith('[') || types.includes(`Extension="${ending}"`), name)
        }
    })

    await test('the package has every file that the extension loads', () => {
        const needed = [...files].flatMap(([, text]) => [...text.matchAll(/require\('\.\/([^']*)'\)/g)].map(([, name]) => name))
        assert.ok(needed.length > 5)
        for (const name of [...needed, manifest.main.slice(2)]) assert.ok(files.has(`extension/${name}`), name)
    })

    await test('the extension has every command of its manifest, and each key runs one', () => {
        const { commands, keybindings, configuration } = manifest.contributes
        const names = commands.map(({ command }) => command)
        assert.deepEqual([...new Window({}).activate().commands.keys()].sort(), [...names].sort())
        for (const { command } of keybindings) assert.ok(names.includes(command))
        // Otherwise a folder could choose the program, and the server that gets the token.
        for (const { scope } of Object.values(configuration.properties)) assert.equal(scope, 'machine')
    })
}
