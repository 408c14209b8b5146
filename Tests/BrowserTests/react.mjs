// The binding for React, in an app that mounts and unmounts components. react-app.jsx is the app.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../Clients/javascript/caret-node.js'
import { makeRandom, makeScalars, randomOffset, until } from '../CaretPageTests/support.mjs'
import { block } from '../NodeSupport/page.mjs'
import { run, startServer } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { startBrowser } from './browsers.mjs'
import { makeApp, makePackage, repository, startSite } from './package-support.mjs'
import { allOr } from './quick.mjs'

export async function testReact(programs) {
    const app = buildApp()
    const site = await startSite({ app })
    const server = await startServer(programs, ['--web-origins', site.origin])
    const wasm = readFileSync(join(repository, 'Clients/javascript/caret.wasm'))
    const other = await connect('127.0.0.1', server.port, { wasm })
    atEnd(() => other.close())
    const browser = await startBrowser()
    const address = (file) => `${site.origin}/app/${file}#http://127.0.0.1:${server.port}`

    /** Runs a test with a tab of the app, and the name of a new document. */
    const testApp = (title, body, file = 'index.html') => test(title, async () => {
        const page = await browser.open(address(file))
        const tab = new Tab(page)
        await body(tab, `doc-${title.replace(/\W+/g, '-')}`.slice(0, 40))
        assert.deepEqual(page.problems, [])
        await page.close()
    })
    const world = { server, other, app, browser }
    for (const part of [testMounting, testReplacing, testUnmounting, testMountingAgain]) await part(testApp, world)
    await testServerRendering(testApp, world)
    await testRandom(testApp, world)
    await testGuide({ ...world, site })
}

/** Bundles the app for the browser, with the checks of React. */
function buildApp() {
    const app = makeApp(makePackage(), {}, ['react', 'react-dom', 'scheduler'])
    for (const name of ['react-app.jsx', 'react-components.jsx']) {
        cpSync(join(repository, 'Tests/BrowserTests', name), join(app, name))
    }
    // The test counts what goes over the wire.
    const packagePath = join(app, 'node_modules/@caret-text/client/package.json')
    const description = JSON.parse(readFileSync(packagePath, 'utf8'))
    description.exports['./web-socket.js'] = './web-socket.js'
    writeFileSync(packagePath, JSON.stringify(description))
    const options = [
        '--bundle', '--format=esm', '--jsx=automatic', '--define:process.env.NODE_ENV="development"', '--outdir=dist',
        '--log-level=warning',
    ]
    execFileSync('esbuild', ['react-app.jsx', ...options], { cwd: app, stdio: 'pipe' })
    writeFileSync(join(app, 'index.html'), html(''))
    return app
}

const html = (content) =>
    `<!doctype html>\n<div id="root">${content}</div>\n<script type="module" src="dist/react-app.js"></script>\n`

async function testGuide({ app, server, browser, site }) {
    writeFileSync(join(app, 'main.jsx'), block('docs/client-js.md', 'A page in React', 'jsx', [['22738', server.port]]))
    const guide = readFileSync(join(repository, 'docs/client-js.md'), 'utf8')
    // Here esbuild is a package of Debian, and the test has its own site.
    const [, command] = guide.match(/^npx (esbuild main\.jsx .*) --servedir=/m)
    execFileSync('sh', ['-c', command], { cwd: app, stdio: 'pipe' })
    writeFileSync(join(app, 'guide.html'), block('docs/client-js.md', 'A page in React', 'html'))
    const address = `${site.origin}/app/guide.html`
    await test('the page in React of docs/client-js.md works as it is', async () => {
        const pages = [await browser.open(address), await browser.open(address)]
        for (const page of pages) {
            await page.waitFor(() => document.querySelector('p')?.textContent.startsWith('saved; '), 'an open document')
            await page.evaluate(() => document.querySelector('textarea').focus())
            await page.insert('Bring a pen.')
        }
        for (const page of pages) {
            await page.waitFor(() => document.querySelector('textarea').value === 'Bring a pen.'.repeat(2), 'both texts')
            const line = 'saved; 1 others are here.'
            await page.waitFor((line) => document.querySelector('p').textContent === line, 'the other user', line)
            assert.deepEqual(page.problems, [])
        }
        for (const page of pages) await page.close()
    })
}

