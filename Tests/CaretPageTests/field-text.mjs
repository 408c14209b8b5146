// What a binding of a textarea computes without a field.
import assert from 'node:assert/strict'
import {
    applyEdits, clampOffset, endsWithHalf, findOwnEdit, fromSelection, historyKey, keptScroll, offsetBefore,
    replaceLoneSurrogates, toSelection,
} from '../../Clients/javascript/field-text.js'
import { makeRandom, randomOffset } from './support.mjs'

/** The text before; the text after, with | at the caret; start, end and text of the edit. */
const ownEdits = [
    ['', '|', null],
    ['abc', 'abc|', null],
    ['', 'a|', [0, 0, 'a']],
    ['abc', 'abcd|', [3, 3, 'd']],
    ['abc', 'a|bc', null],
    ['aaa', 'a|aaa', [0, 0, 'a']],
    ['aaa', 'aa|aa', [1, 1, 'a']],
    ['aaa', 'aaaa|', [3, 3, 'a']],
    ['aaa', '|aa', [0, 1, '']],
    ['aaa', 'a|a', [1, 2, '']],
    ['aaa', 'aa|', [2, 3, '']],
    ['one two', 'one |', [4, 7, '']],
    ['one two', 'one ten|', [5, 7, 'en']],
    ['abab', 'ab|', [2, 4, '']],
    ['abab', '|ab', [0, 2, '']],
    // Pasting what was selected changes nothing, wherever the caret is.
    ['tea tea', 'tea tea|', null],
    // A caret before the change, as after a text was dropped or corrected.
    ['abc', '|axc', [1, 2, 'x']],
    // A caret outside of the text counts as its end.
    ['ab', 'abc', [2, 2, 'c']],
    // Both emoji begin with the same half.
    ['a😀b', 'a😁|b', [1, 3, '😁']],
    // These two end with the same half, and the second pair follows.
    ['𐀀', '|𐐀', [0, 2, '𐐀']],
    ['x\ud83d\ude00y', 'x\ud83c\ude00|y', [1, 3, '\ud83c\ude00']],
    ['😀😀', '😀|', [2, 4, '']],
    ['a', 'a\ud83d|', [1, 1, '\ud83d']],
    ['a\n', 'a\n\n|', [2, 2, '\n']],
]

