// Lets the page start without a network. service-worker.js keeps the files for this.
import { idle } from './idle.js'
import { scriptAddress } from './trusted.js'

/** Call this after the page has started, so that a visit without a network finds a page that works. */
export async function keepPageOffline() {
    // Browsers have service workers only on secure pages: https, and http on the same machine.
    if (!globalThis.isSecureContext || !navigator.serviceWorker) return
    try {
        await calm()
        // The browser must ask for the worker's own file each time.
        await navigator.serviceWorker.register(scriptAddress('/service-worker.js'), { scope: '/', updateViaCache: 'none' })
    } catch {
        // A browser may forbid service workers, for example in a private window. The page needs none.
    }
}

/** Waits until the page has loaded and the browser has nothing else to do. */
async function calm() {
    if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve, { once: true }))
    await idle()
}
