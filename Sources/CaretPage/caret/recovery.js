// Saves the keepsakes that no document of the program uses, as soon as the client is online: those of documents
// that the program has not opened, and those of other clients that have ended.
import { CaretEvent } from './document.js'
import { Keeper } from './keeper.js'

export class Recovery {
    #caret
    #keeper
    #makeClient
    #hasStarted = false
    /** Documents that only this object has opened. */
    #documents = new Set()
    /** Continues another client at this moment; null if there is none. */
    #client = null
    #hasEnded = false

    /** `makeClient(keeper)` makes a client that continues an ended one, and `settings` are for its keeper. */
    constructor(caret, keeper, { keeping, settings, makeClient }) {
        this.#caret = caret
        this.#keeper = keeper
        this.#makeClient = async (client, user) => {
            const found = await Keeper.resume(keeping, { ...settings, client, user })
            return found && makeClient(found)
        }
    }

    /** The client is online for the first time, or again. */
    async online() {
        if (this.#hasStarted) return
        this.#hasStarted = true
        try {
            await this.#saveAll(this.#caret, this.#keeper)
            for (const client of await this.#keeper.clientsOf(this.#caret.user)) await this.#saveOther(client)
        } catch {
            // The storage has failed, or the client has ended. Everything stays for a later client.
        }
    }

    async #saveOther(client) {
        if (this.#hasEnded) return
        const found = await this.#makeClient(client, this.#caret.user)
        if (!found) return
        this.#client = found.caret
        // The client may have ended meanwhile.
        if (!this.#hasEnded) await this.#saveAll(found.caret, found.keeper)
        this.#client = null
        await found.caret.close()
        this.#caret.dispatchEvent(new CaretEvent('kept'))
    }

    /** Opens the documents of keepsakes one after the other, and waits until the server has saved or refused each. */
    async #saveAll(caret, keeper) {
        for (const { name } of keeper.closed) {
            const document = this.#hasEnded ? null : caret.openKept(name)
            if (!document) continue
            this.#documents.add(document)
            await document.saved().catch(() => {})
            if (this.#documents.delete(document)) await document.close()
        }
    }

    /** The program uses this document from now on. Returns whether only this object has used it before. */
    release(document) { return this.#documents.delete(document) }

    async end() {
        this.#hasEnded = true
        // If the module has a fault, there is nothing to wait for.
        await this.#client?.close().catch(() => {})
    }
}
