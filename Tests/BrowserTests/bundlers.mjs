// Apps that bundlers have made of the package of the JavaScript client, in a browser under a strict policy. Each row of
// the table in docs/client-js.md is tried.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../CaretPageTests/support.mjs'
import { block } from '../NodeSupport/page.mjs'
import { startServer } from '../NodeSupport/programs.mjs'
import { skip, test } from '../NodeSupport/suite.mjs'
import { startBrowser } from './browsers.mjs'
import { makeApp, makePackage, moduleFolder, packageName, startSite } from './package-support.mjs'

/** An app that binds its field, and has a title when the text has arrived. Its address has the server and the document after `#`. */
const appOf = (entry) => `
    import { Caret } from '${packageName}${entry}'
    const [server, name] = location.hash.slice(1).split('|')
    Caret.connect(server).then(async (caret) => {
        const opened = caret.open(name, { create: true })
        opened.bind(document.querySelector('textarea'))
        await opened.opened()
        document.title = 'open'
    })`

const files = {
    'module.html': '<!doctype html>\n<textarea></textarea>\n<script type="module" src="dist/app.js"></script>\n',
    'plain.html': '<!doctype html>\n<textarea></textarea>\n<script src="dist/app.js"></script>\n',
    // Rollup finds packages with a plugin, which Debian has only for its own Node. This is what the app needs of it.
    'rollup.config.mjs': `
        import { readFileSync } from 'node:fs'
        const folder = new URL('node_modules/${packageName}/', import.meta.url)
        const { name, exports } = JSON.parse(readFileSync(new URL('package.json', folder)))
        const pathOf = (entry) => new URL(exports[entry].default, folder).pathname
        const find = (id) => (id.startsWith(name) ? pathOf('.' + id.slice(name.length)) : null)
        export default { input: 'app.js', output: { dir: 'dist' }, plugins: [{ name: 'find', resolveId: find }] }`,
    'webpack.cjs': `
        const webpack = require(process.argv[2])
        const settings = { mode: 'production', context: __dirname, entry: './app.js', output: { filename: 'app.js' } }
        webpack(settings, (error, stats) => {
            if (error) throw error
            if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'))
        })`,
}

/** Each command bundles `app.js` to `dist/app.js`. A warning is an error. */
const commands = {
    esbuild: ['esbuild', 'app.js', '--bundle', '--format=esm', '--outdir=dist', '--log-level=warning'],
    'esbuild without modules': ['esbuild', 'app.js', '--bundle', '--outdir=dist', '--log-level=warning'],
    rollup: ['rollup', '--config', 'rollup.config.mjs', '--silent', '--failAfterWarnings'],
    webpack: [process.execPath, 'webpack.cjs', moduleFolder('webpack')],
}

const copyModule = (app) => cpSync(join(app, 'node_modules', packageName, 'caret.wasm'), join(app, 'dist/caret.wasm'))

/** What a test does: its title, the entry of the package, the command, and the next step. */
const ways = [
    ['webpack finds the module', '', 'webpack'],
    ['webpack, with the module in the bundle', '/inline', 'webpack'],
    ['rollup, with the module copied beside the bundle', '', 'rollup', copyModule],
    ['rollup, with the module in the bundle', '/inline', 'rollup'],
    ['esbuild, with the module copied beside the bundle', '', 'esbuild', copyModule],
    ['esbuild, with the module in the bundle', '/inline', 'esbuild'],
    ['esbuild, with the module in a script that is no JavaScript module', '/inline', 'esbuild without modules'],
]

export async function testBundlers(programs) {
    const tarball = makePackage()
    const site = await startSite()
    const server = await startServer(programs, ['--web-origins', site.origin])
    const address = `http://127.0.0.1:${server.port}`
    site.policy = block('docs/client-js.md', 'A strict policy', '', [['22738', server.port]]).trim()
    const browser = await startBrowser()
    for (const [index, [title, entry, bundler, finish]] of ways.entries()) {
        if (['rollup', 'webpack'].includes(bundler) && !moduleFolder(bundler)) {
            skip(title, `there is no ${bundler} here: scripts/install-packages ${bundler}`)
            continue
        }
        await test(title, async () => {
            const app = makeApp(tarball, { ...files, 'app.js': appOf(entry) })
            const [program, ...args] = commands[bundler]
            assert.equal(execFileSync(program, args, { cwd: app, encoding: 'utf8', stdio: 'pipe' }), '')
            finish?.(app)
            site.folders[index] = app
            const html = bundler === 'esbuild without modules' ? 'plain' : 'module'
            await typeInto(browser, `${site.origin}/${index}/${html}.html#${address}|doc${index}`)
            await until(async () => await server.caret(['cat', `doc${index}`]) === 'Milk', 'the text on the server')
        })
    }
}

/** Types into the field of an app. */
async function typeInto(browser, url) {
    const page = await browser.open(url)
    await page.waitFor(() => document.title === 'open', 'the text').catch((error) => {
        throw new Error(`${error.message}\n${page.problems.join('\n')}`)
    })
    await page.evaluate(() => document.querySelector('textarea').focus())
    await page.insert('Milk')
    assert.deepEqual(page.problems, [])
}
