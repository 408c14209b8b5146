// The package of the JavaScript client: its files, what importing it does, and `npm install` without a network.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { until } from '../CaretPageTests/support.mjs'
import { block } from '../NodeSupport/page.mjs'
import { run, start, startServer, temporaryFolder } from '../NodeSupport/programs.mjs'
import { skip, test } from '../NodeSupport/suite.mjs'
import { makeApp, makePackage, packageName, repository } from './package-support.mjs'

/** The most bytes of the client in a bundle, compressed, without the module. */
const limit = 30 * 1024

export async function testClientPackage(programs) {
    const tarball = makePackage()
    await test('making the package again gives the same bytes, also with another umask', () => {
        const umask = process.umask(0o077)
        try {
            assert.deepEqual(readFileSync(makePackage()), readFileSync(tarball))
        } finally {
            process.umask(umask)
        }
    })
    await test('the package has a file for each entry, and nothing that apps do not need', () => testFiles(tarball))
    await test('importing an entry opens, reads and starts nothing', () => testImports(tarball))
    await test('the client has at most 30 KB in a bundle, compressed, beside the module', () => testSize(tarball))
    await test('TypeScript finds the types of each entry', () => testTypes(tarball))
    const server = await startServer(programs)
    await test('in Node, the client finds its module in node_modules, or in itself', () => testModules(tarball, server))
    await testInstall(tarball, server)
    await test('the pages name the version of the package', () => {
        const { version } = JSON.parse(readFileSync(join(repository, 'Clients/javascript/package.json'), 'utf8'))
        const named = readFileSync(join(repository, 'docs/client-js.md'), 'utf8').match(/caret-[\d.]+\.tgz/g)
        assert.deepEqual([...new Set(named)], [`caret-${version}.tgz`])
    })
}

function testFiles(tarball) {
    const folder = join(makeApp(tarball), 'node_modules', packageName)
    const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const entries = Object.values(description.exports)
        .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
    assert.deepEqual(entries.filter((path) => !existsSync(join(folder, path))), [])
    const modules = Object.entries(description.exports).filter(([name]) => !/\.(wasm|json)$/.test(name))
    assert.deepEqual(modules.filter(([, entry]) => !entry.types || !entry.default), [])
    const known = /\.(js|d\.ts)$|^(caret\.wasm|package\.json|README\.md|LICENSE)$/
    assert.deepEqual(readdirSync(folder).filter((name) => !known.test(name)), [])
}

async function testImports(tarball) {
    const watch = readFileSync(join(repository, 'Tests/BrowserTests/import-watch.js'), 'utf8')
    const hostile = `import { readFile } from 'node:fs/promises'
        import { connect } from 'node:net'
        globalThis.started = setTimeout(() => {}, 10)
        readFile('hostile.mjs')
        connect(1, '127.0.0.1').on('error', () => {})
        new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`
    const app = makeApp(tarball, { 'import-watch.mjs': watch, 'hostile.mjs': hostile }, ['react'])
    execFileSync(join(repository, 'scripts/install-editors'), { stdio: 'inherit' })
    cpSync(join(repository, '.build/vue'), join(app, 'node_modules/vue'), { recursive: true })
    const options = { cwd: app, encoding: 'utf8' }
    const watched = (name) => execFileSync(process.execPath, ['import-watch.mjs', name], options)
    for (const name of ['', '/node', '/monaco', '/inline']) assert.equal(watched(packageName + name), '', name)
    // What the frameworks do at import is theirs.
    for (const name of ['react', 'vue']) assert.equal(watched(`${packageName}/${name}`), watched(name), name)
    // The watch does see such things.
    const found = watched('./hostile.mjs')
    const calls = ['globalThis.setTimeout', 'fs/promises.readFile', 'net.connect', 'WebAssembly.Module']
    for (const call of [...calls, 'the global started', 'resources: ']) {
        assert.ok(found.includes(call), `${call}\n${found}`)
    }
}

