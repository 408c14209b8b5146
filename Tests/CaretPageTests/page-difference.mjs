// The rows of a comparison, and the words of the screens of history and comparison.
import assert from 'node:assert/strict'
import { Difference, pairsOf } from '../../Sources/CaretPage/page/difference.js'
import { changeWords, countWords, placeWords, restoreObstacle, spokenChange, tagObstacle, tagWords } from '../../Sources/CaretPage/page/history-words.js'
import { load, makeRandom } from './support.mjs'

async function compare(wasm, before, after) {
    const { core } = await load(wasm)
    return new Difference(before, after, core.diff(before, after))
}

const marked = ({ pieces }) => pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')

/** Rows as short words: '= 1/1+3' and '~ 4+8' are equal lines, and '- 3 text' and '+ 3 text' changed ones. */
function shown({ rows }) {
    return rows.flatMap((row) => {
        if (row.kind === 'change') return [...row.removed.map((line) => `- ${line.number} ${marked(line)}`), ...row.added.map((line) => `+ ${line.number} ${marked(line)}`)]
        return [`${row.kind === 'fold' ? '~' : '='} ${row.old}/${row.new}+${row.count}`]
    })
}

/** The lines of a text. The last one is marked if it has no line break. */
function linesOf(text) {
    const lines = text.split('\n')
    const last = lines.pop()
    return last === '' ? lines : [...lines, `${last}\u2424`]
}

/** Both texts again, from the rows of a difference. */
function rebuilt(difference) {
    for (let fold; (fold = difference.rows.find(({ kind }) => kind === 'fold'));) difference.unfold(fold, 4)
    const sides = { old: [], new: [] }
    const plain = ({ pieces, isUnended }) => pieces.map(({ text }) => text).join('') + (isUnended ? '\u2424' : '')
    for (const row of difference.rows) {
        if (row.kind === 'change') {
            sides.old.push(...row.removed.map((line) => [line.number, plain(line)]))
            sides.new.push(...row.added.map((line) => [line.number, plain(line)]))
        } else {
            for (const line of difference.linesOf(row)) {
                sides.old.push([line.old, line.text])
                sides.new.push([line.new, line.text])
            }
        }
    }
    return sides
}

const numbered = (count) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

