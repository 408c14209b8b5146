// Which tests the quick run leaves out. With CARET_FULL=1, nothing is left out.
import { windows } from './pages.mjs'

const isFull = Boolean(process.env.CARET_FULL)

/** What was left out, in words. */
export const leftOut = new Set()

/** All values, or in a quick run only `some` of them. `what` says what is left out then. */
export function allOr(some, all, what) {
    if (isFull) return all
    leftOut.add(what)
    return some
}

/** Windows with their schemes: [name, scheme] each. In a quick run, each window has one scheme, in turns. */
export function windowsAndSchemes() {
    const both = Object.keys(windows).flatMap((name) => [[name, 'light'], [name, 'dark']])
    return allOr(Object.keys(windows).map((name, index) => [name, index % 2 ? 'dark' : 'light']), both, 'the other scheme of each window')
}
