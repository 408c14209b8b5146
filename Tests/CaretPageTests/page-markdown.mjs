// What is colored in a text with Markdown, without a page.
import assert from 'node:assert/strict'
import { MarkdownText, mostRanges, readLine } from '../../Sources/CaretPage/page/markdown.js'
import { makeRandom } from './support.mjs'

/** The kind of each letter: h(eading), c(ode), l(ink), m(ark), or a space. */
function kindsOf(line, fence) {
    const kinds = Array(line.length).fill(' ')
    for (const [start, end, kind] of readLine(line, fence).ranges) kinds.fill(kind[0], start, end)
    return kinds.join('').trimEnd()
}

/** Compares lines with what is written below them. */
function expectKinds(...pairs) {
    for (let index = 0; index < pairs.length; index += 2) {
        const [line, wanted] = pairs.slice(index, index + 2)
        assert.equal(kindsOf(line), wanted, line)
    }
}

/** All lines of a text with their ranges. */
function readAll(text) {
    let fence = ''
    return text.split('\n').map((line) => {
        const read = readLine(line, fence)
        fence = read.fence
        return { line, ranges: read.ranges }
    })
}

/** How many characters are looked at until a line is read. */
function stepsFor(text) {
    let steps = 0
    const line = new Proxy(Object(text), {
        get(target, name) {
            if (name === 'length') return target.length
            steps++
            return target[name]
        },
    })
    assert.deepEqual(readLine(line), readLine(text))
    return steps
}

const parts = [
    '#', '# ', '*', '**', '_', '`', '``', '```', '~~~', '[', ']', '(', ')', '](', '![', '<', '>', 'http://',
    'https://x', 'a', 'word', ' ', '  ', '\\', '- ', '1. ', ':', '!', '\u05e9', '\ud83d\ude00', '\t', '.',
]
function randomLine(random, count = 14) {
    return Array.from({ length: random.below(count) }, () => random.pick(parts)).join('')
}

const repeated = (text) => (size) => text.repeat(size / text.length)
const nested = (start, end) => (size) => start.repeat(size / start.length) + end.repeat(size / start.length)
/** Runs of a sign that are all of another length. */
const runs = (sign) => (size) =>
    Array.from({ length: Math.sqrt(2 * size) }, (_, index) => sign.repeat(index + 1)).join('a')

/** Functions that make a hostile line of about a size. */
const hostile = [
    ...[
        '`', '*', '_', '[', ']', '(', ')', '<', '>', '\\', '!', '#', ' ', 'h', '- ', '> ', '1. ', '*a', '_a', '*a_',
        '_a* ', '*a*', 'a**', '](', '[](', '[]( ', '![](', '[a][', '[a]', '<a:', 'http://', 'http://a', 'http://.',
        'http://.[', 'h[', '` ``', '`\\', '\\`', '[`](', '- [', '[a]:',
    ].map(repeated),
    ...[
        ['[', ']'], ['![', '](a)'], ['[', '](a)'], ['*a', 'b*'], ['_a', 'b*'], ['(', ')'], ['[](', ')'], ['[](', ' x)'],
        ['**a', 'b*'], ['_', '*a'], ['[a', '](b) '], ['*a', '_ *b'],
    ].map(([start, end]) => nested(start, end)),
    runs('`'), runs('*'), runs('['),
]

