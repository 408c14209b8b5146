// Tests that need a real browser.
//
//     node Tests/BrowserTests/run.mjs .build/release [PART...]
//
// A part is a file of this folder that exports a function with its name: `page-editor` exports `testPageEditor`. With
// PARTs, runs only these. With --list, only prints the parts. Ends with 'N passed, N failed'.
//
// CARET_FULL=1 also runs what takes long and rarely breaks. quick.mjs says what that is.
import { readdirSync } from 'node:fs'
import { runSuite } from '../NodeSupport/suite.mjs'
import { leftOut } from './quick.mjs'

const [programs, ...chosen] = process.argv.slice(2)
const parts = new Map()
for (const file of readdirSync(new URL('.', import.meta.url)).filter((name) => /^(?!run\.).*\.mjs$/.test(name))) {
    const name = file.replace('.mjs', '')
    const run = (await import(`./${file}`))[`test${`-${name}`.replace(/-(.)/g, (_, letter) => letter.toUpperCase())}`]
    if (run) parts.set(name, Object.defineProperty(() => timed(name, run), 'name', { value: name }))
}
if (programs === '--list') {
    console.log([...parts.keys()].join('\n'))
    process.exit()
}
const unknown = chosen.find((name) => !parts.has(name))
if (unknown) {
    console.error(`there is no part ${unknown}; the parts are ${[...parts.keys()].join(', ')}`)
    process.exit(2)
}
/** Runs a part, and prints how long it took. */
async function timed(name, run) {
    const start = performance.now()
    await run(programs)
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

await runSuite(...(chosen.length > 0 ? chosen : [...parts.keys()]).map((name) => parts.get(name)), function notes() {
    if (leftOut.size > 0) console.log(`left out, CARET_FULL=1 runs it: ${[...leftOut].join('; ')}`)
})
