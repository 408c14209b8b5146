// Stores keepsakes in the browser: in IndexedDB, with one lock for each client id. long-texts.js stores those of long
// texts.
import { committedRange } from './replica.js'
import { lockByManager } from './tab-locks.js'

/** Keepsakes of more bytes are stored in two records. */
const longKeepsake = 16_384

/** A Keeping for pages in a browser; null elsewhere. */
export function browserKeeping() {
    return globalThis.document && globalThis.indexedDB ? new BrowserKeeping() : null
}

export class BrowserKeeping {
    #database = null
    /** The LongTexts; undefined until a long keepsake was stored or found. */
    #longTexts

    async list(server) {
        // An array sorts after all strings, so this is every key that begins with the server.
        const range = IDBKeyRange.bound([server], [server, []])
        const found = await this.run('readonly', (store) => store.getAll(range))
        return found.every((one) => one.bytes) ? found : (await this.#load()).join(found)
    }

    async put(keepsake, document) {
        // Until the file is loaded, long keepsakes are stored like others: a page that ends cannot wait.
        const isLong = keepsake.bytes.length > longKeepsake
        if (isLong) this.#load().catch(() => {})
        await (this.#longTexts?.put(keepsake, document, isLong)
            ?? this.run('readwrite', (store) => store.put(keepsake)))
    }

    async remove({ server, client, number }) {
        await (this.#longTexts?.remove([server, client, number])
            ?? this.run('readwrite', (store) => store.delete([server, client, number])))
    }

    async #load() {
        const { LongTexts } = await import('./long-texts.js')
        return (this.#longTexts ??= new LongTexts(this, committedRange))
    }

    async lock(server, client, options) {
        const name = `caret ${server} ${client}`
        if (navigator.locks) return lockByManager(name, options)
        // Only secure contexts have a lock manager. The others must not delay the first text of these.
        const { lockByChannel } = await import('./channel-lock.js')
        return lockByChannel(name, options)
    }

    // The storage of a session survives when the page is loaded again, and when the browser restores its tabs.

    remembered(server) {
        try {
            return sessionStorage.getItem(`caret ${server}`) ?? undefined
        } catch {
            // The user has turned storage off for this site.
            return undefined
        }
    }

    remember(server, client) {
        try {
            sessionStorage.setItem(`caret ${server}`, client)
        } catch {
            // Then another tab may continue after this one.
        }
    }

    /** Runs a transaction, and returns the result of its last request. */
    async run(mode, request) {
        const database = await this.#open()
        return new Promise((resolve, reject) => {
            const transaction = database.transaction('keepsakes', mode, { durability: 'relaxed' })
            const made = request(transaction.objectStore('keepsakes'))
            transaction.oncomplete = () => resolve(made.result)
            transaction.onabort = () => reject(transaction.error)
            // So that a page that ends now does not wait for the answer to the request.
            transaction.commit?.()
        })
    }

    #open() {
        this.#database ??= new Promise((resolve, reject) => {
            const opening = indexedDB.open('caret', 1)
            opening.onupgradeneeded = () => {
                opening.result.createObjectStore('keepsakes', { keyPath: ['server', 'client', 'number'] })
            }
            opening.onerror = () => reject(opening.error)
            opening.onsuccess = () => {
                const database = opening.result
                // The browser has closed it, or a later version of this client needs it.
                database.onclose = database.onversionchange = () => {
                    database.close()
                    this.#database = null
                }
                resolve(database)
            }
        })
        // After a failure, the next call tries again.
        this.#database.catch(() => { this.#database = null })
        return this.#database
    }
}