/** A tab with the app. */
class Tab {
    constructor(page) { this.page = page }

    show(fields, key) { return this.page.evaluate((fields, key) => app.show(fields, key), fields, key) }
    shows(id, text) {
        const shown = (id, text) => document.getElementById(id)?.value === text
        return this.page.waitFor(shown, `${id} has '${text}'`, id, text)
    }
    state(id, state) {
        const shown = (id, state) => document.getElementById(`${id}-state`)?.textContent === state
        return this.page.waitFor(shown, `${id} is '${state}'`, id, state)
    }
    isSaved(id) { return this.state(id, 'saved, online, 0 others') }
    type(id, text) { return this.page.evaluate((id, text) => app.type(id, text), id, text) }
    /** How often the client has connected, and how often it has sent a message. */
    async count(...types) {
        const { sockets, sent } = await this.page.evaluate(() => app.wire)
        return [sockets, ...types.map((type) => sent.filter((one) => one === type).length)]
    }
}

async function testMounting(testApp, { server }) {
    await testApp('StrictMode mounts twice, and there is one connection and one document', async (tab, name) => {
        await tab.show([[name, 'a']])
        await tab.isSaved('a')
        assert.ok(await tab.type('a', 'Milk'))
        await tab.isSaved('a')
        assert.equal(await tab.page.evaluate(() => document.getElementById('a-text').textContent), 'Milk')
        assert.deepEqual(await tab.count('hello', 'open', 'close'), [1, 1, 1, 0])
        assert.equal(await server.caret(['cat', name]), 'Milk')
    })

    await testApp('two components show one document, which is open until the last is unmounted', async (tab, name) => {
        await tab.show([[name, 'a'], [name, 'b']])
        await tab.isSaved('b')
        await tab.type('a', 'Milk')
        await tab.shows('b', 'Milk')
        await tab.show([[name, 'b']])
        await tab.type('b', ' and tea')
        await tab.isSaved('b')
        assert.deepEqual(await tab.count('open', 'close'), [1, 1, 0])
        await tab.show([])
        await tab.page.waitFor(() => app.wire.sent.includes('close'), 'the end of the document')
        assert.deepEqual(await tab.count('open', 'close'), [1, 1, 1])
        assert.match(await server.caret(['cat', name]), /^(Milk and tea| and teaMilk)$/)
    })
}

async function testReplacing(testApp, { server }) {
    await testApp('a component that is replaced, as by hot reload, finds its text and the connection', async (tab, name) => {
        await tab.show([[name, 'a']], 0)
        await tab.isSaved('a')
        // Letters that the server does not have yet, a new field, and then a new app.
        const texts = await tab.page.evaluate((name) => {
            app.wire.isHeld = true
            app.type('a', 'Milk')
            app.show([[name, 'b']], 0)
            const second = document.getElementById('b').value
            app.type('b', 'Tea ', 0)
            app.show([[name, 'c']], 1)
            return [second, document.getElementById('c').value]
        }, name)
        assert.deepEqual(texts, ['Milk', 'Tea Milk'])
        await tab.page.evaluate(() => app.release())
        await tab.isSaved('c')
        assert.deepEqual(await tab.count('hello', 'open', 'close'), [1, 1, 1, 0])
        assert.equal(await server.caret(['cat', name]), 'Tea Milk')
        // The same without a document.
        await tab.show([], 1)
        await tab.page.waitFor(() => app.wire.sent.includes('close'), 'the end of the document')
        await tab.show([], 2)
        await tab.show([[name, 'd']], 2)
        await tab.isSaved('d')
        assert.deepEqual(await tab.count('hello', 'open', 'close'), [1, 1, 2, 1])
    })

    await testApp('a component that gets another name shows the other document', async (tab, name) => {
        await tab.show([[name, 'a']])
        await tab.isSaved('a')
        await tab.type('a', 'first')
        await tab.show([[`${name}-2`, 'a']])
        await tab.shows('a', '')
        await tab.isSaved('a')
        await tab.type('a', 'second')
        await tab.isSaved('a')
        await until(async () => await server.caret(['cat', name]) === 'first')
        assert.equal(await server.caret(['cat', `${name}-2`]), 'second')
    })
}

