// A page whose site signs its users in: where its tokens come from, and what it says about its user.
import assert from 'node:assert/strict'
import { isSignedOut } from '../../Sources/CaretPage/page/saving-state.js'
import { bannerFor } from '../../Sources/CaretPage/page/saving-words.js'
import { ownLook } from '../../Sources/CaretPage/page/own-look.js'
import { siteWords } from '../../Sources/CaretPage/page/sign-in-words.js'
import { siteToken } from '../../Sources/CaretPage/page/site-token.js'
import { asking } from '../../Clients/javascript/token-client.js'
import { inWorlds } from './keeping-world.mjs'
import { until } from './support.mjs'

/** Calls the token function with a backend that answers so. */
function tokenFor(status, body = null) { return siteToken('/token', async () => new Response(body, { status }))() }

export const cases = {
    async 'the page asks with the cookies of its own origin, and no answer comes from a cache or another address'() {
        const requests = []
        const token = siteToken('/sign-in/token', async (...request) => {
            requests.push(request)
            return new Response(`ey.${requests.length}.x\n`)
        })
        assert.deepEqual([await token(), await token()], ['ey.1.x', 'ey.2.x'])
        assert.deepEqual(requests[0], requests[1])
        assert.deepEqual(requests[0], ['/sign-in/token', {
            method: 'POST', credentials: 'same-origin', redirect: 'error', cache: 'no-store', headers: { 'Caret-Page': '1' },
        }])
    },

    async '204, 401 and 403 mean that nobody is signed in'() {
        for (const [status, body] of [[204, null], [401, 'Sign in first.'], [403, 'ey.not.this']]) {
            assert.equal(await tokenFor(status, body), null, status)
        }
    },

    async 'every other answer without a token is a failure, and its text is neither a token nor in the reason'() {
        for (const status of [400, 404, 405, 429, 500, 502, 503]) {
            await assert.rejects(tokenFor(status, 'ey.not.this'), { message: `/token has answered with status ${status}` })
        }
        for (const body of ['', '\n', '<!doctype html>', '{"token":"ey.a.b"}', 'ey.a.b ey.c.d', 'ey.a.b\u00e9']) {
            await assert.rejects(tokenFor(200, body), { message: '/token has answered with something that is no token' }, body)
        }
    },

    async 'a failure of the network means offline'() {
        const token = siteToken('/token', async () => { throw new TypeError('Failed to fetch') })
        const event = await asking(token, null)(1)
        const found = event({ tokenFailed: (reason) => reason }, 0)
        assert.equal(found, 'the token function has failed: Failed to fetch')
    },

    'the page says what its user can do after the end of the sign-in'() {
        assert.match(siteWords('signed_out'), /Sign in there, and then reload/)
        assert.match(siteWords('revoked'), /Sign in there again/)
        assert.match(siteWords('unauthorized'), /Tell the administrator/)
        assert.ok(isSignedOut({ reason: 'signed_out' }))
        const facts = { unsaved: 0, link: { state: 'ended', reason: 'other_user' }, saving: { since: 0 } }
        const { sentence, actions } = bannerFor('ended', facts, 0)
        assert.deepEqual([sentence, actions], ['Another user has signed in here. Reload the page to go on as this user.', ['reload']])
    },

    'a name and color of the token come before those of this device, both at once'() {
        const settings = { person: { name: 'Annie', color: '#000' } }
        const look = (user, verified) => ownLook({ caret: { user, verified }, settings })
        assert.deepEqual(look('ann', undefined), { name: 'Annie', color: '#000', isVerified: false })
        assert.deepEqual(look('ann', { name: 'Ann B.', color: '#c33', verified: true }), { name: 'Ann B.', color: '#c33', isVerified: true })
        assert.deepEqual(look('ann', { name: 'Ann B.' }), { name: 'Ann B.', color: '', isVerified: true })
        assert.deepEqual(look('ann', { color: '#c33' }), { name: 'ann', color: '#c33', isVerified: true })
        settings.person = {}
        assert.deepEqual(look(undefined, undefined), { name: '', color: '', isVerified: false })
        assert.deepEqual(look('anonymous', undefined), { name: '', color: '', isVerified: false })
        assert.deepEqual(look('link/3/8', undefined), { name: '', color: '', isVerified: false })
    },

    ...inWorlds({
        async 'a client knows the name and color of its token after the welcome'(world) {
            const tab = await world.tab(undefined, { token: () => 't', name: 'Annie' })
            assert.equal(tab.caret.verified, undefined)
            await until(() => tab.caret.link.state === 'online')
            assert.equal(tab.caret.verified, undefined)
            world.server.look = { name: 'Ann B.', color: '#c33', verified: true }
            tab.transport.connection.end()
            tab.caret.reconnect()
            await until(() => tab.caret.verified?.name === 'Ann B.')
            assert.equal(tab.caret.verified.color, '#c33')
        },
    }),
}
