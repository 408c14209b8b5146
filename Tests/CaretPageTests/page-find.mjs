// Finding and replacing, without a page.
import assert from 'node:assert/strict'
import { placeAfter, placesOf, replacements } from '../../Sources/CaretPage/page/find-text.js'

/** The text after edits, which are in order. */
const edited = (text, edits) => edits.reduceRight((all, { range: [start, end], text: put }) => all.slice(0, start) + put + all.slice(end), text)

export const cases = {
    'places are found in order, none inside of another'() {
        assert.deepEqual(placesOf('aaaa b aa', 'aa'), [[0, 2], [2, 4], [7, 9]])
        assert.deepEqual(placesOf('abc', ''), [])
        assert.deepEqual(placesOf('abc', 'd'), [])
    },

    'upper and lower case are equal, unless they must not be'() {
        assert.deepEqual(placesOf('Milk MILK milk', 'milk'), [[0, 4], [5, 9], [10, 14]])
        assert.deepEqual(placesOf('Milk MILK milk', 'milk', { isCaseSensitive: true }), [[10, 14]])
        assert.deepEqual(placesOf('\u00c9t\u00e9', '\u00e9'), [[0, 1], [2, 3]])
    },

    'signs have no other meaning, and places count code units'() {
        for (const sign of '\\^$.*+?()[]{}|/-&#~"') assert.deepEqual(placesOf(`x${sign}y`, sign), [[1, 2]], sign)
        assert.deepEqual(placesOf('\u{1f600}a\u{1f600}', '\u{1f600}'), [[0, 2], [3, 5]])
        assert.deepEqual(placesOf('a\nb', 'a\nb'), [[0, 3]])
    },

    'the place after a caret is the first one there, or the first of all'() {
        const places = [[2, 4], [7, 9]]
        assert.deepEqual([0, 2, 3, 7, 8].map((offset) => placeAfter(places, offset)), [0, 0, 1, 1, 0])
        assert.equal(placeAfter([], 3), 0)
    },

    'replacing all places makes the same text with many edits, and with more than a change may have'() {
        const text = 'one two one three ONE.'
        const places = placesOf(text, 'one')
        for (const most of [3, 2, 1]) {
            const edits = replacements(text, places, '1', most)
            assert.equal(edited(text, edits), '1 two 1 three 1.')
            assert.equal(edits.length, most === 3 ? 3 : 1)
        }
        assert.equal(edited('x'.repeat(10_001), replacements('x'.repeat(10_001), placesOf('x'.repeat(10_001), 'x'), 'yy')), 'yy'.repeat(10_001))
    },
}
