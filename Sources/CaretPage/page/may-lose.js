// What would be lost if the user left the page now. The browser asks before that.

/** For each part of the page that may have what is nowhere else: a function that says whether it has. */
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