export const cases = {
    'an own edit is found from the texts and the caret'() {
        for (const [before, marked, expected] of ownEdits) {
            const caret = marked.includes('|') ? marked.indexOf('|') : 99
            const after = marked.replace('|', '')
            const found = findOwnEdit(before, after, caret)
            const wanted = expected && { range: [expected[0], expected[1]], text: expected[2] }
            assert.deepEqual(found, wanted, JSON.stringify([before, marked]))
        }
    },

    'an own edit always leads from one text to the other, and splits no pair'() {
        const random = makeRandom(7)
        const text = () => Array.from({ length: random.below(6) }, () => random.pick(['a', 'b', '😀', '😁', '𐐀', '\n'])).join('')
        for (let round = 0; round < 20_000; round++) {
            const before = text()
            const [start, end] = [randomOffset(before, random), randomOffset(before, random)].sort((a, b) => a - b)
            const inserted = text()
            const after = before.slice(0, start) + inserted + before.slice(end)
            // Browsers put the caret after the change. A script may put it anywhere.
            const caret = random.chance(80) ? start + inserted.length : random.below(after.length + 2)
            const edit = findOwnEdit(before, after, caret)
            assert.equal(edit ? applyEdits(before, [edit]) : before, after)
            if (!edit) continue
            assert.equal(edit.text, replaceLoneSurrogates(edit.text))
            for (const offset of edit.range) assert.equal(clampOffset(before, offset), offset)
        }
    },

    'an own edit is found where the caret is'() {
        // Without the caret, each of these texts could have been typed at several places.
        for (let offset = 0; offset <= 5; offset++) {
            const edit = findOwnEdit('aaaaa', 'aaaaaa', offset + 1)
            assert.deepEqual(edit, { range: [offset, offset], text: 'a' })
        }
    },

    'what is inserted at an offset comes after it'() {
        const edits = [{ range: [2, 4], text: 'x' }, { range: [6, 6], text: '1234' }, { range: [8, 9], text: '' }]
        const expected = [0, 1, 2, 2, 3, 4, 5, 10, 11, 11, 12]
        assert.deepEqual(expected.map((_, offset) => offsetBefore(offset, edits)), expected)
    },

    'offsets between the halves of a pair move to its start'() {
        for (const [offset, expected] of [[-1, 0], [0, 0], [1, 1], [2, 1], [3, 3], [4, 4], [9, 4]]) {
            assert.equal(clampOffset('a😀b', offset), expected)
        }
        // A lone half is a character of its own.
        assert.equal(clampOffset('\ude00', 0), 0)
        assert.equal(clampOffset('a\ude00', 1), 1)
    },

    'lone surrogates become U+FFFD, and pairs stay'() {
        const rows = [
            ['abc', 'abc'], ['😀', '😀'], ['\ud83d', '\ufffd'], ['\ude00\ud83d', '\ufffd\ufffd'], ['\ud83d😀', '\ufffd😀'],
            ['😀\ude00', '😀\ufffd'], ['\ud83d\ud83d\ude00', '\ufffd😀'],
        ]
        for (const [text, expected] of rows) assert.equal(replaceLoneSurrogates(text), expected)
    },

    'the first half of a pair before the caret is found'() {
        const rows = [
            ['a\ud83d', 2, true], ['a\ud83db', 2, true], ['a\ud83d', 1, false], ['a😀', 2, false], ['a😀', 3, false],
            ['a\ude00', 2, false], ['', 0, false],
        ]
        for (const [text, caret, expected] of rows) assert.equal(endsWithHalf(text, caret), expected, `${text} ${caret}`)
    },

    'a selection keeps its direction'() {
        const rows = [
            [{ start: 1, end: 4, direction: 'forward' }, [1, 4]], [{ start: 1, end: 4, direction: 'none' }, [1, 4]],
            [{ start: 1, end: 4, direction: 'backward' }, [4, 1]], [{ start: 2, end: 2, direction: 'backward' }, [2, 2]],
        ]
        for (const [range, selection] of rows) {
            assert.deepEqual(toSelection('abcdef', range), selection)
            assert.deepEqual(fromSelection(selection, range.direction), range)
        }
        assert.deepEqual(toSelection('a😀b', { start: 2, end: 3, direction: 'backward' }), [3, 1])
        assert.deepEqual(fromSelection([1, 4], 'backward'), { start: 1, end: 4, direction: 'forward' })
        assert.deepEqual(fromSelection([4, 1], 'none'), { start: 1, end: 4, direction: 'backward' })
    },

    'the keys of undo and redo are those of the system'() {
        const rows = [
            ['ctrl z', 'undo', null], ['ctrl Z shift', 'redo', null], ['ctrl y', 'redo', null], ['ctrl x', null, null],
            ['ctrl z alt', null, null], ['meta z', null, 'undo'], ['meta Z shift', null, 'redo'], ['meta y', null, null],
            ['z', null, null], ['ctrl z meta', null, null],
        ]
        for (const [keys, elsewhere, onApple] of rows) {
            const words = keys.split(' ')
            const event = {
                key: words.find((word) => word.length === 1), ctrlKey: words.includes('ctrl'),
                metaKey: words.includes('meta'), altKey: words.includes('alt'), shiftKey: words.includes('shift'),
            }
            assert.deepEqual([historyKey(event, false), historyKey(event, true)], [elsewhere, onApple], keys)
        }
    },

    'a line stays in the view when lines above it come and go'() {
        for (const [top, before, after, expected] of [
            [100, 90, 90, 100], [100, 90, 110, 120], [100, 90, 50, 60], [100, 90, -20, 0], [5.5, 4, 24, 25.5],
        ]) assert.equal(keptScroll(top, before, after), expected)
    },
}
