// One client for all components of a page that name the same source. It connects with the first component that is
// mounted, so nothing happens while a server renders.
import { Users } from './users.js'

/** The clients by their sources. A source is a Caret, a promise of one, or a function that returns one of them. */
const clients = new WeakMap()

export class SharedClient {
    /** The client; null until it is there. */
    caret = null
    #source
    #failure = null
    #isStarting = false
    #listeners = new Set()
    #users = new Users(() => this.#start(), () => this.#close())

    static of(source) {
        if (!clients.has(source)) clients.set(source, new SharedClient(source))
        return clients.get(source)
    }

    /** Use `of`. */
    constructor(source) { this.#source = source }

    /** The state of the connection, also before there is a client. */
    get link() {
        if (this.#failure) return { state: 'ended', reason: this.#failure.message }
        return this.caret?.link ?? { state: 'connecting' }
    }

    /** Calls `listener` when the client is there, and at each change of its link. Returns a function that ends this. */
    use(listener) {
        const release = this.#users.add()
        this.#listeners.add(listener)
        return () => {
            this.#listeners.delete(listener)
            release()
        }
    }

    /** If the source fails, the page reports an unhandled rejection. */
    async #start() {
        if (this.caret || this.#isStarting) return
        this.#isStarting = true
        this.#failure = null
        try {
            const source = this.#source
            this.caret = await (typeof source === 'function' ? source() : source)
            this.caret.addEventListener('link', () => this.#changed(), { isInternal: true })
        } catch (error) {
            this.#failure = error
            throw error
        } finally {
            this.#isStarting = false
            this.#changed()
        }
        this.#close()
    }

    /** A client that the app has passed is closed by the app. */
    #close() {
        const { caret } = this
        if (!caret || !this.#users.isUnused || typeof this.#source !== 'function') return
        this.caret = null
        caret.close()
    }

    #changed() { for (const listener of [...this.#listeners]) listener() }
}
