// A device in memory with tabs, and a server in memory, for the tests of kept edits.
import { Caret } from '../../Clients/javascript/caret.js'
import { Device } from './device.mjs'
import { JSONServer } from './json-server.mjs'
import { load, until } from './support.mjs'

/** Runs each case with a world of its own. */
export function inWorlds(conversations) {
    return Object.fromEntries(
        Object.entries(conversations).map(([name, run]) => [name, (wasm) => runInWorld(run, wasm)]))
}

async function runInWorld(run, wasm) {
    const world = new World(wasm, (await load(wasm)).core)
    try {
        await run(world)
    } finally {
        for (const tab of world.tabs) tab.crash()
        // Without a storage, the client does not notice the crash.
        for (const { caret } of world.tabs) if (caret.link.state !== 'ended') await caret.close()
    }
}

/** A device, a server, and the tabs on the device. */
export class World {
    device = new Device()
    tabs = []

    constructor(wasm, core) {
        this.wasm = wasm
        this.server = new JSONServer(core)
    }

    /** A new tab with a client. `remembered` is the id that the tab had before it was loaded again. */
    async tab(remembered, options = {}) {
        const keeping = this.device.tab(remembered)
        const transport = this.server.transport()
        const caret = await Caret.connect('http://127.0.0.1', {
            wasm: this.wasm, keep: keeping, transport: transport.make, ...options,
        })
        const tab = {
            caret, keeping, transport, open: (...call) => caret.open(...call),
            async opened(...call) {
                const document = caret.open(...call)
                await document.opened()
                return document
            },
            crash() {
                transport.cut()
                keeping.crash()
            },
        }
        this.tabs.push(tab)
        return tab
    }

    /** One tab for each name, which types a text without a connection, and crashes. Returns the ids of the clients. */
    async leave(...names) {
        this.server.isReachable = false
        const tabs = []
        for (const name of names) {
            const tab = await this.tab()
            tab.open(name, { create: true }).append(`text of ${name}\n`)
            tabs.push(tab)
        }
        await settled()
        return tabs.map((tab) => {
            tab.crash()
            return tab.keeping.id
        })
    }

    /** A tab that is online, so that the user is known. It types a text that the server does not get, and crashes. */
    async leaveOnline(name, text, options) {
        this.server.create(name)
        const tab = await this.tab(undefined, options)
        const document = await tab.opened(name)
        this.server.pushes = 'lose'
        document.append(text)
        await settled()
        tab.crash()
        this.server.pushes = 'commit'
    }

    /** Another user signs in, and the client of a tab finds that when it connects again. */
    async signInAs(user, tab) {
        this.server.user = user
        tab.transport.connection.end()
        tab.caret.reconnect()
        await until(() => tab.caret.link.state === 'ended')
    }

    /** The server can be reached again, and a tab connects at once. */
    goOnline(tab) {
        this.server.isReachable = true
        tab.caret.reconnect()
    }
}

/** Waits until the tabs and the server in memory have nothing to do. */
export async function settled() {
    for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
}
