// Saves the keepsakes that no document of the program uses, as soon as the client is online: those of documents
// that the program has not opened, and those of other clients that have ended. A text that the program opens does not need
// this file, so it is loaded after the client is online.

export class Recovery {
    #caret
    #keeper
    #makeClient
    #keptChanged
    /** Documents that only this object has opened. */
    #documents = new Set()
    /** Continues another client at this moment; null if there is none. */
    #client = null
    #isRunning = false
    #runsAgain = false
    #hasEnded = false

    /**
     * `makeClient(keeper)` makes a client that continues an ended one. `keptChanged` is called when its keepsakes are
     * saved.
     */
    constructor(caret, keeper, { makeClient, keptChanged }) {
        this.#caret = caret
        this.#keeper = keeper
        this.#makeClient = makeClient
        this.#keptChanged = keptChanged
    }

    /** The client is online, or the user has claimed edits. */
    async run() {
        if (this.#isRunning) return void (this.#runsAgain = true)
        this.#isRunning = true
        try {
            do {
                this.#runsAgain = false
                await this.#saveAll(this.#caret, this.#keeper)
                for (const client of await this.#keeper.others()) await this.#saveOther(client)
            } while (this.#runsAgain)
        } catch {
            // The storage has failed, or the client has ended. Everything stays for a later client.
        }
        this.#isRunning = false
    }

    async #saveOther(client) {
        if (this.#hasEnded) return
        const keeper = await this.#keeper.resume(client)
        if (!keeper) return
        const caret = await this.#makeClient(keeper)
        this.#client = caret
        // The client may have ended meanwhile.
        if (!this.#hasEnded) await this.#saveAll(caret, keeper)
        this.#client = null
        await caret.close()
        this.#keptChanged()
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
