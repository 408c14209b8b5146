// Stores the unsaved edits of one document whenever KeepSchedule says so. This file has the clock.
import { Alarm } from './alarm.js'
import { KeepSchedule } from './keep-schedule.js'
import { committedRange, Replica } from './replica.js'

/** Different bytes are different characters. */
const bytewise = new TextDecoder('latin1')

export class KeptDocument {
    number
    /** The numbers of the calls of `restore` for the document by this client. */
    restores
    #storage
    #schedule
    /** The open document; null while it is closed. */
    #state = null
    /** Called after each attempt to store the edits of the open document. */
    #told
    /** The keepsake of a closed document; null if it has none. */
    #keepsake
    /** The digest of the keepsake that the storage has got last, or had when the document was opened. */
    #stored = null
    #isDamaged = false
    /** Sends the push that waits until it is stored. */
    #sendPush = null
    #alarm = new Alarm(() => this.#run(this.#schedule.timePassed(performance.now())))
    #hasEnded = false
    #idle = []

    /** `storage` has the methods `put` and `remove`. `keepsake` is what the storage has about the document. */
    constructor(storage, number, keepsake = null) {
        this.#storage = storage
        this.number = number
        this.#keepsake = keepsake
        this.#schedule = new KeepSchedule({ isStored: keepsake !== null })
        this.restores = keepsake?.restores ?? []
    }

    get name() { return this.#state?.name ?? this.#keepsake?.name }
    get creates() { return this.#state?.creates ?? this.#keepsake?.creates ?? false }
    /** While the document is closed: the text of an even earlier keepsake, see DocumentState. */
    get earlier() { return this.#keepsake?.earlier }
    get isOpen() { return this.#state !== null }
    get isKept() { return this.#schedule.isKept }
    /** Whether the document is closed, and a replica can continue from its keepsake. */
    get canOpen() { return !this.#state && this.#keepsake !== null && !this.#isDamaged }

    /** A replica that continues from the keepsake; null if the keepsake is damaged. */
    restore(module) {
        try {
            return new Replica(module, { keepsake: this.#keepsake.bytes })
        } catch (error) {
            if (error.code === 'trapped') throw error
            this.#isDamaged = true
            return null
        }
    }

    get hasUnsaved() { return this.#state ? this.#state.state.hasUnsaved : this.#keepsake !== null }

    /** From now on, keeps the edits of this open document. Calls `told` after each attempt to store them. */
    attach(state, told) {
        this.#state = state
        this.#told = told
        if (this.#keepsake && this.hasUnsaved) this.#stored = digest(this.#makeKeepsake())
        this.#keepsake = null
        return this
    }

    /** The document is closed. A later `attach` may continue from its unsaved edits. */
    detach() {
        this.#keepsake = this.#makeKeepsake()
        this.#state = null
        this.dropPush()
        this.hurry()
    }

    // Events of the open document.

    changed({ isOwn }) {
        const isStored = () => this.#stored === digest(this.#makeKeepsake())
        this.#run(this.#schedule.changed(this.#state?.state.hasUnsaved ?? false, performance.now(), { isOwn, isStored }))
    }

    /** Calls `send` as soon as the storage has the push, which was made by the last change. */
    push(send) {
        this.#sendPush = send
        this.#run(this.#schedule.pushed(performance.now()))
    }

    /** The push that waits is not sent. The replica makes it again when it can be sent. */
    dropPush() {
        this.#sendPush = null
        this.#schedule.pushDropped()
    }

    /** Waits until the storage has the number of a `restore`, which is sent after that. */
    async restoring(seq) {
        this.restores = [...this.restores.slice(-20), seq]
        if (this.#keepsake) this.#keepsake = { ...this.#keepsake, restores: this.restores }
        this.renew()
        this.hurry()
        await this.idle()
    }

    /** Stores the edits again, because something else about them has changed. */
    renew() { this.#run(this.#schedule.changed(this.hasUnsaved, performance.now())) }

    /** Stores at once what waits to be stored. */
    hurry() { this.#run(this.#schedule.hurried(performance.now())) }

    /** Waits until nothing is being stored. */
    async idle() {
        if (this.#schedule.isRunning && !this.#hasEnded) await new Promise((resolve) => this.#idle.push(resolve))
    }

    /** Waits until nothing is being stored, and stores nothing from then on. */
    async end() {
        await this.idle()
        this.#hasEnded = true
        this.#alarm.stop()
    }

    #run(actions) {
        if (this.#hasEnded) return
        for (const action of actions) {
            switch (action.do) {
            case 'write': {
                const keepsake = this.#makeKeepsake()
                this.#stored = digest(keepsake)
                this.#store(() => this.#storage.put({ ...keepsake, number: this.number }, this.#state))
                break
            }
            case 'remove': this.#store(() => this.#storage.remove(this.number)); break
            case 'push': this.#sendPush?.(); break
            case 'wake': this.#alarm.set(action.at); break
            }
        }
        if (!this.#schedule.isRunning) for (const resolve of this.#idle.splice(0)) resolve()
    }

    async #store(task) {
        let event = 'failed'
        try {
            await task()
            event = 'finished'
        } catch {
            // `#storage` reports why.
        }
        this.#run(this.#schedule[event](performance.now()))
        if (this.#state) this.#told()
    }

    #makeKeepsake() {
        if (!this.#state) return this.#keepsake
        const bytes = this.#state.replica.keepsake
        if (!bytes) return null
        const { name, creates, earlier } = this.#state
        return { name, creates, restores: this.restores, earlier, time: Date.now(), bytes }
    }
}

/**
 * Equal for two keepsakes if a later client would continue in the same way from both. The committed text is left out,
 * because at one position there is one. `earlier` never changes, it is only removed.
 */
function digest({ name, creates, earlier, bytes }) {
    const [start, end] = committedRange(bytes)
    const parts = [bytewise.decode(bytes.subarray(0, start)), bytewise.decode(bytes.subarray(end))]
    return [name, creates, earlier === undefined, ...parts].join()
}
