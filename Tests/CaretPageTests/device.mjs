// A device whose tabs keep their unsaved edits in memory, and may crash.

export class Device {
    /** The keepsakes, by their keys. */
    stored = new Map()
    #locks = new Map()
    /** If set, each call of the storage fails with this error. */
    fault = null
    /** How many milliseconds the next change takes. */
    duration = () => 0
    /** If set, calls of `put` and `remove` wait until `release`. */
    #gate = null

    hold() { this.#gate = withResolvers() }
    release() {
        this.#gate?.resolve()
        this.#gate = null
    }

    get keepsakes() { return [...this.stored.values()] }
    get names() { return this.keepsakes.map(({ name }) => name).sort() }

    /** Damages the keepsakes with this name. */
    damage(name) {
        for (const [key, keepsake] of this.stored) {
            if (keepsake.name === name) this.stored.set(key, { ...keepsake, bytes: keepsake.bytes.slice(0, -3) })
        }
    }

    /** A new tab. `remembered` is the client id that an earlier tab of the session had. */
    tab(remembered) { return new Tab(this, remembered) }

    lock(tab, client, lost) {
        if (tab.hasCrashed || this.#locks.has(client)) return null
        this.#locks.set(client, { tab, lost })
        return () => { if (this.#locks.get(client)?.tab === tab) this.#locks.delete(client) }
    }

    /** Releases the locks of a tab. Returns the functions to call about this. */
    releaseAll(tab) {
        const held = [...this.#locks].filter(([, lock]) => lock.tab === tab)
        for (const [client] of held) this.#locks.delete(client)
        return held.map(([, { lost }]) => lost)
    }

    /** Changes the storage for a tab. */
    async change(tab, change) {
        if (tab.hasCrashed) throw new Error('the tab has crashed')
        if (this.fault) throw this.fault
        await this.#gate?.promise
        const duration = this.duration()
        if (duration > 0) await new Promise((resolve) => setTimeout(resolve, duration))
        // A crash before this line loses the change.
        if (tab.hasCrashed) throw new Error('the tab has crashed')
        change()
    }
}

/** A Keeping of one tab. */
class Tab {
    hasCrashed = false
    #device

    constructor(device, remembered) {
        this.#device = device
        this.id = remembered
    }

    async list(server) {
        if (this.#device.fault) throw this.#device.fault
        return this.#device.keepsakes.filter((keepsake) => keepsake.server === server)
    }

    put(keepsake) {
        return this.#device.change(this, () => this.#device.stored.set(keyOf(keepsake), structuredClone(keepsake)))
    }

    remove(key) {
        return this.#device.change(this, () => this.#device.stored.delete(keyOf(key)))
    }

    async lock(server, client, { lost }) { return this.#device.lock(this, client, lost) }
    remembered() { return this.id }
    remember(server, client) { this.id = client }

    /** The tab ends at once. Its client cannot store anything any more, and its locks are free. */
    crash() {
        this.hasCrashed = true
        // The client of the tab still has timers in this process. They end when it loses its id.
        for (const lost of this.#device.releaseAll(this)) lost()
    }
}

function keyOf({ server, client, number }) { return JSON.stringify([server, client, number]) }

function withResolvers() {
    const result = {}
    result.promise = new Promise((resolve) => { result.resolve = resolve })
    return result
}
