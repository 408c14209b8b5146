// A site with two users and sessions of its own. It signs tokens, and its users sign in to a Caret server with them.
//
//     node Examples/sign-in/site.mjs [KEY [PORT]]
//
// KEY is the file with the private key, key.pem by default. The site listens on this machine only, on port 8000.
import { createPrivateKey, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [keyFile = 'key.pem', port = '8000'] = process.argv.slice(2)
const audience = 'notes.example.org'
/** In seconds. Use an hour in an app. Half a minute lets you watch a right change. */
const tokenLife = 30

// What your app has in its database.

const users = ['ann', 'bob']
/** The user of each session, by the secret id in the cookie. */
const sessions = new Map()
let bobMayWrite = true

/** The rights of a user at this moment. */
function rights(user) {
    return { [user === 'ann' || bobMayWrite ? 'write' : 'read']: ['examples/sign-in/'] }
}

// What Caret adds.

const key = createPrivateKey(readFileSync(keyFile))
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

function caretToken(user) {
    const now = Math.floor(Date.now() / 1000)
    const claims = { sub: user, aud: audience, iat: now, exp: now + tokenLife, caret: rights(user) }
    const signed = `${encode({ alg: 'EdDSA', typ: 'JWT' })}.${encode(claims)}`
    return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}

// The requests. The session alone says who the user is, and never the body of a request.

const routes = {
    'GET /me': (user) => json({ user, bobMayWrite }),
    'POST /token': (user) => user ? text(caretToken(user)) : text('Nobody is signed in.', 401),
    'POST /writers': (user) => {
        if (user !== 'ann') return text('Only ann may decide this.', 403)
        bobMayWrite = !bobMayWrite
        return json({ user, bobMayWrite })
    },
    'POST /sign-in/ann': () => signIn('ann'),
    'POST /sign-in/bob': () => signIn('bob'),
    'POST /sign-out': (user, session) => {
        sessions.delete(session)
        return redirect('session=; Max-Age=0')
    },
    'GET /': () => file('index.html', 'text/html'),
    'GET /sign-in.js': () => file('sign-in.js', 'text/javascript'),
    'GET /shared/example.js': () => file('../shared/example.js', 'text/javascript'),
    'GET /shared/page.css': () => file('../shared/page.css', 'text/css'),
}

/** Your app asks for a password here. */
function signIn(user) {
    const session = randomUUID()
    sessions.set(session, user)
    return redirect(`session=${session}`)
}

const text = (body, status = 200, type = 'text/plain') => ({ status, body, headers: { 'Content-Type': `${type}; charset=utf-8` } })
const json = (value) => text(JSON.stringify(value), 200, 'application/json')
const file = (path, type) => text(readFileSync(new URL(path, import.meta.url), 'utf8'), 200, type)
/** With HTTPS, the cookie also needs `Secure`. */
const redirect = (cookie) => ({ status: 303, body: '', headers: { Location: '/', 'Set-Cookie': `${cookie}; Path=/; HttpOnly; SameSite=Strict` } })

const site = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const session = request.headers.cookie?.match(/(?:^|; )session=([^;]+)/)?.[1]
    const route = routes[`${request.method} ${pathname}`] ?? (() => text('There is nothing here.', 404))
    const { status, body, headers } = route(sessions.get(session) ?? null, session)
    // Otherwise, a cache could answer with the token of another user.
    response.writeHead(status, { 'Cache-Control': 'no-store', ...headers }).end(body)
})
site.listen(Number(port), '127.0.0.1')
await once(site, 'listening')
console.log(`The site of ${users.join(' and ')} is at http://127.0.0.1:${site.address().port}/`)
