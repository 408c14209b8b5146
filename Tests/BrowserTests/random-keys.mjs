// Random typing in an editor with real keys, while another user edits at random.
import assert from 'node:assert/strict'
import { makeScalars, randomOffset, until } from '../CaretPageTests/support.mjs'

/** Both users only insert, and each character once: the text has all of them at the end. */
export async function typeInTurn({ tab, other, random, mayCompose }) {
    const scalar = makeScalars()
    const typed = []
    await tab.focus()
    for (let step = 0; step < 60; step++) {
        const text = random.chance(10) ? '\n' : scalar() + (random.chance(30) ? scalar() : '')
        typed.push(...text)
        if (random.chance(40)) {
            const offset = randomOffset(other.text, random)
            other.edit([{ range: [offset, offset], text }])
            continue
        }
        if (random.chance(50)) await moveAtRandom(tab, random)
        if (text === '\n') await tab.press('Enter')
        else if (mayCompose && random.chance(15)) await enterComposed(tab, text)
        else await tab.insert(text)
    }
    const text = await endEqual({ tab, other })
    assert.deepEqual([...text].sort(), typed.sort())
}

/** All that keys can do. The other user replaces and deletes too. */
export async function typeAtRandom({ tab, other, random }) {
    const actions = [
        () => tab.typeKeys(random.pick(['a', 'b', ' ', 'c1'])), () => tab.insert(random.pick(['漢', '😀'])),
        () => tab.press('Enter'), () => tab.press('Backspace'), () => tab.press('Delete'),
        () => tab.press(random.pick(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'])),
        () => tab.press(random.pick(['ArrowLeft', 'ArrowRight', 'ArrowDown']), { shift: true }),
        () => tab.press('z', { ctrl: true }), () => tab.press('z', { ctrl: true, shift: true }),
        () => moveAtRandom(tab, random),
    ]
    await tab.focus()
    for (let step = 0; step < 80; step++) {
        await random.pick(actions)()
        if (random.chance(35)) editAtRandom(other, random)
    }
    await endEqual({ tab, other })
}

function editAtRandom(document, random) {
    const [start, end] = [randomOffset(document.text, random), randomOffset(document.text, random)].sort((one, two) => one - two)
    const text = random.pick(['x', 'y\n', '', 'zz', '🙂'])
    document.edit([{ range: [start, random.chance(30) ? Math.min(end, start + 4) : start], text }].filter(isWhole(document.text)))
}

/** Whether an edit has its ends between whole characters. */
function isWhole(text) {
    return ({ range }) => range.every((offset) => !/^[\udc00-\udfff]/.test(text.slice(offset)))
}

async function enterComposed(tab, text) {
    await tab.compose(text)
    await tab.commit(text)
}

function moveAtRandom(tab, random) {
    return tab.evaluate((share) => {
        const text = editing.text()
        let offset = Math.floor(share * (text.length + 1) / 1000)
        if (/^[\udc00-\udfff]/.test(text.slice(offset))) offset--
        editing.select([[offset, offset]])
    }, random.below(1000))
}

/** Waits until both have the same text and nothing is unsaved, and returns the text. */
async function endEqual({ tab, other }) {
    await tab.evaluate(() => shared.saved())
    await other.saved()
    await until(async () => other.text === await tab.evaluate(() => shared.text), 'equal texts')
    await tab.shows(other.text)
    return other.text
}
