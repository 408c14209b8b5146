// Tests that need a real browser.
//
//     node Tests/BrowserTests/run.mjs .build/release [PART...]
//
// A part is a file of this folder that exports a function with its name: `page-editor` exports `testPageEditor`. With
// PARTs, runs only these. Ends with 'N passed, N failed'.
import { readdirSync } from 'node:fs'
import { runSuite } from '../NodeSupport/suite.mjs'

const [programs, ...chosen] = process.argv.slice(2)
const parts = new Map()
for (const file of readdirSync(new URL('.', import.meta.url)).filter((name) => /^(?!run\.).*\.mjs$/.test(name))) {
    const name = file.replace('.mjs', '')
    const run = (await import(`./${file}`))[`test${`-${name}`.replace(/-(.)/g, (_, letter) => letter.toUpperCase())}`]
    if (run) parts.set(name, Object.defineProperty(() => run(programs), 'name', { value: name }))
}
const unknown = chosen.find((name) => !parts.has(name))
if (unknown) {
    console.error(`there is no part ${unknown}; the parts are ${[...parts.keys()].join(', ')}`)
    process.exit(2)
}
await runSuite(...(chosen.length > 0 ? chosen : [...parts.keys()]).map((name) => parts.get(name)))
