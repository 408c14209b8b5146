// A small test runner: tests run one after the other, and everything that they start is stopped at the end.

const cleanups = []
let [passed, failed, skipped] = [0, 0, 0]

/** Calls `action` when the run ends, even if a test has failed. The action that was added last runs first. */
export function atEnd(action) {
    cleanups.push(action)
}

/** Runs one test and prints its result. A test fails if its body throws. */
export async function test(name, body) {
    try {
        await body()
        passed++
        console.log(`✔ ${name}`)
    } catch (error) {
        failed++
        console.log(`✘ ${name}\n${error.stack}`)
    }
}

/** Prints that a test is left out, and why. */
export function skip(name, reason) {
    skipped++
    console.log(`➜ ${name}: skipped, because ${reason}`)
}

/** Runs the parts of a suite in order, cleans up, and prints 'N passed, N failed'. */
export async function runSuite(...parts) {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(1))
    for (const part of parts) {
        try {
            await part()
        } catch (error) {
            failed++
            console.log(`✘ the preparation of ${part.name}\n${error.stack}`)
        }
    }
    await end(failed > 0 ? 1 : 0)
}

async function end(status) {
    for (const cleanup of cleanups.splice(0).reverse()) {
        try {
            await cleanup()
        } catch (error) {
            failed++
            console.log(`✘ cleaning up\n${error.stack}`)
        }
    }
    if (skipped > 0) console.log(`${skipped} skipped`)
    console.log(`${passed} passed, ${failed} failed`)
    process.exit(failed > 0 ? 1 : status)
}

/** The result of a promise. Fails if the promise takes so long that it will probably never be settled. */
export async function within(promise, what, seconds = 60) {
    let timer
    const tooLate = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${what}: nothing happened for ${seconds} s`)), seconds * 1000)
    })
    try {
        return await Promise.race([promise, tooLate])
    } finally {
        clearTimeout(timer)
    }
}
