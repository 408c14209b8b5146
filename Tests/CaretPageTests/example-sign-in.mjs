// The site of Examples/sign-in with a running server: what its users may do with the tokens that it signs.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blocks } from '../NodeSupport/page.mjs'
import { run, start, startServer } from '../NodeSupport/programs.mjs'

const bin = process.env.CARET_BIN ?? fileURLToPath(new URL('../../.build/debug', import.meta.url))
const folder = new URL('../../Examples/sign-in/', import.meta.url)
const readme = 'Examples/sign-in/README.md'

export const cases = {
    async 'the site of Examples/sign-in signs a token for the user of the session'() {
        await withSite(async (visit, status) => {
            const nobody = visit()
            assert.equal((await nobody('POST', 'token')).status, 401)
            const [ann, bob] = [visit(), visit()]
            await ann('POST', 'sign-in/ann')
            await bob('POST', 'sign-in/bob')
            assert.deepEqual(await (await bob('GET', 'me')).json(), { user: 'bob', bobMayWrite: true })
            const token = async (user) => await (await user('POST', 'token')).text()
            assert.deepEqual([await status(await token(ann)), await status(await token(bob))], [200, 200])

            assert.equal((await bob('POST', 'writers')).status, 403)
            assert.deepEqual(await (await ann('POST', 'writers')).json(), { user: 'ann', bobMayWrite: false })
            assert.deepEqual([await status(await token(ann)), await status(await token(bob))], [200, 403])
            await ann('POST', 'writers')
            assert.equal(await status(await token(bob)), 200)

            await bob('POST', 'sign-out')
            assert.equal((await bob('POST', 'token')).status, 401)
            assert.equal((await ann('POST', 'token')).status, 200)
        })
    },

    async 'the site of Examples/sign-in has the files of its page, and no others'() {
        await withSite(async (visit) => {
            const get = visit()
            for (const path of ['', 'sign-in.js', 'shared/page.css', 'shared/example.js']) {
                const response = await get('GET', path)
                assert.deepEqual([response.status, response.headers.get('Cache-Control')], [200, 'no-store'], path)
            }
            for (const path of ['site.mjs', 'key.pem', '..%2fREADME.md', 'token']) assert.equal((await get('GET', path)).status, 404, path)
        })
    },
}

/**
 * Starts a server and the site, with the commands of the README. `body` gets a function that makes a browser with its
 * own cookie, and one that writes with a token and returns the status.
 */
async function withSite(body) {
    const here = await mkdtemp(join(tmpdir(), 'caret-'))
    const programs = []
    try {
        const [serving, site] = blocks(readme, 'Users of your own site', 'sh').map((text) => text.replaceAll('\\\n', ''))
        const made = await run('/bin/sh', ['-ec', `cd ${here}\n${serving.match(/^openssl .*$/gm).join('\n')}`])
        assert.equal(made.status, 0, made.errors)
        const options = serving.match(/^\.build\/release\/caretd (.*)$/m)[1].split(/ +/)
        const server = await startServer(bin, options.map((word) => word === 'public.pem' ? join(here, word) : word), { data: join(here, 'data') })
        programs.push(server)
        assert.equal(site, 'node Examples/sign-in/site.mjs\n')
        const backend = start('node', [fileURLToPath(new URL('site.mjs', folder)), join(here, 'key.pem'), '0'])
        programs.push(backend)
        const [, origin] = await backend.line(/(http:\/\/.*)\/$/)
        await body(() => browser(origin), async (token) => {
            const url = `http://127.0.0.1:${server.port}/append/examples/sign-in/notes?create=1`
            return (await fetch(url, { method: 'POST', body: 'x', headers: { Authorization: `Bearer ${token}` } })).status
        })
    } finally {
        for (const program of programs) await program.stop()
        await rm(here, { recursive: true, force: true })
    }
}

function browser(origin) {
    let cookie = ''
    return async (method, path) => {
        const response = await fetch(`${origin}/${path}`, { method, headers: { cookie }, redirect: 'manual' })
        cookie = response.headers.get('Set-Cookie')?.split(';')[0] ?? cookie
        return response
    }
}
