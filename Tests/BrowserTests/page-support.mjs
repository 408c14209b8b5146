// What a user does on the page, and what the page looks like.

/** Presses a key, such as 'Enter' or 'a'. */
export const press = (page, ...call) => page.press(...call)

/** Waits until the page has loaded itself again because of an action. */
export const reloads = (page, action) => page.loads(action)

/** Waits until the service worker has all files of the page, so that the page can start without a server. */
export function hasPageOffline(page) {
    return page.waitFor(async () => {
        const { active } = await navigator.serviceWorker.ready
        const [name] = (await caches.keys()).filter((name) => name.startsWith('caret-files-'))
        return active.state === 'activated' && name && await caches.match('/page/files.json', { cacheName: name })
    }, 'the files of the page in the service worker')
}

/** Types a text where the focus is. */
export async function type(page, text) {
    await page.insert(text)
}

/** Presses the control with this accessible name, as a finger or a mouse does. */
export async function pressOn(page, name) {
    await page.waitFor((name) => {
        const scope = document.querySelector('dialog[open]:last-of-type') ?? document
        const nameOf = (one) => (one.getAttribute('aria-label') ?? one.closest('label')?.textContent ?? one.textContent).trim()
        const control = [...scope.querySelectorAll('button, a, input')].find((one) => nameOf(one) === name && one.checkVisibility())
        control?.focus()
        control?.click()
        return control !== undefined
    }, `the control ${name}`, name)
}

/** Connects at once after an outage, with "Now", unless the next attempt was sooner. */
export function connectsNow(page) {
    return page.waitFor(() => {
        const control = document.querySelector('.link [aria-label="Connect now"]')
        if (control?.checkVisibility()) control.click()
        return document.querySelector('.link').dataset.link === 'online'
    }, 'a connection')
}

/** Replaces the text of the field that has the focus. */
export async function replace(page, text) {
    await page.evaluate(() => document.activeElement.select())
    if (text === '') await page.evaluate(() => document.execCommand('delete'))
    else await type(page, text)
}

/** Waits until the text of a node, with one space between its words, is or matches `wanted`. */
export async function shows(page, selector, wanted) {
    const isPattern = wanted instanceof RegExp
    await page.waitFor((selector, wanted, isPattern) => {
        const text = document.querySelector(selector)?.innerText.replace(/\s+/g, ' ').trim()
        return text !== undefined && (isPattern ? new RegExp(wanted).test(text) : text === wanted)
    }, `${selector} with ${wanted}`, selector, isPattern ? wanted.source : wanted, isPattern)
}

/** The box of the first node that matches, as { left, right, top, bottom, width, height }. */
export function box(page, selector) {
    return page.evaluate((selector) => {
        const { left, right, top, bottom, width, height } = document.querySelector(selector).getBoundingClientRect()
        return { left, right, top, bottom, width, height }
    }, selector)
}

/** From its next load on, the module of the page traps in every call after `trapAtInsert`. */
export const trapsOnDemand = (page) => page.preload(makeTraps)

/** Inserts text in the same task, before a timer of the page can call the module. */
export const trapAtInsert = (page, text) => page.evaluate((text) => {
    document.querySelector('.text').focus()
    window.isTrapping = true
    document.execCommand('insertText', false, text)
}, text)

/** Runs in the page. */
function makeTraps() {
    const { instantiate } = WebAssembly
    WebAssembly.instantiate = async (...call) => {
        const { exports } = await instantiate(...call)
        return { exports: new Proxy({}, { get: (_, name) => typeof exports[name] !== 'function' ? exports[name] : (...values) => {
            if (window.isTrapping) throw new WebAssembly.RuntimeError('unreachable')
            return exports[name](...values)
        } }) }
    }
}
