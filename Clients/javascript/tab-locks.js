// The lock of the browser that one tab holds until it ends, or until it releases it. channel-lock.js has the same for
// browsers without locks.

/** Returns a function that releases the lock, or null if another tab has it for longer than `wait` milliseconds. */
export function lockByManager(name, { wait = 0 } = {}) {
    const tooLate = new AbortController()
    const timer = wait > 0 ? setTimeout(() => tooLate.abort(), wait) : undefined
    const options = wait > 0 ? { signal: tooLate.signal } : { ifAvailable: true }
    return new Promise((resolve, reject) => {
        navigator.locks.request(name, options, (lock) => {
            clearTimeout(timer)
            if (lock) return new Promise((release) => resolve(release))
            resolve(null)
        }).catch((error) => (error.name === 'AbortError' ? resolve(null) : reject(error)))
    })
}