async function testUnmounting(testApp, { server }) {
    await testApp('letters that are typed in the task in which their field goes are saved', async (tab, name) => {
        await tab.show([[name, 'a']])
        await tab.isSaved('a')
        await tab.page.evaluate(() => {
            app.type('a', 'Milk')
            app.show([])
        })
        await until(async () => await server.caret(['cat', name]) === 'Milk')
    })

    await testApp('a document stays open until its edits are saved, also for longer than 4 s', async (tab, name) => {
        await tab.show([[name, 'a']])
        await tab.isSaved('a')
        await tab.page.evaluate(async () => {
            app.wire.isHeld = true
            app.type('a', 'Milk')
            // A close of the client itself would wait for 4 s, which are over at once here.
            const { setTimeout } = globalThis
            globalThis.setTimeout = (task, delay) => setTimeout(task, delay >= 1_000 && delay <= 5_000 ? 0 : delay)
            app.show([])
            for (let task = 0; task < 20; task++) await new Promise((next) => setTimeout(next))
        })
        assert.deepEqual(await tab.count('close'), [1, 0])
        await tab.page.evaluate(() => app.release())
        await until(async () => await server.caret(['cat', name]) === 'Milk')
        await tab.page.waitFor(() => app.wire.sent.includes('close'), 'the end of the document')
    })

    await testApp('letters that are typed without a connection are saved after the app is gone', async (tab, name) => {
        await tab.show([[name, 'a']])
        await tab.isSaved('a')
        await tab.page.evaluate(() => app.wire.cut())
        const isCut = () => document.getElementById('a-state').textContent.startsWith('offline, ')
        await tab.page.waitFor(isCut, 'a cut link')
        await tab.page.evaluate(() => {
            app.type('a', 'Milk')
            app.unmount()
        })
        await until(async () => await server.caret(['cat', name]) === 'Milk')
        assert.deepEqual(await tab.count('hello'), [2, 2])
    })
}

async function testMountingAgain(testApp, { other }) {
    await testApp('a component that is mounted while its document closes shows all letters', async (tab, name) => {
        await tab.show([[name, 'a']])
        await tab.isSaved('a')
        const text = await tab.page.evaluate(async (name) => {
            app.wire.isHeld = true
            app.type('a', 'Milk')
            app.show([])
            for (let task = 0; task < 5; task++) await new Promise((next) => setTimeout(next))
            app.show([[name, 'b']])
            return document.getElementById('b').value
        }, name)
        assert.equal(text, 'Milk')
        await tab.page.evaluate(() => app.release())
        await tab.isSaved('b')
        assert.deepEqual(await tab.count('open', 'close'), [1, 1, 0])
    })

    await testApp('a component sees the carets of others, and what they type', async (tab, name) => {
        await tab.show([[name, 'a']])
        await tab.isSaved('a')
        const theirs = other.open(name)
        await theirs.opened()
        theirs.select([[0, 0]])
        await tab.state('a', 'saved, online, 1 others')
        theirs.append('Bread')
        await tab.shows('a', 'Bread')
        await theirs.close()
        await tab.isSaved('a')
    })
}

