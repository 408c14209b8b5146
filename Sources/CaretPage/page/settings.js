// What a user has set on this device. Reading and writing fail where the browser allows no storage; the settings
// then hold until the page is closed.
const key = 'caret.settings'
const tokenKey = 'caret.token'
const linkKey = 'caret.link'

const defaults = { name: '', color: '', scheme: 'system', font: 'proportional', size: '16', wrap: true, layout: 'list', order: 'name', notices: true }
const choices = { scheme: ['system', 'light', 'dark'], font: ['proportional', 'monospace'], size: ['16', '19', '23'], layout: ['list', 'grid'], order: ['name', 'newest'] }

/** The settings of this device, and the token if the user is signed in. `storages` are two `Storage`s. */
export class Settings {
    #local
    #session
    #values
    /** The access token of the user; undefined if there is none. */
    token
    /** The token of the link that this tab uses in place of the user's; null if it uses none. */
    link

    constructor({ local, session }) {
        this.#local = local
        this.#session = session
        this.#values = { ...defaults, ...checked(parsed(read(local, key))) }
        this.token = read(session, tokenKey) ?? read(local, tokenKey) ?? undefined
        this.link = read(session, linkKey)
    }

    get(name) { return this.#values[name] }

    set(name, value) {
        this.#values[name] = value
        write(this.#local, key, JSON.stringify(this.#values))
    }

    /** What others see of the user. */
    get person() { return { name: this.get('name') || undefined, color: this.get('color') || undefined } }

    /** Keeps a token for this tab, and with `stays` also on this device. */
    signIn(token, { stays = false } = {}) {
        this.token = token
        write(this.#session, tokenKey, token)
        if (stays) write(this.#local, tokenKey, token)
    }

    signOut() {
        this.token = undefined
        write(this.#session, tokenKey, null)
        write(this.#local, tokenKey, null)
    }

    /** Makes this tab use a link, or none if `token` is null. The user stays signed in. */
    useLink(token) {
        this.link = token
        write(this.#session, linkKey, token)
    }
}

/** The settings with values that are allowed. Another version of the page may have stored them. */
function checked(values) {
    return Object.fromEntries(Object.entries(values).filter(([name, value]) => {
        if (!Object.hasOwn(defaults, name) || typeof value !== typeof defaults[name]) return false
        return choices[name]?.includes(value) ?? (typeof value !== 'string' || value.length <= 64)
    }))
}

function parsed(text) {
    try {
        const value = JSON.parse(text)
        return value && typeof value === 'object' ? value : {}
    } catch {
        return {}
    }
}

function read(storage, name) {
    try {
        return storage.getItem(name)
    } catch {
        return null
    }
}

function write(storage, name, text) {
    try {
        if (text === null) storage.removeItem(name)
        else storage.setItem(name, text)
    } catch {
        // A full or forbidden storage keeps nothing, and the page goes on.
    }
}
