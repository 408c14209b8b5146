// Runs every case of every fixture in this folder through the JavaScript functions of CaretCore.
//
//     node Tests/Fixtures/run.mjs .build/wasm/caret.wasm
//
// For each case that fails, prints its name, the found value and the expected value. Ends with 'N passed, N
// failed'.
import { readdirSync, readFileSync } from 'node:fs'
import { Core } from '../../Clients/javascript/core.js'
import { CaretError } from '../../Clients/javascript/errors.js'
import { Module } from '../../Clients/javascript/module.js'
import { boundaryCases } from './boundary.mjs'

const folder = new URL('.', import.meta.url)
const module = await WebAssembly.compile(readFileSync(process.argv[2]))
const caret = new Core(await Module.load(module))

// For each kind of fixture: `answer` computes the answer of a case. `law` checks a law that must also hold
// for the case, and returns the values that break the law.
const kinds = {
    apply: { answer: ({ text, change }) => caret.apply(text, change) },
    carets: { answer: (one) => caret.mapSelection(one.selection, caret.diff(one.old, one.new)) },
    compose: { answer: ({ first, second }) => caret.compose(first, second), law: composesAsInTurn },
    diff: { answer: (one) => caret.diff(one.old, one.new), law: makesTheNewText },
    invert: { answer: ({ change, text }) => caret.invert(change, text), law: restores },
    map: {
        answer: ({ caret: place, selection, change }) =>
            selection ? caret.mapSelection(selection, change) : caret.mapCaret(place, change),
    },
    'normal-form': { answer: ({ edits }) => caret.normalise(edits) },
    rebase: { answer: ({ change, over, tie }) => caret.rebase(change, over, tie), law: givesOneText },
    text: { answer: ({ bytes }) => caret.validate(Uint8Array.from(Buffer.from(bytes, 'hex'))) },
    units: { answer: ({ text, offset, from, to }) => caret.convert(text, offset, from, to) },
}

function makesTheNewText(one) {
    return differs(caret.apply(one.old, one.becomes), one.new)
}

function restores({ text, change, becomes }) {
    return differs(caret.apply(caret.apply(text, change), becomes), text)
}

function composesAsInTurn({ text, first, second, becomes, both }) {
    if (text === undefined) return null
    return differs(caret.apply(caret.apply(text, first), second), both) ?? differs(caret.apply(text, becomes), both)
}

function givesOneText({ text, change, over, tie, becomes, both }) {
    if (text === undefined) return null
    const other = caret.rebase(over, change, tie === 'otherFirst' ? 'selfFirst' : 'otherFirst')
    return differs(caret.apply(caret.apply(text, over), becomes), both)
        ?? differs(caret.apply(caret.apply(text, change), other), both)
}

function differs(found, expected) {
    return spell(found) === spell(expected) ? null : { found, expected }
}

/** JSON with its keys in order and every letter outside ASCII escaped, so that no two spellings look alike. */
function spell(value) {
    const sorted = (_, one) => one && typeof one === 'object' && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one
    return JSON.stringify(value, sorted)
        .replace(/[^ -~]/g, (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'))
}

function refusal({ code, edit, numbers }) {
    return { code, ...(edit === undefined ? {} : { edit }), ...(numbers.length > 0 ? { numbers } : {}) }
}

/** What is wrong with a case, or null. */
function check(one, { answer, law }) {
    if ((one.becomes === undefined) === (one.refused === undefined)) {
        return { found: Object.keys(one), expected: 'one of becomes and refused' }
    }
    const expected = one.refused ? { refused: one.refused } : { becomes: one.becomes }
    let found
    try {
        found = { becomes: answer(one) }
    } catch (error) {
        if (!(error instanceof CaretError)) return { found: String(error.stack), expected }
        found = { refused: refusal(error) }
    }
    return differs(found, expected) ?? (one.refused ? null : law?.(one) ?? null)
}

let [passed, failed] = [0, 0]

function count(name, fault) {
    if (!fault) return void passed++
    failed++
    console.log(`FAILED ${name}\n  found    ${spell(fault.found)}\n  expected ${spell(fault.expected)}`)
}

function runFile(name) {
    const { kind, unit, cases } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
    if (!Object.hasOwn(kinds, kind)) return count(name, { found: kind, expected: 'a known kind' })
    if (unit !== 'utf-16') return count(name, { found: unit, expected: 'utf-16' })
    if (!(cases?.length > 0)) return count(name, { found: 'no cases', expected: 'at least one case' })
    cases.forEach((one, index) => {
        let fault
        try {
            fault = check(one, kinds[kind])
        } catch (error) {
            fault = { found: String(error.stack), expected: 'an answer' }
        }
        count(`${name}, case ${index}${one.about ? ` (${one.about})` : ''}`, fault)
    })
}

const names = readdirSync(folder).filter((name) => name.endsWith('.json')).sort()
if (names.length === 0) count('Tests/Fixtures', { found: 'no fixtures', expected: 'at least one file' })
for (const name of names) runFile(name)
for await (const [name, fault] of boundaryCases(module)) count(`boundary.mjs: ${name}`, fault)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
