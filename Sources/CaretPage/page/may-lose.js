// Whether leaving the page would lose something. unsaved.js has more, which the first text does not need.

/** Whether a screen would ask before the user leaves the page. Screens answer to the event that browsers send. */
export function mayLose(target = window) {
    return !target.dispatchEvent(new Event('beforeunload', { cancelable: true }))
}
