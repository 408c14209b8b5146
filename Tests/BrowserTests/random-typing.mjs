// Random typing in two to five tabs of a browser, with lost links, killed servers and crashed tabs. At the end of each
// round, all tabs and the server have the same text, and nothing is lost or doubled.
//
//     CARET_SEED=17 node Tests/BrowserTests/run.mjs .build/debug random-typing           one seed
//     CARET_SEEDS=0..1000 node Tests/BrowserTests/run.mjs .build/debug random-typing     some seeds
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { allOr } from './quick.mjs'
import { describePlan, makePlan } from './typing-plan.mjs'
import { TypingWorld } from './typing-round.mjs'

const range = (from, to) => Array.from({ length: to - from }, (_, index) => from + index)

/** The seeds of this run. */
function seeds() {
    const { CARET_SEED, CARET_SEEDS } = process.env
    if (CARET_SEED) return [Number(CARET_SEED)]
    if (CARET_SEEDS) return range(...CARET_SEEDS.split('..').map(Number))
    return allOr(range(0, 15), range(0, 1000), 'most seeds of the random typing')
}

export async function testRandomTyping(programs) {
    const world = await TypingWorld.start(programs)
    await testSeeds(world)
    for (const [name, plan] of Object.entries(found)) {
        await test(name, async () => assert.deepEqual(await world.run(plan, name.replaceAll(' ', '-')), []))
    }
    await testFaults(world)
}

async function testSeeds(world) {
    const chosen = seeds()
    await test(`random typing with ${chosen.length} seeds converges, and nothing is lost or doubled`, async () => {
        const failed = []
        for (const seed of chosen) {
            const plan = makePlan(seed)
            const faults = await world.run(plan, `seed-${seed}`)
            if (faults.length === 0) continue
            failed.push(seed)
            console.log(`seed ${seed}: ${faults.join('\n  ')}\n${describePlan(plan)}`)
        }
        assert.deepEqual(failed, [], `these seeds failed; to run one again: CARET_SEED=${failed[0]} `
            + 'node Tests/BrowserTests/run.mjs .build/debug random-typing')
    })
}

/** Faults that random typing has found, each with a plan that meets it: those of one seed depend on the moment. */
const found = {
    'text that was undone offline stays away after the page has ended': [[
        { kind: 'offline' }, { kind: 'type', at: 0, text: '\u4e00' }, { kind: 'kept' },
        { kind: 'type', at: 0, text: '\u4e01' }, { kind: 'undo' }, { kind: 'undo' }, { kind: 'kept' }, { kind: 'crash' },
    ], []],
}

/** Faults that tabs have on purpose, with a plan that meets each, and what the referee must say. */
const faults = {
    'a push that is acked but does not arrive': {
        fault: 'drops', says: /is lost/,
        plan: [[{ kind: 'type', at: 0, text: '\u4e00' }, { kind: 'pause', time: 200 }], []],
    },
    'a tab that forgets its unsaved edits': {
        fault: 'forgets', says: /is lost/,
        plan: [[{ kind: 'offline' }, { kind: 'type', at: 0, text: '\u4e00' }, { kind: 'kept' }, { kind: 'crash' }], []],
    },
    'a tab that repeats its edits under another id': {
        fault: 'renames', says: /is in the text \d+ times, not 1/,
        plan: [[
            { kind: 'stall' }, { kind: 'type', at: 0, text: '\u4e00' }, { kind: 'arrival', text: '\u4e00' }, { kind: 'crash' },
        ], []],
    },
}

async function testFaults(world) {
    for (const [what, { fault, says, plan }] of Object.entries(faults)) {
        await test(`the referee finds ${what}`, async () => {
            assert.deepEqual(await world.run(plan, `sound-${fault}`), [])
            assert.match((await world.run(plan, `fault-${fault}`, fault)).join('\n'), says)
        })
    }
}
