// Stores keepsakes in the browser: in IndexedDB, with one lock for each client id.
import { lockByManager } from './tab-locks.js'

/** A Keeping for pages in a browser; null elsewhere. */
export function browserKeeping() {
    return globalThis.document && globalThis.indexedDB ? new BrowserKeeping() : null
}

class BrowserKeeping {
    #database = null

    async list(server) {
        // An array sorts after all strings, so this is every key that begins with the server.
        const range = IDBKeyRange.bound([server], [server, []])
        return this.#run('readonly', (store) => store.getAll(range))
    }

    async put(keepsake) { await this.#run('readwrite', (store) => store.put(keepsake)) }

    async remove({ server, client, number }) {
        await this.#run('readwrite', (store) => store.delete([server, client, number]))
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

    async #run(mode, request) {
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
