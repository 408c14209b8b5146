// The binding for Vue, in an app that mounts and unmounts components. vue-app.js is the app. scripts/install-editors brings Vue.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../CaretPageTests/support.mjs'
import { startServer } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { startBrowser } from './browsers.mjs'
import { makeApp, makePackage, repository, startSite } from './package-support.mjs'

export async function testVue(programs) {
    const app = buildApp()
    const site = await startSite({ app })
    const server = await startServer(programs, ['--web-origins', site.origin])
    const browser = await startBrowser()
    const testApp = (title, body) => test(title, async () => {
        const page = await browser.open(`${site.origin}/app/index.html#http://127.0.0.1:${server.port}`)
        await body(page)
        assert.deepEqual(page.problems, [])
        await page.close()
    })
    await testComponents(testApp, server)
}

const shows = (page, id, text) =>
    page.waitFor((id, text) => document.getElementById(id)?.value === text, `${id} shows '${text}'`, id, text)
const isSaved = (page, id) => page.waitFor(
    (id) => document.getElementById(`${id}-state`)?.textContent === 'saved, online', `${id} is saved`, id)

async function testComponents(testApp, server) {
    const sockets = (page) => page.evaluate(() => app.sockets.length)

    await testApp('two components show one document over one connection, and a third edits it with v-model', async (page) => {
        await page.evaluate(() => app.show([['vue', 'a'], ['vue', 'b']]))
        await isSaved(page, 'b')
        await page.evaluate(() => app.type('a', 'Milk'))
        await shows(page, 'b', 'Milk')
        await page.evaluate(() => app.type('a-model', 'Tea '))
        await shows(page, 'a', 'Tea Milk')
        await isSaved(page, 'a')
        assert.equal(await server.caret(['cat', 'vue']), 'Tea Milk')
        assert.equal(await sockets(page), 1)
    })

    await testApp('letters that are typed in the task in which their component goes are saved', async (page) => {
        await page.evaluate(() => app.show([['gone', 'a']]))
        await isSaved(page, 'a')
        await page.evaluate(async () => {
            app.type('a', 'Milk')
            await app.show([])
        })
        await until(async () => await server.caret(['cat', 'gone']) === 'Milk')
        // The app itself is still mounted, and so the connection stays.
        await page.evaluate(() => app.show([['gone', 'b']]))
        await shows(page, 'b', 'Milk')
        assert.equal(await sockets(page), 1)
    })

    await testApp('a component shows the other document when its name changes', async (page) => {
        await page.evaluate(() => app.show([['first', 'a']]))
        await isSaved(page, 'a')
        await page.evaluate(async () => {
            app.type('a', 'one')
            await app.show([['second', 'a']])
        })
        await shows(page, 'a', '')
        await isSaved(page, 'a')
        await page.evaluate(() => app.type('a', 'two'))
        await until(async () => await server.caret(['cat', 'second']) === 'two')
        assert.equal(await server.caret(['cat', 'first']), 'one')
    })

    await testApp('the connection ends with the app, after its letters are saved', async (page) => {
        await page.evaluate(() => app.show([['ended', 'a']]))
        await isSaved(page, 'a')
        await page.evaluate(() => {
            app.type('a', 'Milk')
            app.unmount()
        })
        await page.waitFor(() => app.sockets[0].readyState === WebSocket.CLOSED, 'the end of the connection')
        assert.equal(await server.caret(['cat', 'ended']), 'Milk')
    })
}

/** Bundles the app. */
function buildApp() {
    execFileSync(join(repository, 'scripts/install-editors'), { stdio: 'inherit' })
    const page = '<!doctype html>\n<div id="root"></div>\n<script type="module" src="dist/vue-app.js"></script>\n'
    const app = makeApp(makePackage(), { 'index.html': page })
    cpSync(join(repository, '.build/vue'), join(app, 'node_modules/vue'), { recursive: true })
    cpSync(join(repository, 'Tests/BrowserTests/vue-app.js'), join(app, 'vue-app.js'))
    const options = ['--bundle', '--format=esm', '--outdir=dist', '--log-level=warning']
    execFileSync('esbuild', ['vue-app.js', ...options], { cwd: app, stdio: 'pipe' })
    return app
}
