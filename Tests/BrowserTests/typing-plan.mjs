// What the users of a round do, chosen at random from a seed: one list of steps for each tab. The tabs do their steps at
// the same time.
//
// | kind | |
// | --- | --- |
// | `type`, `erase` | a script replaces or deletes `count` characters at `at` thousandths of the text |
// | `undo`, `redo` | the keys for it |
// | `insert`, `press`, `compose`, `paste` | the browser enters `text`, as from a keyboard, an input method or the clipboard |
// | `cut` | the link of the tab is lost, and the next connection succeeds |
// | `offline`, `online` | the link is lost for longer |
// | `stall`, `flow` | nothing of what the server sends arrives, until the link flows again or is lost |
// | `crash`, `reload`, `leave` | the tab crashes and is loaded again; is loaded again; is closed, and a new one opens |
// | `kill` | the server is killed and starts again with its data |
// | `pause` | nothing for `time` milliseconds |
// | `kept`, `arrival` | the tab waits until its edits are kept, or until the server has `text`; not in a random plan |
import { makeRandom } from '../CaretPageTests/support.mjs'

/** How often each kind is chosen, relative to the others. The kinds after `pause` happen at most once in a list. */
const weights = {
    type: 80, erase: 24, undo: 16, redo: 6, insert: 8, press: 8, compose: 4, paste: 2, cut: 6, offline: 4, online: 4,
    stall: 4, flow: 4, pause: 24, crash: 1, reload: 1, leave: 1, kill: 1,
}
const rare = Object.keys(weights).slice(Object.keys(weights).indexOf('pause') + 1)

/** For each tab, its list of steps. */
export function makePlan(seed) {
    const random = makeRandom(seed)
    const token = makeTokens()
    const plan = Array.from({ length: 2 + random.below(4) }, () => {
        const steps = Array.from({ length: 6 + random.below(14) }, () => makeStep(random, token))
        return steps.filter(({ kind }, index) => !rare.includes(kind) || steps.findIndex((one) => one.kind === kind) === index)
    })
    if (random.chance(70)) plan[0].unshift({ kind: 'type', at: 0, text: makeText(random, token, 40) })
    return plan
}

/** Characters that appear only once in a round. Many are emoji, of which most have the same first half. */
export function makeTokens() {
    let [letters, emoji] = [0x4e00, 0x1f400]
    return (isEmoji) => String.fromCodePoint(isEmoji ? emoji++ : letters++)
}

function makeText(random, token, most) {
    const parts = Array.from({ length: 1 + random.below(most) }, () => random.chance(12) ? '\n' : token(random.chance(35)))
    return parts.join('')
}

function makeStep(random, token) {
    const kind = pickKind(random)
    const at = random.below(1001)
    const text = (most) => makeText(random, token, most)
    switch (kind) {
    case 'type': return { kind, at, count: random.chance(15) ? 1 + random.below(4) : 0, text: text(4) }
    case 'erase': return { kind, at, count: 1 + random.below(5) }
    case 'insert': case 'compose': return { kind, text: token(random.chance(35)) }
    case 'press': return { kind, text: random.pick(['Backspace', 'Enter', 'Backspace', 'ArrowLeft', 'ArrowRight']) }
    case 'paste': return { kind, text: `${text(3)}\r\n${text(3)}` }
    case 'pause': return { kind, time: random.below(40) }
    default: return { kind }
    }
}

function pickKind(random) {
    const kinds = Object.entries(weights)
    let rest = random.below(kinds.reduce((sum, [, weight]) => sum + weight, 0))
    return kinds.find(([, weight]) => (rest -= weight) < 0)[0]
}

/** The plan for people, one line for each tab. */
export function describePlan(plan) {
    return plan.map((steps, tab) => `tab ${tab}: ${steps.map((step) => JSON.stringify(step)).join(' ')}`).join('\n')
}
