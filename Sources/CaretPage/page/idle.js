/** Waits until the browser has nothing else to do, but not longer than a second. */
export function idle() {
    return new Promise((resolve) => {
        if (globalThis.requestIdleCallback) requestIdleCallback(resolve, { timeout: 1_000 })
        else setTimeout(resolve)
    })
}
