// Runs the tests of the JavaScript client in Node.
//
//     node Tests/CaretPageTests/run.mjs .build/wasm/caret.wasm [WORD]
//
// With WORD, runs only the cases whose name contains it. For each case that fails, prints its name and the
// error. Ends with 'N passed, N failed'.
import { readdirSync, readFileSync } from 'node:fs'

// Every file of this folder that exports `cases`.
const files = readdirSync(new URL('.', import.meta.url)).filter((name) => /^(?!run\.).*\.mjs$/.test(name))
const [path, word = ''] = process.argv.slice(2)
const wasm = await WebAssembly.compile(readFileSync(path))

let [passed, failed] = [0, 0]
for (const file of files) {
    const { cases = {} } = await import(`./${file}`)
    for (const [name, run] of Object.entries(cases).filter(([name]) => name.includes(word))) {
        try {
            await run(wasm)
            passed++
        } catch (error) {
            failed++
            console.log(`FAILED ${file}: ${name}\n  ${String(error.stack).replaceAll('\n', '\n  ')}`)
        }
    }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
