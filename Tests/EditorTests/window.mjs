// A window of the stand-in of VS Code with the extension, and waiting for what it does.
import Module, { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { within } from '../NodeSupport/suite.mjs'
import { StandIn } from './vscode-stand-in.mjs'

const folder = fileURLToPath(new URL('../../Clients/editors/vscode/', import.meta.url))
const require = createRequire(import.meta.url)

/** Random whole numbers below a bound, the same in every run with this seed (mulberry32). */
export function makeRandom(seed) {
    let state = seed
    const number = (bound) => {
        state = (state + 0x6d2b79f5) | 0
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
        return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
    }
    return { number, chance: (percent) => number(100) < percent }
}

/** A window whose extension uses these settings. Each window loads the extension again. */
export class Window extends StandIn {
    constructor(settings, { seed = 1, ...options } = {}) {
        super(makeRandom(seed), { ...options, settings })
        this.secrets = new Map()
        this.extension = loadExtension(this.api)
    }

    /** Starts the extension. */
    activate() {
        const change = async (body) => {
            body()
            this.activity.fire()
        }
        const secrets = {
            get: async (name) => this.secrets.get(name), store: (...pair) => change(() => this.secrets.set(...pair)),
            delete: (name) => change(() => this.secrets.delete(name)),
        }
        this.extension.activate({ subscriptions: [], secrets })
        return this
    }

    /** Opens a document by a command, and waits until its text is in the window. */
    async open(name, command = 'caret.open') {
        this.answers.push(name)
        this.run(command)
        await until([this], () => this.model(name) && this.activeEditor?.document.uri.path === `/${name}`, `opening ${name}`)
        return this.model(name)
    }

    async said(pattern) {
        await until([this], () => this.messages.some((message) => pattern.test(message)), `${pattern}`)
    }
}

/** Waits until a condition holds. It is looked at after each message in one of the windows. */
export async function until(windows, condition, what = `${condition}`) {
    const listeners = []
    const found = new Promise((resolve, reject) => {
        const look = () => {
            try {
                if (condition()) resolve()
            } catch (error) {
                reject(error)
            }
        }
        for (const window of windows) listeners.push(window.activity.event(look))
        look()
    })
    try {
        await within(found, what, 30).catch((error) => {
            const said = windows.map(({ messages, status }) => `${status?.text} ${JSON.stringify(messages)}`)
            error.message += `; the windows say: ${said.join('; ')}`
            throw error
        })
    } finally {
        for (const listener of listeners) listener.dispose()
    }
}

/** The modules of the extension, with this module `vscode`. */
function loadExtension(vscode) {
    for (const path of Object.keys(require.cache)) if (path.startsWith(folder)) delete require.cache[path]
    const load = Module._load
    Module._load = (request, ...rest) => (request === 'vscode' ? vscode : load(request, ...rest))
    try {
        return require(`${folder}extension.js`)
    } finally {
        Module._load = load
    }
}