async function testTypes(tarball) {
    const app = makeApp(tarball, {
        'package.json': '{ "type": "module" }',
        'app.ts': `
            import { Caret } from '${packageName}'
            import { Caret as Inline } from '${packageName}/inline'
            import { connect } from '${packageName}/node'
            import { CaretProvider, useDocument } from '${packageName}/react'
            import { provideCaret } from '${packageName}/vue'
            const client: () => Promise<Caret> = () => connect('a', 1)
            CaretProvider({ client })
            provideCaret(() => Inline.connect())
            // @ts-expect-error
            useDocument('a').text.missing`,
        'vue.d.ts': readFileSync(join(repository, 'Tests/CaretPageTests/types/vue-stub.d.ts'), 'utf8'),
    })
    for (const [module, resolution] of [['node16', 'node16'], ['es2022', 'node']]) {
        const language = ['--strict', '--target', 'es2022', '--lib', 'es2022,dom']
        const options = ['--noEmit', ...language, '--module', module, '--moduleResolution', resolution]
        const { status, output } = await run('tsc', [...options, join(app, 'app.ts'), join(app, 'vue.d.ts')])
        assert.deepEqual([status, output], [0, ''], resolution)
    }
}

async function testSize(tarball) {
    const app = makeApp(tarball, { 'app.js': `export { Caret } from '${packageName}'` })
    const args = ['--bundle', '--minify', '--format=esm', '--target=es2022', join(app, 'app.js')]
    const { bytes, errors } = await run('esbuild', args)
    assert.equal(errors, '')
    const size = gzipSync(bytes, { level: 9 }).length
    console.log(`  the client in a bundle: ${size} bytes compressed`)
    assert.ok(bytes.length > 50_000 && size <= limit, `${bytes.length} bytes, ${size} compressed; the limit is ${limit}`)
}

/** A program that writes a document with the client of an entry, over TCP. */
const writing = (entry, port, name) => `
    import { Caret } from '${packageName}${entry}'
    import { lines } from '${packageName}/node'
    const caret = await Caret.connect('http://127.0.0.1:${port}', { transport: lines('127.0.0.1', ${port}) })
    const document = caret.open('${name}', { create: true })
    document.append('from ${name}')
    await document.saved()
    await caret.close()`

async function testModules(tarball, server) {
    const node = `import { connect } from '${packageName}/node'
        const caret = await connect('127.0.0.1', ${server.port})
        const document = caret.open('node', { create: true })
        document.append('from node')
        await document.saved()
        await caret.close()`
    const app = makeApp(tarball, { 'node.mjs': node, 'inline.mjs': writing('/inline', server.port, 'inline') })
    for (const name of ['node', 'inline']) {
        assert.deepEqual(await run(process.execPath, [join(app, `${name}.mjs`)]).then(({ errors }) => errors), '')
        assert.equal(await server.caret(['cat', name]), `from ${name}`)
    }
}

async function testInstall(tarball, server) {
    const title = 'npm installs the package in an empty folder, without a registry'
    if ((await run('npm', ['--version'])).status !== 0) return skip(title, 'there is no npm here')
    await test(title, async () => {
        const folder = temporaryFolder()
        const options = ['--registry=http://127.0.0.1:1', '--fetch-retries=0', '--no-audit', '--no-fund']
        const folders = ['--cache', temporaryFolder(), '--prefix', folder]
        const { status, errors } = await run('npm', ['install', ...options, ...folders, tarball])
        assert.equal(status, 0, errors)
        assert.deepEqual(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')), ['@caret-text'])
        await testGuide(folder, server)
    })
}

/** The program of the guide, and somebody else who changes its document. */
async function testGuide(folder, server) {
    const program = block('docs/client-js.md', 'A program in Node', 'js', [['22738', server.port]])
    writeFileSync(join(folder, 'hello.mjs'), program)
    const running = start(process.execPath, ['hello.mjs'], { cwd: folder })
    await until(async () => await server.caret(['cat', 'agenda']).catch(() => '') === 'Bring a pen.\n')
    await server.caret(['put', 'agenda'], 'Bring a pen.\nAnd paper.\n')
    await running.line(/^And paper\.$/)
    await running.stop()
    assert.deepEqual(running.lines.slice(0, 2), ['Bring a pen.', 'And paper.'])
}