export const cases = {
    'headings have one to six signs and a space'() {
        expectKinds(
            '# Title', 'm hhhhh',
            '###### Six', 'mmmmmm hhh',
            '####### Seven', '',
            '#tag', '',
            '#', 'm',
            '  ## In', '  mm hh',
            '# A `b` c', 'm hhccchh',
            '# *A* [b](c)', 'm mhmhllllll',
            '> # In a quote', 'm m hhhhhhhhhh',
            'no # heading', '',
        )
    },

    'lists and quotes have marks, and text that only looks like them has none'() {
        expectKinds(
            '- one', 'm',
            '  * two', '  m',
            '+ three', 'm',
            '12. four', 'mmm',
            '1) five', 'mm',
            '> a > b', 'm',
            '> > - a', 'm m m',
            '-one', '',
            '1.5 liters', '',
            '1234567890. too long', '',
            '-', 'm',
            '---', '',
            '- [ ] to do', 'm',
        )
    },

    'emphasis marks are those that open and close something'() {
        expectKinds(
            'a *b* c', '  m m',
            '**b**', 'mm mm',
            '_b_ and __c__', 'm m     mm mm',
            '***b***', 'mmm mmm',
            '**a *b* c**', 'mm  m m  mm',
            '*a **b***', 'm  mm mmm',
            '**a*', ' m m',
            '*a**', 'm m',
            'a * b * c', '',
            '2*3', '',
            'snake_case_name', '',
            '_snake_case_', 'm          m',
            'in*si*de', '  m  m',
            '*a', '',
            'a*', '',
            '*a _b* c_', 'm    m',
            '\\*a\\*', '',
            '*(a)*', 'm   m',
            '\u201c*a*\u201d', ' m m',
        )
    },

    'code ends with as many backticks as it began with'() {
        expectKinds(
            'a `b` c', '  ccc',
            '``a ` b``', 'ccccccccc',
            '`a', '',
            '``a`', '',
            '`a``b`', 'cccccc',
            '`*a*` *b*', 'ccccc m m',
            '\\`a` b`', '   cccc',
            '`a\\` b', 'cccc',
            '```a``` b', 'ccccccc',
        )
    },

    'links are texts with an address or a label, definitions, and addresses'() {
        expectKinds(
            'a [b](c) d', '  llllll',
            '![a](b)', 'lllllll',
            '[a *b* `c`](d "e")', 'llllllllllllllllll',
            '[![a](b)](c)', 'llllllllllll',
            '[a [b](c) d](e)', '   llllll',
            '[a](b(c)d) e', 'llllllllll',
            '[a](b c', '',
            '[a] (b)', '',
            '\\[a](b)', '',
            '[a\\](b)', '',
            '[a][b] c', 'llllll',
            '[a][] c', 'lllll',
            '[a] [b]', '',
            '[a]: b', 'llllll',
            'x [a]: b', '',
            '[^1]: a', '',
            '<https://a.b> <b>', ' lllllllllll',
            'see https://a.b/c_d_e.', '    lllllllllllllllll',
            '(HTTP://a.b)', ' llllllllll',
            'http://a/(b) c', 'llllllllllll',
            '**http://a**', 'mmllllllllmm',
            'xhttp://a http://', '',
            '[*a](b) c*', 'lllllll',
        )
    },

    'fenced code goes on to a fence that is as long'() {
        const table = [
            ['a', ''], ['```js', 'ccccc', '```'], ['# *a*', 'ccccc', '```'], ['``', 'cc', '```'], ['~~~', 'ccc', '```'],
            ['``` a', 'ccccc', '```'], ['````', 'cccc', ''], ['*a*', 'm m'], ['``` a`', ''], ['~~~ `', 'ccccc', '~~~'],
            ['', '', '~~~'], ['  ~~~  ', 'ccccccc', ''], ['- ```', 'm ccc', '```'], ['  ```', 'ccccc', ''],
            ['> ```', 'm ccc', '```'], ['> a', 'ccc', '```'], ['> ```', 'ccccc', ''], ['``', '', ''],
        ]
        let fence = ''
        for (const [line, kinds, after = ''] of table) {
            assert.deepEqual([line, kindsOf(line, fence)], [line, kinds])
            fence = readLine(line, fence).fence
            assert.equal(fence, after, line)
        }
    },

    'ranges are in order, inside of their line, and without overlaps'() {
        const random = makeRandom(11)
        for (let round = 0; round < 5_000; round++) {
            const line = randomLine(random, 30)
            let [last, lastKind] = [0, '']
            for (const [start, end, kind] of readLine(line, random.pick(['', '', '```', '~~~~'])).ranges) {
                assert.ok(start >= last && start < end && end <= line.length, line)
                assert.ok(start > last || kind !== lastKind, line)
                assert.ok(['heading', 'code', 'link', 'mark'].includes(kind), line)
                ;[last, lastKind] = [end, kind]
            }
        }
    },

    'a line has at most so many ranges'() {
        assert.equal(readLine('*a* '.repeat(mostRanges / 2)).ranges.length, mostRanges)
        assert.equal(readLine('*a* '.repeat(mostRanges)).ranges.length, mostRanges)
    },

    'reading looks at each character a few times, whatever is in a line'() {
        for (const make of hostile) {
            for (const size of [1_000, 16_000]) {
                const line = make(size)
                const steps = stepsFor(line) / line.length
                assert.ok(steps < 40, `${line.slice(0, 20)}, ${size}: ${steps} for each character`)
            }
        }
    },

    'hostile lines of 100 KB are read'() {
        for (const make of hostile) assert.ok(readLine(make(102_400)).ranges.length <= mostRanges)
    },

    'a changed text is read again only where it has changed, and where a fence goes on'() {
        const text = new MarkdownText()
        const reads = (value) => {
            const { start, end, lines } = text.read(value)
            return [start, end, lines.map(({ line }) => line)]
        }
        assert.deepEqual(reads('a\nb\nc'), [0, 0, ['a', 'b', 'c']])
        assert.deepEqual(reads('a\nb\nc'), [3, 3, []])
        assert.deepEqual(reads('a\nx\nc'), [1, 2, ['x']])
        assert.deepEqual(reads('a\nx\ny\nc'), [2, 2, ['y']])
        assert.deepEqual(reads('a\n```\ny\nc'), [1, 4, ['```', 'y', 'c']])
        assert.deepEqual(reads('a\n```\ny\n```\nc'), [3, 4, ['```', 'c']])
        assert.deepEqual(reads('a\n```\ny\nz\n```\nc'), [3, 3, ['z']])
        assert.deepEqual(reads('a\ny\nz\n```\nc'), [1, 6, ['y', 'z', '```', 'c']])
        assert.deepEqual(reads(''), [0, 5, ['']])
    },

    'after each change, the lines are those of the whole text'() {
        const random = makeRandom(12)
        for (let round = 0; round < 60; round++) {
            const text = new MarkdownText()
            const lines = []
            let shown = []
            for (let change = 0; change < 30; change++) {
                const inserted = Array.from({ length: random.below(4) }, () =>
                    (random.chance(40) ? random.pick(['```', '````', '~~~', '> ```']) : randomLine(random)))
                lines.splice(random.below(lines.length + 1), random.below(4), ...inserted)
                const value = lines.join('\n')
                const { start, end, lines: read } = text.read(value)
                const added = read.map(({ line, ranges }) => ({ line, ranges }))
                shown = [...shown.slice(0, start), ...added, ...shown.slice(end)]
                assert.deepEqual(shown, readAll(value))
            }
        }
    },
}
