// Runs the tests of the JavaScript client in Node.
//
//     node Tests/CaretPageTests/run.mjs .build/wasm/caret.wasm [WORD]
//
// With WORD, runs only the cases whose name contains it. For each case that fails, prints its name and the
// error. Ends with 'N passed, N failed'.
import { readFileSync } from 'node:fs'

const files = ['words', 'conversations', 'client', 'document', 'field-text', 'overlay', 'laws', 'hostile', 'page-timeline', 'page-difference', 'live']
const [path, word = ''] = process.argv.slice(2)
const wasm = await WebAssembly.compile(readFileSync(path))

let [passed, failed] = [0, 0]
for (const file of files) {
    const { cases } = await import(`./${file}.mjs`)
    for (const [name, run] of Object.entries(cases).filter(([name]) => name.includes(word))) {
        try {
            await run(wasm)
            passed++
        } catch (error) {
            failed++
            console.log(`FAILED ${file}.mjs: ${name}\n  ${String(error.stack).replaceAll('\n', '\n  ')}`)
        }
    }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
