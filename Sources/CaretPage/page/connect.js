// The connection of the page.
import { Caret } from '../../../Clients/javascript/caret.js'

/** Connects to the server of the page. Its HTML names the same address of the module, so the browser loads it once. */
export function connect(options) {
    const { origin } = location
    return Caret.connect(origin, { wasm: new URL('/caret/caret.wasm', origin), ...options })
}
