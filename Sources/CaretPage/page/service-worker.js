// Keeps the files of the page, so that it starts without a network.
//
// Files of two versions of the server may not work together. Three rules keep them apart:
//
// 1. The worker keeps whole sets of files, and each set has the files of one version. See `fetchSet`.
// 2. A page gets all its files from one set: the one that was newest when the page was opened. The worker writes
//    down which, because browsers end it whenever it is idle.
// 3. A page that was opened without a set gets all its files from the network.
//
// When a page is opened, the worker asks the server whether its files have changed. Meanwhile the page gets all files
// of the set but one: the script with which it starts. If the files have changed, this script only reloads the page,
// which then gets the new set. So no script of an old set runs.
//
// The worker waits only briefly for the answer. If the answer comes too late, the page starts with the set that the
// worker has, and the next page gets the new one.
//
// Everything else, such as documents and the connection, goes to the server as if there were no worker.

/** How long to wait for a new version when a page is opened, in milliseconds. */
const patience = { unchanged: 400, changed: 3_000 }
const setPrefix = 'caret-files-'
const pagesName = 'caret-pages'
/** The digest of each file of the server's version. In a set, it is the last entry. */
const digestsPath = '/page/files.json'
/** The script with which a page starts. It imports all others. */
const startPath = /^\/page\/app-\w+\.js$/
/** A page that was opened so recently may not be among the clients yet. */
const grace = 60_000

self.addEventListener('install', (event) => event.waitUntil(update().then(() => self.skipWaiting())))
self.addEventListener('fetch', (event) => {
    const path = pathOf(event.request)
    if (path !== null) event.respondWith(answer(event, path))
})

/** The path of the page's file that a request asks for; null if the browser must ask the server itself. */
function pathOf({ method, mode, url }) {
    const { origin, pathname } = new URL(url)
    if (method !== 'GET' || origin !== location.origin) return null
    if (mode === 'navigate') return pathname === '/' || pathname.startsWith('/d/') ? '/' : null
    const isFile = /^\/(page|caret)\//.test(pathname) || pathname === '/manifest.json'
    return isFile ? pathname : null
}

async function answer(event, path) {
    // A full or damaged storage must not keep the page from the network.
    const file = await keptFile(event, path).catch(() => null)
    // The list of files is complete, so a page with a set asks here only for what is not a file of the page.
    return file || fetch(event.request)
}

async function keptFile(event, path) {
    const isPage = event.request.mode === 'navigate'
    let name = isPage ? await setForNewPage(event) : await setOfPage(event.clientId)
    // A worker that a page starts is a client too. It uses the set of the page.
    if (name && event.resultingClientId) name = await assign(event, name)
    if (!name) return null
    const isStart = event.request.destination === 'script' && startPath.test(path)
    if (isStart && await setAfterCheck(event, event.clientId, name) !== name) return reloadScript()
    const file = await caches.match(path, { cacheName: name })
    return isPage && file ? withOwnStart(file, event.resultingClientId) : file
}

/**
 * The page, with an address for its first script that no other page has. A browser does not ask the worker again for a
 * script that it has in memory, so the page would start without the check.
 */
async function withOwnStart(page, client) {
    const text = await page.text()
    const { status, headers } = page
    return new Response(text.replaceAll(/\/page\/app-\w+\.js/g, `$&?${client}`), { status, headers })
}

function reloadScript() {
    return new Response('location.reload()', { headers: { 'Content-Type': 'text/javascript' } })
}

// Which set a page uses.

/** The sets of pages that were opened since the worker has started. */
const setsOfPages = new Map()

/** For each page that was opened and has not started yet: the set that it should have. */
const checks = new Map()
/** At the last check, the server had no such files any more. So the next page does not begin with old ones. */
let isOtherServer = false

async function setForNewPage(event) {
    const client = event.resultingClientId
    const updating = startUpdate(event)
    const known = (await newestSet())?.name
    // Rule 3. Without its id, the worker would not know the page again.
    if (!known || !client) return null
    const check = afterCheck(updating, known)
    if (isOtherServer) return check
    checks.set(client, check)
    return known
}

function startUpdate(event) {
    const updating = update()
    event.waitUntil(updating.catch(() => {}))
    return updating
}

/** The set that a page with the set `known` should have; null if it should ask the server itself. */
async function afterCheck(updating, known) {
    try {
        const newest = await Promise.race([updating, giveUp(known)])
        isOtherServer = false
        return newest
    } catch (error) {
        isOtherServer = error instanceof MissingFile
        return isOtherServer ? null : known
    }
}

/** The same for a page that starts. Browsers end this worker at any moment, and with it the check of the page. */
async function setAfterCheck(event, client, known) {
    const check = checks.get(client) ?? afterCheck(startUpdate(event), known)
    checks.delete(client)
    return check
}

/** The known set, after the worker has waited long enough for a new one. */
async function giveUp(known) {
    await delay(patience.unchanged)
    if (hasFoundChange) await delay(patience.changed - patience.unchanged)
    return known
}

