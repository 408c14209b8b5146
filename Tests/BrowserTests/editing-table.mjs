// What a user does in an editor, and what comes out. Every editor that is bound to a document passes this table.
//
// A row is [what it is about, the text before, the steps, the text after]. In the texts, `|` is the caret, or the end of
// a selection that moves, and `^` is its other end.
//
// | step | |
// | --- | --- |
// | `type('ab')` | the user presses keys, one for each letter; other characters come from an input method |
// | `press('Enter')` | the user presses a key, perhaps with `{ shift, ctrl }` |
// | `other('text')` | another user changes the text to this one |
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { until } from '../CaretPageTests/support.mjs'

const type = (text) => ({ tab }) => tab.typeKeys(text)
const press = (...key) => ({ tab }) => tab.press(...key)
const other = (text) => async ({ tab, other }) => {
    await settle({ tab, other })
    other.replaceText(text)
    await tab.shows(text)
}
const undo = press('z', { ctrl: true })
const redo = press('z', { ctrl: true, shift: true })

const rows = [
    ['a letter at the start', '|bc', [type('a')], 'a|bc'],
    ['a letter between others', 'a|c', [type('b')], 'ab|c'],
    ['letters at the end', 'Milk|', [type(' and bread')], 'Milk and bread|'],
    ['the same letter again', 'aa|a', [type('a')], 'aaa|a'],
    ['a letter in an empty text', '|', [type('a')], 'a|'],
    ['a letter in place of a selection', 'a^bc|d', [type('x')], 'ax|d'],
    ['a letter in place of a backward selection', 'a|bc^d', [type('x')], 'ax|d'],
    ['a letter in place of everything', '^ab\ncd|', [type('x')], 'x|'],
    ['letters of an input method', 'a|b', [type('漢字')], 'a漢字|b'],
    ['an emoji in place of another', 'a^😀|b', [type('😁')], 'a😁|b'],
    ['a new line inside a line', 'ab|cd', [press('Enter')], 'ab\n|cd'],
    ['a new line at the end', 'ab|', [press('Enter'), type('c')], 'ab\nc|'],
    ['a new line in place of parts of two lines', '1\n2^3\n4|5', [press('Enter')], '1\n2\n|5'],
    ['Backspace inside a line', 'ab|c', [press('Backspace')], 'a|c'],
    ['Backspace at the start of a line', 'ab\n|cd', [press('Backspace')], 'ab|cd'],
    ['Backspace at the start of the text', '|abc', [press('Backspace')], '|abc'],
    ['Backspace with a selection over three lines', 'a^b\nc\nd|e', [press('Backspace')], 'a|e'],
    ['Backspace after an emoji', 'a😀|b', [press('Backspace')], 'a|b'],
    ['Delete inside a line', 'a|bc', [press('Delete')], 'a|c'],
    ['Delete at the end of a line', 'ab|\ncd', [press('Delete')], 'ab|cd'],
    ['arrow keys go over an emoji', '|😀b', [press('ArrowRight'), type('x')], '😀x|b'],
    ['the start of a line', 'one\ntw|o', [press('Home'), type('x')], 'one\nx|two'],
    ['the end of a line', 'o|ne\ntwo', [press('End'), type('x')], 'onex|\ntwo'],
    ['a selection with the keyboard', 'a|bcd', [press('ArrowRight', { shift: true }), press('ArrowRight', { shift: true })], 'a^bc|d'],
    ['another user writes before the caret', 'a|b', [other('xab'), type('y')], 'xay|b'],
    ['another user writes after the caret', 'a|b', [other('abx'), type('y')], 'ay|bx'],
    ['another user writes a line above', 'one\nt|wo', [other('new\none\ntwo'), type('x')], 'new\none\ntx|wo'],
    ['another user deletes the text around the caret', 'one tw|o three', [other('one  three'), type('x')], 'one x| three'],
    ['another user deletes what is selected', 'one ^two| three', [other('one  three'), type('x')], 'one x| three'],
    ['another user changes what is selected', 'a^bcd|e', [other('abxde'), type('y')], 'ay|e'],
    ['undo takes back what the user has typed', 'a|b', [type('x'), undo], 'a|b'],
    ['redo brings it back', 'a|b', [type('x'), undo, redo], 'ax|b'],
    ['undo leaves what another user has written', 'a|b', [type('x'), other('yaxb'), undo], 'ya|b'],
    ['redo after another user has written', 'a|b', [type('x'), undo, other('yab'), redo], 'yax|b'],
    ['undo brings back a selection that was deleted', 'a^b\nc|d', [press('Backspace'), other('xad'), undo], 'xab\nc|d'],
]

/** A text without its marks, and its selection. */
function parse(marked) {
    const text = marked.replace(/[|^]/g, '')
    const head = marked.replace('^', '').indexOf('|')
    const anchor = marked.replace('|', '').indexOf('^')
    return { text, selection: [anchor < 0 ? head : anchor, head] }
}

/** Runs the table with one tab and one other user. `leftOut` are the rows that the editor itself gets wrong. */
export async function runTable({ tab, other }, leftOut = []) {
    await tab.focus()
    for (const [about, before, steps, after] of rows.filter(([about]) => !leftOut.includes(about))) {
        const [start, end] = [parse(before), parse(after)]
        await begin({ tab, other }, start)
        for (const step of steps) await step({ tab, other })
        // Some editors handle a key a little later than the browser.
        await tab.shows(end.text)
        await settle({ tab, other })
        assert.deepEqual([await tab.text(), other.text], [end.text, end.text], about)
        assert.deepEqual(await tab.selection(), end.selection, about)
    }
}

/** The table of carets, which all clients pass: where a selection is after the text was changed. */
export async function runCarets({ tab, other }) {
    const { cases } = JSON.parse(readFileSync(new URL('../Fixtures/carets.json', import.meta.url)))
    await tab.focus()
    for (const { about, old, selection, new: text, becomes } of cases) {
        await begin({ tab, other }, { text: old, selection })
        await until(() => `${other.peers[0]?.selections[0]}` === `${selection}`, `${about}: the selection`)
        other.replaceText(text)
        await tab.shows(text)
        assert.deepEqual(await tab.selection(), becomes, about)
    }
}

/** Waits until both have all changes. */
async function settle({ tab, other }) {
    await tab.evaluate(() => shared.saved())
    await until(async () => other.revision === await tab.evaluate(() => shared.revision), 'all changes')
}

async function begin({ tab, other }, { text, selection }) {
    other.replaceText(text)
    await tab.shows(text)
    await tab.select(...selection)
}

/** A composition after the text 'abc' that edits of others do not disturb. */
export async function runComposition({ tab, other }) {
    await tab.focus()
    await tab.select(3, 3)
    for (const text of ['に', 'にほ']) {
        await tab.compose(text)
        await until(() => other.text === `abc${text}`, `${text} of the composition`)
    }
    for (const text of ['にほん', 'にほん', '日本', '日本']) {
        other.edit([{ range: [0, 0], text: 'x' }])
        await other.saved()
        await tab.compose(text)
        await tab.frames(3)
        assert.equal(await tab.text(), `abc${text}`)
    }
    await tab.commit('日本')
    await tab.shows('xxxxabc日本')
    assert.deepEqual(await tab.selection(), [9, 9])
    await tab.insert('語')
    await until(() => other.text === 'xxxxabc日本語', 'the text after the composition')
}
