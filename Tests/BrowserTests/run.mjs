// Tests that need a real browser.
//
//     node Tests/BrowserTests/run.mjs .build/release [PART...] [--engine chromium|firefox|webkit]
//
// A part is a file of this folder that exports a function with its name: `page-editor` exports `testPageEditor`. It also
// exports `engines` if it runs in others than Chromium. With PARTs, runs only these. With --list, only prints the parts
// of the engine. Ends with 'N passed, N failed'.
//
// CARET_FULL=1 also runs what takes long and rarely breaks. quick.mjs says what that is.
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runSuite, skip } from '../NodeSupport/suite.mjs'
import { engines } from './browsers.mjs'
import { leftOut } from './quick.mjs'

const { values: { engine, list }, positionals } = parseArgs({
    allowPositionals: true, options: { engine: { type: 'string', default: 'chromium' }, list: { type: 'boolean' } },
})
if (!engines.includes(engine)) fail(`there is no engine ${engine}; the engines are ${engines.join(', ')}`)
const [programs, ...chosen] = positionals
const parts = new Map()
const otherParts = []
for (const file of readdirSync(new URL('.', import.meta.url)).filter((name) => /^(?!run\.).*\.mjs$/.test(name))) {
    const name = file.replace('.mjs', '')
    const module = await import(`./${file}`)
    const run = module[`test${`-${name}`.replace(/-(.)/g, (_, letter) => letter.toUpperCase())}`]
    if (!run) continue
    if ((module.engines ?? ['chromium']).includes(engine)) {
        parts.set(name, Object.defineProperty(() => timed(name, run), 'name', { value: name }))
    } else {
        otherParts.push(name)
    }
}
if (list) {
    console.log([...parts.keys()].join('\n'))
    process.exit()
}
const unknown = chosen.find((name) => !parts.has(name) && !otherParts.includes(name))
if (unknown) fail(`there is no part ${unknown}; the parts are ${[...parts.keys(), ...otherParts].join(', ')}`)

/** Prints what is wrong with the arguments, and ends the program. */
function fail(problem) {
    console.error(problem)
    process.exit(2)
}

/** Runs a part, and prints how long it took. */
async function timed(name, run) {
    const start = performance.now()
    await run(programs, engine)
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

const wanted = chosen.length > 0 ? chosen : [...parts.keys(), ...otherParts]
for (const name of otherParts.filter((name) => wanted.includes(name))) {
    skip(`the part ${name}`, 'it uses commands that only the protocol of Chromium has')
}
await runSuite(...wanted.filter((name) => parts.has(name)).map((name) => parts.get(name)), function notes() {
    if (leftOut.size > 0) console.log(`left out, CARET_FULL=1 runs it: ${[...leftOut].join('; ')}`)
})