/**
 * Writes down which set the new client of an event uses. Returns another set if an update has just removed this one. The
 * page does not wait until this is written, but no set is removed before.
 */
function assign(event, name) {
    const client = event.resultingClientId
    return new Promise((resolve, reject) => {
        const writing = navigator.locks.request(pagesName, async () => {
            const set = await caches.has(name) ? name : (await newestSet())?.name
            setsOfPages.set(client, set)
            resolve(set)
            const pages = await caches.open(pagesName)
            await pages.put(`/${client}`, Response.json({ set, time: Date.now() }))
        })
        writing.catch(reject)
        event.waitUntil(writing.catch(() => {}))
    })
}

async function setOfPage(client) {
    if (!client) return null
    if (setsOfPages.has(client)) return setsOfPages.get(client)
    const found = await caches.match(`/${client}`, { cacheName: pagesName })
    return found ? (await found.json()).set : null
}

/** The name of the newest set, and its digests; null if there is no whole set. */
async function newestSet() {
    const names = (await caches.keys()).filter((name) => name.startsWith(setPrefix)).sort(byNumber).reverse()
    for (const name of names) {
        const digests = await digestsOf(name)
        if (digests) return { name, digests }
    }
    return null
}

function byNumber(one, other) { return numberOf(one) - numberOf(other) }
function numberOf(name) { return Number(name.slice(setPrefix.length)) }

async function digestsOf(name) {
    const found = await caches.match(digestsPath, { cacheName: name })
    return found ? found.json() : null
}

// Updating.

let running = null
let hasFoundChange = false

/** Asks the server for its files. Returns the name of the newest set, and fails without a network. */
function update() {
    // While a new version of this worker begins, the old one may still update.
    running ??= navigator.locks.request('caret-files', runUpdate).finally(() => {
        running = null
        hasFoundChange = false
    })
    return running
}

async function runUpdate() {
    const [known, digests] = await Promise.all([newestSet(), fetchDigests()])
    if (known && areEqual(digests, known.digests)) return known.name
    hasFoundChange = true
    const files = await fetchSet(digests)
    const name = `${setPrefix}${(known ? numberOf(known.name) : 0) + 1}`
    // A worker that was ended in the middle may have left a part of this set.
    await caches.delete(name)
    const cache = await caches.open(name)
    for (const { path, response } of files) await cache.put(path, response)
    await cache.put(digestsPath, Response.json(digestsIn(files)))
    await navigator.locks.request(pagesName, () => removeOldSets(name))
    return name
}

/**
 * All files of one version of the server: { path, response, digest } each. `digests` says which they are.
 *
 * The server may be replaced by another version between two answers. Then a digest differs, and the worker begins
 * again.
 */
async function fetchSet(digests) {
    for (let attempt = 0; attempt < 3; attempt++) {
        const files = await Promise.all(Object.keys(digests).map(fetchFile))
        if (areEqual(digestsIn(files), digests)) return files
        digests = await fetchDigests()
    }
    throw new Error('the files of the server do not stay the same')
}

class MissingFile extends Error {}

async function fetchDigests() {
    const response = await fetchChecked(digestsPath)
    // A proxy may answer with its own page instead.
    return response.json().catch(() => { throw new MissingFile(digestsPath) })
}

async function fetchFile(path) {
    const response = await fetchChecked(path)
    const digest = await crypto.subtle.digest('SHA-1', await response.clone().arrayBuffer())
    const digits = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    return { path, response, digest: digits }
}

async function fetchChecked(path) {
    const response = await fetch(path, { cache: 'no-cache', redirect: 'manual' })
    // A proxy that wants to sign in the user redirects, or answers 401 or 403. Then the browser must show its answer.
    const isProxy = response.type === 'opaqueredirect' || [401, 403].includes(response.status)
    if (isProxy || response.status === 404) throw new MissingFile(path)
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response
}

function digestsIn(files) { return Object.fromEntries(files.map(({ path, digest }) => [path, digest])) }

function areEqual(one, other) {
    return other !== null && Object.keys(one).length === Object.keys(other).length
        && Object.keys(one).every((path) => one[path] === other[path])
}

/** Removes the sets that no page uses. */
async function removeOldSets(newest) {
    const used = new Set([newest])
    const clients = new Set((await self.clients.matchAll({ type: 'all', includeUncontrolled: true })).map(({ id }) => id))
    const pages = await caches.open(pagesName)
    for (const request of await pages.keys()) {
        const { set, time } = await (await pages.match(request)).json()
        const client = new URL(request.url).pathname.slice(1)
        if (clients.has(client) || Date.now() - time < grace) used.add(set)
        else setsOfPages.delete(client), await pages.delete(request)
    }
    for (const name of await caches.keys()) {
        if (name.startsWith(setPrefix) && !used.has(name)) await caches.delete(name)
    }
}

function delay(milliseconds) { return new Promise((resolve) => setTimeout(resolve, milliseconds)) }
