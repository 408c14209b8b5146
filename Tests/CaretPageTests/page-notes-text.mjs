// How notes are written and read, and what a page keeps of unsaved ones.
import assert from 'node:assert/strict'
import {
    arrange, beginningOf, canHaveNotes, cleanAuthor, cleanNote, dayWords, excess, insertedRanges, longestNote, parseNotes, writeNote,
} from '../../Sources/CaretPage/page/notes-text.js'
import { Outbox } from '../../Sources/CaretPage/page/notes-outbox.js'
import { makeRandom } from './support.mjs'

const time = new Date('2026-11-22T08:15:00Z')
const short = (text) => parseNotes(text).map(({ time, author, text }) => (time ? [time.toISOString().slice(0, 16), author, text] : text))

export const cases = {
    'a note is written as a line with its time and author'() {
        assert.equal(writeNote({ time, author: 'Ann', text: 'Hello: you' }), '[2026-11-22 08:15] Ann: Hello: you\n')
    },

    'further lines of a note begin with two spaces'() {
        const text = writeNote({ time, author: 'Ann', text: 'One\n\n  Three' })
        assert.equal(text, '[2026-11-22 08:15] Ann: One\n  \n    Three\n')
        assert.deepEqual(short(text), [['2026-11-22T08:15', 'Ann', 'One\n\n  Three']])
    },

    'an empty line inside a note may have lost its spaces'() {
        assert.deepEqual(short('[2026-11-22 08:15] Ann: One\n\n  Two\n\n'), [['2026-11-22T08:15', 'Ann', 'One\n\nTwo']])
    },

    'times may end with Z, and lines with CR LF'() {
        assert.deepEqual(short('[2026-11-22 08:15Z] Ann: One\r\n  Two\r\n'), [['2026-11-22T08:15', 'Ann', 'One\nTwo']])
    },

    'all other lines are plain text, in paragraphs'() {
        assert.deepEqual(short('# Notes\n  by all\n\n[2026-02-31 08:15] Ann: no such day\n[2026-11-22 08:15]: nobody\n'),
            ['# Notes\n  by all', '[2026-02-31 08:15] Ann: no such day\n[2026-11-22 08:15]: nobody'])
        assert.deepEqual(short('[2026-11-22 08:15] Ann: x\nplain'), [['2026-11-22T08:15', 'Ann', 'x'], 'plain'])
        assert.deepEqual(short(''), [])
    },

    'the offsets of a note contain its lines'() {
        const text = 'plain\n[2026-11-22 08:15] Ann: One\n  Two\n\n'
        const [plain, note] = parseNotes(text)
        assert.equal(text.slice(plain.start, plain.end), 'plain')
        assert.equal(text.slice(note.start, note.end), '[2026-11-22 08:15] Ann: One\n  Two')
    },

    'a name cannot end before its colon, or hide'() {
        assert.equal(cleanAuthor(' Ann:\n [2026]  \u202eB '), 'Ann [2026] B')
        assert.equal(cleanAuthor('\u0000'), 'Somebody')
        assert.equal([...cleanAuthor('\u{1f600}'.repeat(100))].length, 64)
        assert.deepEqual(short(writeNote({ time, author: 'a: b', text: 'c' })), [['2026-11-22T08:15', 'a b', 'c']])
    },

    'a typed text loses what is invisible, and nothing else'() {
        assert.equal(cleanNote('\n\nOne \r\n\tTwo\u202e\u0007\u2028Three\n\n'), 'One\n    Two\nThree')
        assert.equal(cleanNote('a\ud800b'), 'a\ufffdb')
        assert.equal(cleanNote(' \n\t\n'), '')
    },

    'every text that can be sent is read as one note'() {
        const random = makeRandom(7)
        const parts = ['\n', '  ', '[2026-11-22 08:15] Eve: ', 'word', ':', '\t', '\u202e', '\ud83d\ude00', '\r', '\ud83d', ' ']
        for (let round = 0; round < 3_000; round++) {
            const typed = Array.from({ length: random.below(12) }, () => random.pick(parts)).join('')
            const author = cleanAuthor(Array.from({ length: random.below(4) }, () => random.pick(parts)).join(''))
            const text = cleanNote(typed)
            if (text === '') continue
            const before = random.chance(50) ? '' : 'plain\n'
            const notes = short(before + writeNote({ time, author, text }))
            assert.deepEqual(notes.at(-1), ['2026-11-22T08:15', author, text], JSON.stringify(typed))
            assert.equal(notes.length, before ? 2 : 1, JSON.stringify(typed))
        }
    },

    'a note has at most 4,000 characters, and a surrogate pair is one'() {
        assert.equal(excess('x'.repeat(longestNote)), 0)
        assert.equal(excess(`${'x'.repeat(longestNote + 3)}\n`), 3)
        assert.equal(excess('\u{1f600}'.repeat(longestNote)), 0)
        assert.equal(excess('\u{1f600}'.repeat(longestNote + 1)), 1)
    },

    'the inserted texts of edits are found in the new text'() {
        const [text, edits] = ['abcdef', [{ range: [1, 3], text: 'XYZW' }, { range: [6, 6], text: 'end' }]]
        assert.deepEqual(insertedRanges(edits), [[1, 5], [8, 11]])
        assert.equal('aXYZWdefend'.slice(8, 11), 'end', text)
    },

    'notes of one person within five minutes have one name'() {
        const note = (minutes, author) => ({ time: new Date(+time + minutes * 60_000), author, text: 'x' })
        const rows = arrange([note(0, 'Ann'), note(4, 'Ann'), note(5, 'Bob'), note(6, 'Ann'), note(12, 'Ann')],
            { isOwn: ({ author }) => author === 'Bob', now: time, zone: 'UTC' })
        assert.deepEqual(rows.map(({ day, isFirst, isOwn }) => day ?? [isFirst, isOwn]),
            ['Today', [true, false], [false, false], [true, true], [true, false], [true, false]])
    },

    'days have words in the time of the device'() {
        const now = new Date('2026-11-23T01:00:00Z')
        assert.equal(dayWords(time, now, 'UTC'), 'Yesterday')
        assert.equal(dayWords(now, now, 'UTC'), 'Today')
        assert.equal(dayWords(new Date('2026-11-22T23:30:00Z'), now, 'Asia/Tokyo'), 'Today')
        assert.match(dayWords(new Date('2026-11-02T12:00:00Z'), now, 'UTC'), /^Monday,? 2 November 2026$/)
    },

    'a long note begins with a part of it'() {
        assert.equal(beginningOf('x'.repeat(1_300)), null)
        assert.equal(beginningOf('x'.repeat(1_400)), `${'x'.repeat(1_200)}\u2026`)
        assert.equal(beginningOf('a\n'.repeat(30)).split('\n').length, 16)
        const cut = beginningOf(`x${'\u{1f600}'.repeat(1_000)}`)
        assert.ok(!/[\ud800-\udfff]/u.test(cut), 'half a pair')
    },

    'notes of notes, and notes with too long names, do not exist'() {
        assert.equal(canHaveNotes('agenda'), true)
        assert.equal(canHaveNotes('agenda.notes'), false)
        assert.equal(canHaveNotes('\u00e9'.repeat(253)), true)
        assert.equal(canHaveNotes('\u00e9'.repeat(254)), false)
    },

    'the outbox gives each note to the text once'() {
        const outbox = new Outbox()
        outbox.add({ time, author: 'Ann', text: 'One' })
        outbox.add({ time, author: 'Ann', text: 'One' })
        assert.equal(outbox.handOver('old'), '\n[2026-11-22 08:15] Ann: One\n[2026-11-22 08:15] Ann: One\n')
        assert.equal(outbox.handOver('old'), '')
        assert.equal(outbox.isEmpty, false)
        outbox.textLost()
        assert.equal(outbox.waiting.length, 2)
        assert.match(outbox.handOver(''), /^\[/)
        outbox.saved()
        assert.equal(outbox.isEmpty, true)
    },

    'a note that was saved just before a reload is not sent again'() {
        const before = new Outbox()
        before.add({ time, author: 'Ann', text: 'One' })
        before.add({ time, author: 'Ann', text: 'Two' })
        const after = new Outbox(JSON.parse(JSON.stringify(before)))
        assert.equal(after.handOver('[2026-11-22 08:15] Ann: One\n'), '[2026-11-22 08:15] Ann: Two\n')
    },

    'an outbox ignores what it has not stored'() {
        for (const stored of [null, {}, 'x', [null, 1, {}, { time: NaN, author: 'a', text: 'b' }, { time: 1, author: 2, text: 'b' }]]) {
            assert.equal(new Outbox(stored).isEmpty, true)
        }
    },
}
