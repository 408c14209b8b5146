// A device whose tabs store keepsakes with BrowserKeeping, in an IndexedDB in memory that counts what is written.
import { serialize } from 'node:v8'
import { BrowserKeeping } from '../../Clients/javascript/browser-keeping.js'
import { Device } from './device.mjs'

export class IndexedDevice extends Device {
    database = new Database()

    tab(remembered) {
        const before = globalThis.indexedDB
        const tab = new IndexedTab(this, remembered)
        globalThis.indexedDB = { open: () => this.database.open(tab) }
        // Opens the database for this tab.
        tab.list('')
        globalThis.indexedDB = before
        return tab
    }

    /** All records, as they are stored. */
    get records() { return [...this.database.records.values()] }

    /** What a browser has after its user has used an earlier version of the client. */
    putOld(keepsake) { this.database.put(keepsake) }
}

class IndexedTab extends BrowserKeeping {
    hasCrashed = false
    /** After this many transactions, the tab crashes and does not hear of the last one. */
    transactionsLeft = Infinity
    /** Called when the tab has crashed for this reason. */
    crashed = () => {}
    /** What a later tab must find, by number. */
    truth = new Map()
    #device
    #calls = new Map()

    constructor(device, remembered) {
        super()
        this.#device = device
        this.id = remembered
    }

    put(keepsake, ...call) {
        this.#calls.set(keepsake.number, keepsake)
        return super.put(keepsake, ...call)
    }

    remove(key) {
        this.#calls.delete(key.number)
        return super.remove(key)
    }

    /** The storage has changed the record with this number. */
    applied(number) {
        const keepsake = this.#calls.get(number)
        if (keepsake) this.truth.set(number, keepsake)
        else this.truth.delete(number)
    }

    async lock(server, client, { lost = () => {} } = {}) { return this.#device.lock(this, client, lost) }
    remembered() { return this.id }
    remember(server, client) { this.id = client }

    crash() {
        this.hasCrashed = true
        for (const lost of this.#device.releaseAll(this)) lost()
    }
}

/** As much of IndexedDB as browser-keeping.js uses. Transactions run one after the other. */
class Database {
    records = new Map()
    /** How many bytes were written. */
    written = 0
    /** Whether each of the next changes fails. */
    failures = []

    open(tab) {
        const request = {}
        setImmediate(() => {
            const transaction = (store, mode) => new Transaction(this, tab, mode)
            request.result = { createObjectStore() {}, transaction, close() {} }
            request.onupgradeneeded()
            request.onsuccess()
        })
        return request
    }

    put(value) {
        this.records.set(JSON.stringify(keyOf(value)), structuredClone(value))
        this.written += sizeOf(value)
    }

    find(range) {
        const { lower, upper, lowerOpen, upperOpen } = range
        return [...this.records.values()].filter((one) => {
            const [low, high] = [compare(keyOf(one), lower), compare(keyOf(one), upper)]
            return (lowerOpen ? low > 0 : low >= 0) && (upperOpen ? high < 0 : high <= 0)
        })
    }

    delete(query) {
        const isDeleted = Array.isArray(query) ? [query] : this.find(query).map(keyOf)
        for (const key of isDeleted) this.records.delete(JSON.stringify(key))
        return isDeleted
    }
}

class Transaction {
    #database
    #tab
    #tasks = []
    #isChange

    constructor(database, tab, mode) {
        this.#database = database
        this.#tab = tab
        this.#isChange = mode === 'readwrite'
        setImmediate(() => this.#run())
    }

    objectStore() {
        const add = (task) => {
            const request = {}
            this.#tasks.push(() => { request.result = task() })
            return request
        }
        return {
            getAll: (range) => add(() => this.#database.find(range).map((one) => structuredClone(one))),
            put: (value) => {
                // The value of this moment is stored.
                const copy = structuredClone(value)
                const size = sizeOf(value)
                return add(() => {
                    this.#database.put(copy)
                    this.#database.written += size - sizeOf(copy)
                    this.#changed([keyOf(copy)])
                })
            },
            delete: (query) => add(() => this.#changed(this.#database.delete(query))),
        }
    }

    #numbers = new Set()
    #changed(keys) {
        for (const [, , number] of keys) if (Number.isInteger(number)) this.#numbers.add(number)
    }

    #run() {
        const tab = this.#tab
        if (tab.hasCrashed) return
        if (this.#isChange && this.#database.failures.shift()) {
            this.error = new Error('the disk is full')
            return this.onabort()
        }
        for (const task of this.#tasks) task()
        for (const number of this.#numbers) tab.applied(number)
        if (this.#isChange && --tab.transactionsLeft === 0) {
            tab.crash()
            return tab.crashed()
        }
        this.oncomplete()
    }
}

globalThis.IDBKeyRange ??= {
    bound: (lower, upper, lowerOpen = false, upperOpen = false) => ({ lower, upper, lowerOpen, upperOpen }),
}

function keyOf({ server, client, number }) { return [server, client, number] }

/** The order of IndexedDB: numbers, strings, arrays. */
function compare(left, right) {
    const rank = (value) => ['number', 'string', 'object'].indexOf(typeof value)
    if (rank(left) !== rank(right)) return rank(left) - rank(right)
    if (!Array.isArray(left)) return left < right ? -1 : left > right ? 1 : 0
    for (let index = 0; index < Math.min(left.length, right.length); index++) {
        const order = compare(left[index], right[index])
        if (order !== 0) return order
    }
    return left.length - right.length
}

/** How many bytes a browser stores. A part of a buffer is stored with the whole buffer. */
function sizeOf(value) {
    return Object.values(value).reduce((size, one) =>
        size + (one instanceof Uint8Array ? one.buffer.byteLength : serialize(one).length), 0)
}