export const cases = {
    async 'the rows contain every line of both texts, with its number'(wasm) {
        const { core } = await load(wasm)
        const random = makeRandom(3)
        const words = ['ab', 'b', ' ', '\n', '\n', '\u{1f600}', 'x\n', '\nab\n']
        const text = () => Array.from({ length: random.below(30) }, () => random.pick(words)).join('')
        for (let run = 0; run < 800; run++) {
            const before = text()
            const after = random.chance(50) ? text() : before.split('').filter(() => !random.chance(5)).join('').replace(/[\ud800-\udfff]/g, '') + random.pick(words)
            const difference = new Difference(before, after, core.diff(before, after))
            const { old, new: fresh } = rebuilt(difference)
            if (before === after) {
                assert.deepEqual(difference.rows, [])
                continue
            }
            const unmarked = (lines) => lines.map((line) => line.replace('\u2424', ''))
            const message = JSON.stringify([before, after, core.diff(before, after)])
            assert.deepEqual(unmarked(old.map(([, line]) => line)), unmarked(linesOf(before)), message)
            assert.deepEqual(unmarked(fresh.map(([, line]) => line)), unmarked(linesOf(after)), message)
            assert.deepEqual(old.map(([number]) => number), old.map((_, index) => index + 1), message)
            assert.deepEqual(fresh.map(([number]) => number), fresh.map((_, index) => index + 1), message)
            assert.ok(difference.counts.changes > 0, message)
        }
    },

    async 'changed words are marked as a whole'(wasm) {
        const difference = await compare(wasm, 'six plants\nsame\n', 'eight plants\nsame\n')
        assert.deepEqual(shown(difference), ['- 1 [six] plants', '+ 1 [eight] plants', '= 2/2+1'])
        const grown = await compare(wasm, 'one tomato here\n', 'one tomatoes here\n')
        assert.deepEqual(shown(grown), ['- 1 one [tomato] here', '+ 1 one [tomatoes] here'])
    },

    async 'a change over several lines marks only what is different in each'(wasm) {
        const difference = await compare(wasm, 'the house,\nand last year, yes\n', 'the greenhouse,\nand next month, yes\n')
        assert.deepEqual(shown(difference), ['- 1 the [house],', '- 2 and [last year], yes', '+ 1 the [greenhouse],', '+ 2 and [next month], yes'])
    },

    async 'a line in which everything has changed has no marks'(wasm) {
        assert.deepEqual(shown(await compare(wasm, 'abc\n', 'xyz\n')), ['- 1 abc', '+ 1 xyz'])
    },

    async 'an added line does not touch the lines beside it'(wasm) {
        assert.deepEqual(shown(await compare(wasm, 'a\nb\n', 'a\nnew\nb\n')), ['= 1/1+1', '+ 2 new', '= 2/3+1'])
        assert.deepEqual(shown(await compare(wasm, 'a.\nb.', 'a.\nnew.\nb.')), ['= 1/1+1', '+ 2 new.', '= 2/3+1'])
        assert.deepEqual(shown(await compare(wasm, 'a\nold\nb\n', 'a\nb\n')), ['= 1/1+1', '- 2 old', '= 3/2+1'])
        assert.deepEqual(shown(await compare(wasm, 'did not.\n', 'did not.\n\nThen eat.\n')), ['= 1/1+1', '+ 2 ', '+ 3 Then eat.'])
    },

    async 'equal lines are folded to three around each change'(wasm) {
        const before = numbered(40)
        const after = before.replace('line 11\n', 'other\n').replace('line 30\n', '')
        const difference = await compare(wasm, before, after)
        assert.deepEqual(shown(difference), [
            '~ 1/1+7', '= 8/8+3', '- 11 line 11', '+ 11 other', '= 12/12+3', '~ 15/15+12', '= 27/27+3', '- 30 line 30', '= 31/30+3', '~ 34/33+7',
        ])
        assert.deepEqual(difference.counts, { changes: 2, removed: 2, added: 1 })
        difference.unfold(difference.rows[4], 5)
        assert.deepEqual(shown(difference).slice(4, 7), ['= 12/12+3', '= 15/15+5', '~ 20/20+7'])
    },

    async 'a single equal line is not folded'(wasm) {
        const before = numbered(12)
        const difference = await compare(wasm, before, before.replace('line 5\n', 'x\n'))
        assert.deepEqual(shown(difference), ['= 1/1+4', '- 5 line 5', '+ 5 x', '= 6/6+3', '~ 9/9+4'])
    },

    async 'the line break at the end counts'(wasm) {
        const difference = await compare(wasm, 'a\nb', 'a\nb\n')
        assert.deepEqual(difference.rows[1].removed.map(({ isUnended }) => isUnended), [true])
        assert.deepEqual(difference.rows[1].added.map(({ isUnended }) => isUnended), [false])
        assert.deepEqual(difference.counts, { changes: 1, removed: 1, added: 1 })
    },

    async 'a text and nothing, and two equal texts'(wasm) {
        assert.deepEqual(shown(await compare(wasm, '', 'a\nb')), ['+ 1 a', '+ 2 b'])
        assert.deepEqual(shown(await compare(wasm, 'a\n', '')), ['- 1 a'])
        assert.deepEqual((await compare(wasm, 'a\n', 'a\n')).rows, [])
    },

    async 'a very long line is shown only around its changes'(wasm) {
        const before = `${'word '.repeat(50_000)}end\n`
        const difference = await compare(wasm, before, before.replace(/^(.{125000})/, '$1NEW '))
        const [{ added: [line] }] = difference.rows
        assert.ok(marked(line).length < 1_000, `${marked(line).length}`)
        assert.match(marked(line), /^\u2026.*NEW.*\u2026$/)
        const whole = await compare(wasm, '', `${'\u{1f600}'.repeat(100_000)}\n`)
        assert.ok(marked(whole.rows[0].added[0]).length < 3_000)
    },

    async 'texts of 2 MiB are compared in a moment'(wasm) {
        const random = makeRandom(5)
        const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} ${random.below(1_000_000)} with some more words to read`)
        const changed = lines.map((line) => (random.chance(2) ? `${line} changed` : line)).filter(() => !random.chance(1))
        const { core } = await load(wasm)
        const [before, after] = [lines.join('\n'), changed.join('\n')]
        const edits = core.diff(before, after)
        const begin = performance.now()
        const difference = new Difference(before, after, edits)
        assert.ok(difference.counts.changes > 100)
        // It takes about 20 ms. The bound only catches a square of the number of lines.
        assert.ok(performance.now() - begin < 5_000)
    },

    'lines stand beside each other as far as there are some'() {
        assert.deepEqual(pairsOf({ removed: ['a'], added: ['b', 'c'] }), [['a', 'b'], [undefined, 'c']])
    },

    'the words of a place say who changed how much'() {
        const revision = { revision: 5, inserted: 1200, deleted: 1, time: new Date(2026, 10, 22, 8, 15, 3) }
        assert.equal(changeWords(revision), '+1,200 \u22121')
        assert.equal(changeWords({ inserted: 0, deleted: 0 }), '\u00b10')
        assert.equal(spokenChange({ inserted: 0, deleted: 0 }), 'changed nothing')
        assert.equal(placeWords(5, { start: 0, head: 9 }, revision, { name: 'Ann' }),
            'Revision 5 of 9, by Ann, 22 Nov 2026, 08:15:03, added 1,200\u00a0characters, removed 1\u00a0character')
        assert.match(placeWords(5, { start: 0, head: 9 }, revision, { name: 'Ann' }, ['draft', 'v1']), /^Revision 5 of 9, draft, v1, by Ann, /)
        assert.equal(placeWords(3, { start: 3, head: 9 }, null, null), 'Revision 3 of 9, where the history begins')
        assert.equal(countWords({ changes: 1, added: 2, removed: 0 }), '1\u00a0change, 2\u00a0lines added, 0\u00a0lines removed')
    },

    'the name of a revision has letters, digits and three signs'() {
        const tags = [{ name: 'draft', revision: 3 }]
        for (const name of ['a', 'Z9', 'v1.2_b-c', 'a'.repeat(64), 'Draft']) assert.equal(tagObstacle(name, 5, tags), null, name)
        const obstacles = [['two words', /spaces/], ['1st', /begins with a letter/], ['-a', /begins/], ['é', /begins/], ['né', /has only/], ['a/b', /has only/],
            ['a'.repeat(65), /64 characters\. This one has 65\./]]
        for (const [name, words] of obstacles) assert.match(tagObstacle(name, 5, tags), words)
        const time = new Date(2026, 10, 22, 8, 15)
        assert.equal(tagWords({ revision: 1200, user: 'bob', time }), 'Revision 1,200, named by bob, 22 Nov, 08:15')
        assert.equal(tagWords({ revision: 3, user: 'anonymous', time }), 'Revision 3, 22 Nov, 08:15')
        assert.equal(tagObstacle('draft', 3, tags), 'This revision has the name already.')
        assert.equal(tagObstacle('draft', 5, tags), 'Revision 3 has this name. Remove it there first.')
    },

    'restoring needs an older text, a connection and the right to write'() {
        const state = { place: 3, head: 5, rights: 'write', isOnline: true, isGone: false }
        assert.equal(restoreObstacle(state), null)
        assert.equal(restoreObstacle({ ...state, rights: null }), null)
        const obstacles = [{ place: 5 }, { rights: 'read' }, { isOnline: false }, { isGone: true }].map((one) => restoreObstacle({ ...state, ...one }))
        assert.equal(new Set(obstacles).size, 4)
        assert.ok(obstacles.every((sentence) => typeof sentence === 'string'))
    },
}