async function testServerRendering(testApp, { app, server }) {
    const content = await renderOnServer(app)
    writeFileSync(join(app, 'rendered.html'), html(content))
    await testApp('a server renders the app without a connection, and the browser goes on with its HTML', async (tab) => {
        assert.match(content, /^<div><textarea id="a"><\/textarea><output id="a-state">opening, connecting, 0 others</)
        // A user types before the scripts of the app have run.
        await tab.page.evaluate(() => {
            globalThis.before = document.getElementById('a')
            before.focus()
        })
        await tab.page.insert('early')
        await tab.page.evaluate(() => app.hydrate([['rendered', 'a']]))
        await tab.isSaved('a')
        assert.ok(await tab.page.evaluate(() => document.getElementById('a') === before), 'React keeps the field')
        await until(async () => await server.caret(['cat', 'rendered']) === 'early')
        assert.deepEqual(await tab.count('open'), [1, 1])
    }, 'rendered.html')
}

/** The HTML of the app, from a process that must then end, because nothing is open. */
async function renderOnServer(app) {
    writeFileSync(join(app, 'server.jsx'), `
        import { renderToString } from 'react-dom/server'
        import { App } from './react-components.jsx'
        const client = () => { throw new Error('a server must not connect') }
        process.stdout.write(renderToString(<App client={client} fields={[['rendered', 'a']]} />))`)
    const options = [
        '--bundle', '--format=esm', '--platform=node', '--packages=external', '--jsx=automatic', '--outfile=server.mjs',
        '--log-level=warning',
    ]
    execFileSync('esbuild', ['server.jsx', ...options], { cwd: app, stdio: 'pipe' })
    const { status, output, errors } = await run(process.execPath, [join(app, 'server.mjs')])
    assert.deepEqual([status, errors], [0, ''])
    return output
}

async function testRandom(testApp, { server, other }) {
    const seeds = allOr([1, 2], Array.from({ length: 50 }, (_, index) => index), 'most seeds of fields that come and go')
    for (const seed of seeds) {
        await testApp(`two users type while fields come and go: no letter is lost (seed ${seed})`, async (tab) => {
            const name = `random-${seed}`
            const [random, scalar] = [makeRandom(seed), makeScalars()]
            const theirs = other.open(name, { create: true })
            await theirs.opened()
            const typed = []
            for (let step = 0; step < 60; step++) {
                const text = scalar()
                typed.push(text)
                theirs.edit([{ range: Array(2).fill(randomOffset(theirs.text, random)), text }])
                const choices = Array.from({ length: 4 }, () => random.below(1000))
                typed.push(...await tab.page.evaluate(act, name, choices, Array.from({ length: 3 }, scalar)))
            }
            await tab.show([[name, 'x']])
            await theirs.saved()
            await until(async () => [...theirs.text].length === typed.length)
            await tab.shows('x', theirs.text)
            assert.deepEqual([...theirs.text].sort(), typed.sort())
            assert.equal(await server.caret(['cat', name]), theirs.text)
            // The other user has typed 60 of them. How many the page has typed depends on when its fields may be edited.
            assert.ok(typed.length > 70, `${typed.length} letters`)
            assert.deepEqual(await tab.count(), [1])
            await theirs.close()
        })
    }
}

/** In the page: types some letters, and mounts other fields in the same task. Returns the letters that fields have taken. */
async function act(name, [first, second, third, place], letters) {
    const keys = ['x', 'y']
    const show = (choice) => app.show(keys.filter((_, index) => choice & (1 << index)).map((key) => [name, key]))
    const taken = letters.filter((letter, index) => {
        const key = keys[(first + index) % 2]
        const length = document.getElementById(key)?.value.length ?? 0
        // A place that is certainly no half of a surrogate pair.
        return app.type(key, letter, place % 2 ? 0 : length)
    })
    if (second % 3 === 0) show(third)
    if (place % 4 === 0) await new Promise((next) => setTimeout(next))
    if (place % 4 === 1) await new Promise((next) => requestAnimationFrame(next))
    return taken
}
