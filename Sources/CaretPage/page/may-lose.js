// What would be lost if the user left the page now. The browser asks before that.

/** One function for each part of the page that may hold the only copy of a text. It says whether it does. */
const holders = new Set()

/** The browser asks before the page ends while `holds` returns true, until `signal` aborts. */
export function askBeforeLoss(holds, signal) {
    holders.add(holds)
    signal?.addEventListener('abort', () => holders.delete(holds))
}

/** Whether leaving the page would lose something. */
export function mayLose() { return [...holders].some((holds) => holds()) }

// Tests without a page have no such event.
globalThis.addEventListener?.('beforeunload', (event) => {
    if (mayLose()) event.preventDefault()
})
