// The page: it connects, and shows the screen that the address names.
import { connect } from './connect.js'
import { element, fill } from './dom.js'
import { Editor } from './editor.js'
import { showFault } from './fault-page.js'
import { mayLose } from './may-lose.js'
import { notify } from './notices.js'
import { rest } from './rest.js'
import { addressOf, routeOf } from './route.js'
import { Settings } from './settings.js'
import { followViewport } from './viewport.js'

/** The path where the site of the page answers a token. Undefined if users have their own tokens. */
const tokenPath = document.querySelector('meta[name=caret-token-path]')?.content

/**
 * What all screens use: `caret`, `token`, `settings`, `parts`, `documents`, `complete`, `go`, `reload` and `hasDocument`.
 *
 * A screen is an object with `node`, `title`, `show(route)`, which is called for a route that the screen may be able
 * to show without being made again and returns whether it can, and `close()`. A screen with a text has `focus()`, which
 * is called when the screen is on the page. If `hasOnlyCopy` is true, the screen has a text that is nowhere else, and
 * the page asks before it closes the screen.
 */
class App {
    settings = new Settings({ local: storage('localStorage'), session: storage('sessionStorage') })
    caret = null
    /** The access token of a link or of the user, or the function that gets one from the site; undefined if there is none. */
    token
    /** The exports of late.js; null until the rest of the page is loaded. */
    parts = null
    /** The list of documents; null until the rest of the page is loaded. */
    documents = null
    #screen = null
    #route = null
    #main = element('main', { id: 'screen' })

    async start() {
        this.#takeToken()
        this.applySettings()
        followViewport(document.documentElement, window)
        // Only the editor can do without the rest. `complete` handles a failure.
        if (routeOf(location).screen !== 'editor') rest().catch(() => {})
        await this.connect()
        document.body.append(this.#main)
        window.addEventListener('popstate', () => this.#wentBack())
        document.addEventListener('click', (event) => this.#followLink(event))
        this.#show()
    }

    /** Connects with the name and the color of the settings, and with the token of a link, the site or the settings. */
    async connect() {
        const { settings } = this
        this.token = settings.link
            ?? (tokenPath ? (await import('./site-token.js')).siteToken(tokenPath) : settings.token)
        this.caret = await connect({ token: this.token, ...settings.person })
        this.caret.addEventListener('signedOut', async () => (await rest()).showSignIn(this))
    }

    /** Loads the rest of the page, if this has not happened. The editor calls it when its text has arrived. */
    async complete() {
        const parts = await rest()
        if (this.parts) return
        this.parts = parts
        this.documents = parts.addRest(this)
        this.#main.before(this.documents.node)
        this.#show()
    }

    /** Shows what the settings say about the look of the page. */
    applySettings() {
        const root = document.documentElement
        const scheme = this.settings.get('scheme')
        root.style.setProperty('color-scheme', scheme === 'system' ? 'light dark' : scheme)
        root.style.setProperty('--size', `${this.settings.get('size')}px`)
        root.dataset.font = this.settings.get('font')
        root.classList.toggle('unwrapped', !this.settings.get('wrap'))
    }

    /** Goes to a route, such as { screen: 'editor', name: 'agenda' }. */
    go(route, { replace = false } = {}) {
        const address = addressOf(route)
        if (this.#screen?.hasOnlyCopy && !replace) return void this.#askToLeave(address)
        if (replace) history.replaceState(null, '', address)
        else history.pushState(null, '', address)
        this.#show()
    }

    get route() { return this.#route }

    /** The server has this document, now or since a while. */
    documentListed(name) { this.#screen?.documentListed?.(name) }

    /** Whether the server has a document, as far as the page knows. */
    hasDocument(name) { return this.documents?.has(name) ?? false }

    /** Reloads the page. Unsaved text is saved or kept before, and if this is not possible, the user is asked. */
    async reload() {
        if (mayLose() && !await (await rest()).mayReload()) return
        await this.caret.close()
        location.reload()
    }

    // An address may have a token behind '#', of a user or of a link. Browsers do not send that part to the server.
    #takeToken() {
        const { settings } = this
        const behind = new URLSearchParams(location.hash.slice(1))
        const [token, link] = [behind.get('token'), behind.get('link')]
        // The site signs the user in. An address, or an older token, must not sign the user in as somebody else.
        if (tokenPath) settings.signOut()
        else if (token) settings.signIn(token)
        if (!token && !link) return
        settings.useLink(link)
        history.replaceState(null, '', location.pathname + location.search)
    }

    /** The browser has gone to another address of the page. */
    #wentBack() {
        if (!this.#screen?.hasOnlyCopy) return this.#show()
        const wanted = location.href
        // The screen and its address stay until the user has answered.
        history.pushState(null, '', addressOf(this.#route))
        this.#askToLeave(wanted)
    }

    async #askToLeave(address) {
        if (!await (await rest()).mayLeave()) return
        this.#screen?.close()
        // After a fault of the module, only a new page works.
        location.assign(address)
    }

    #show() {
        const route = routeOf(location)
        // The editor is the only screen that the page has from its start.
        if (!this.parts && route.screen !== 'editor') return void this.#showLater()
        this.#route = route
        document.body.dataset.screen = route.screen
        this.documents?.opened(route.name)
        if (!this.#screen?.show(route)) this.#replaceScreen(route)
        const { title } = this.#screen
        document.title = title ? `${title} \u00b7 Caret` : 'Caret'
    }

    /** Shows what the address names as soon as the page has it. If this fails, the editor stays. */
    async #showLater() {
        try {
            await this.complete()
        } catch (error) {
            if (!this.#screen) return fail(error)
            history.replaceState(null, '', addressOf(this.#route))
            notify(error.message)
        }
    }

    #replaceScreen(route) {
        this.#screen?.close()
        const Screen = route.screen === 'editor' ? Editor : this.parts.screens[route.screen]
        this.#screen = Screen ? new Screen(this, route) : this.documents.startScreen()
        fill(this.#main, this.#screen.node)
        this.#screen.focus?.()
    }

    /** The page itself handles links to its own screens. */
    #followLink(event) {
        const link = event.target.closest?.('a[href]')
        if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        const url = new URL(link.href)
        if (url.origin !== location.origin || link.target || link.download) return
        if (url.pathname !== '/' && !url.pathname.startsWith('/d/')) return
        event.preventDefault()
        this.go(routeOf(url))
    }
}

/** A storage of the browser. Reading the property throws where the browser forbids it. */
function storage(name) {
    try {
        return window[name]
    } catch {
        return null
    }
}

const app = new App()
const fail = (error) => showFault(error, { route: routeOf(location), token: app.token })
await app.start().catch(fail)
window.addEventListener('unhandledrejection', ({ reason }) => notify(reason?.message ?? 'Something failed.'))
