// The history as far as it is loaded: texts at revisions, steps of playing, days, and what a change did.
import assert from 'node:assert/strict'
import { Authors } from '../../Sources/CaretPage/page/history-authors.js'
import { HistoryLoader } from '../../Sources/CaretPage/page/history-loader.js'
import { authorOf, labelled, momentsOf, partSize, piecesOf, shortened, Timeline } from '../../Sources/CaretPage/page/timeline.js'
import { applyEdits, isBoundary, load, makeRandom, makeScalars, randomOffset } from './support.mjs'

/** A random history: its texts, from revision 0 on, and its revisions. */
function makeHistory(count, { seed = 1, minutes = 0 } = {}) {
    const random = makeRandom(seed)
    const scalar = makeScalars()
    const texts = ['']
    const revisions = []
    let time = Date.UTC(2026, 10, 20, 8)
    for (let revision = 1; revision <= count; revision++) {
        const text = texts.at(-1)
        const start = randomOffset(text, random)
        const end = random.chance(70) ? start : Math.min(text.length, start + random.below(4))
        const edits = [{ range: [start, isBoundary(text, end) ? end : end + 1], text: scalar() }]
        texts.push(applyEdits(text, edits))
        time += minutes * 60_000 + random.below(600)
        revisions.push({ revision, user: 'anonymous', client: random.pick(['a', 'b']), time: new Date(time), inserted: 1, deleted: 0, edits })
    }
    return { texts, revisions }
}

/** What the client has of a document, with the history since `start`. Counts the revisions that are requested. */
function fakeCaret(core, { texts, revisions }, { start = 0 } = {}) {
    const caret = {
        core, requested: 0, epoch: 'e1',
        list: async () => ({ docs: [{ name: 'agenda', revision: texts.length - 1, epoch: caret.epoch }] }),
        async read(name, { rev }) {
            assert.ok(rev >= start, `revision ${rev} is not kept`)
            return { revision: rev, epoch: caret.epoch, text: texts[rev] }
        },
        async *history(name, { after = start, limit = Infinity } = {}) {
            for (const revision of revisions.slice(after, after + limit)) {
                caret.requested++
                yield revision
            }
        },
    }
    return caret
}

async function loader(wasm, history, options) {
    const { core } = await load(wasm)
    const caret = fakeCaret(core, history, options)
    const made = new HistoryLoader(caret, 'agenda')
    await made.open()
    return { made, caret, timeline: made.timeline }
}

const at = (seconds, client = 'a', revision = 0) => ({ revision, user: 'anonymous', client, time: new Date(1_700_000_000_000 + seconds * 1000), inserted: 1, deleted: 0, edits: [] })

/** A timeline with one part, whose revisions have these seconds and clients. */
function timelineOf(...entries) {
    const timeline = new Timeline({ apply: (text) => text, compose: () => [], invert: () => [] }, { start: 0, head: entries.length })
    timeline.add({ base: 0, text: '', revisions: entries.map(([seconds, client], index) => at(seconds, client, index + 1)) })
    return timeline
}

export const cases = {
    async 'the text is right at each place, in whatever order they are visited'(wasm) {
        const history = makeHistory(300)
        const { made, timeline } = await loader(wasm, history)
        await made.load(300)
        const random = makeRandom(7)
        let place = 0
        for (let visit = 0; visit < 200; visit++) {
            place = random.chance(70) ? timeline.clamp(place + random.pick([-3, -2, -1, 1, 2])) : random.below(301)
            const { before, edits } = timeline.viewAt(place)
            assert.equal(before, history.texts[Math.max(0, place - 1)], `before ${place}`)
            assert.equal(applyEdits(before, edits), history.texts[place], `at ${place}`)
            assert.equal(timeline.textAt(place), history.texts[place])
        }
    },

    async 'a step of several revisions shows the effect of all of them'(wasm) {
        const history = makeHistory(50)
        const { made, timeline } = await loader(wasm, history)
        await made.load(50)
        const { before, edits } = timeline.viewAt(40, 31)
        assert.equal(before, history.texts[30])
        assert.equal(applyEdits(before, edits), history.texts[40])
    },

    async 'a history that was trimmed begins where it is kept'(wasm) {
        const history = makeHistory(40)
        const { made, timeline } = await loader(wasm, history, { start: 20 })
        await made.load(20)
        assert.deepEqual([timeline.start, timeline.head, timeline.clamp(3)], [20, 40, 20])
        assert.deepEqual(timeline.viewAt(20), { before: history.texts[20], edits: [] })
        assert.equal(timeline.revision(20), null)
        await made.load(21)
        assert.equal(applyEdits(...Object.values(timeline.viewAt(21))), history.texts[21])
    },

    async 'a document without changes has one place'(wasm) {
        const { made, timeline } = await loader(wasm, makeHistory(0))
        await made.load(0)
        assert.deepEqual([timeline.start, timeline.head, timeline.step(0), timeline.nearest(0, 1)], [0, 0, null, null])
        assert.equal(timeline.textAt(0), '')
    },

    async 'at most 2,000 revisions are held, and each place can be loaded'(wasm) {
        const history = makeHistory(3_500)
        const { made, timeline } = await loader(wasm, history)
        for (const place of [3_500, 1, 1_000, 1_001, 2_400, 3_000, 3_001, 0]) {
            await made.load(place)
            assert.ok(timeline.revisions.length <= 2 * partSize, `${timeline.revisions.length} after ${place}`)
            assert.equal(timeline.textAt(place), history.texts[place], `at ${place}`)
        }
    },

    async 'when the head moves, only the new revisions are loaded'(wasm) {
        const history = makeHistory(120)
        const early = { texts: history.texts.slice(0, 101), revisions: history.revisions.slice(0, 100) }
        const { made, caret, timeline } = await loader(wasm, early)
        await made.load(100)
        early.texts.push(...history.texts.slice(101))
        early.revisions.push(...history.revisions.slice(100))
        timeline.grow(120)
        assert.equal(timeline.holds(101), false)
        const before = caret.requested
        await made.load(115)
        assert.equal(caret.requested - before, 20)
        assert.equal(timeline.textAt(120), history.texts[120])
        timeline.grow(50)
        assert.equal(timeline.head, 120)
    },

    async 'a document that was created again while it loads is noticed'(wasm) {
        const { made, caret } = await loader(wasm, makeHistory(10))
        caret.epoch = 'e2'
        await assert.rejects(made.load(5), { code: 'epoch_changed' })
    },

    async 'loads run one after the other, so that nothing is loaded twice'(wasm) {
        const { made, caret } = await loader(wasm, makeHistory(200))
        const before = caret.requested
        await Promise.all([made.load(10), made.load(150), made.load(200)])
        assert.equal(caret.requested - before, 200)
    },

    'what one author types within a second is one step'() {
        const timeline = timelineOf([0, 'a'], [0.4, 'a'], [0.9, 'a'], [1.1, 'a'], [1.2, 'b'], [1.3, 'a'])
        const steps = []
        for (let step = timeline.step(0); step; step = timeline.step(step.to)) steps.push([step.from, step.to])
        assert.deepEqual(steps, [[1, 3], [4, 4], [5, 5], [6, 6]])
    },

    'steps of one author leave out what others did'() {
        const timeline = timelineOf([0, 'a'], [0.1, 'b'], [0.2, 'a'], [0.3, 'a'], [9, 'b'])
        assert.deepEqual(timeline.step(0, 'client b'), { from: 2, to: 2 })
        assert.deepEqual(timeline.step(1, 'client a'), { from: 3, to: 4 })
        assert.deepEqual(timeline.step(2, 'client b'), { from: 5, to: 5 })
        assert.deepEqual([timeline.step(5, 'client b'), timeline.nearest(2, -1, 'client b')], [null, null])
        assert.equal(timeline.nearest(5, -1, 'client b'), 2)
    },

    'a revision that is not loaded ends the search for an author'() {
        const timeline = timelineOf([0, 'a'], [1, 'a'])
        timeline.grow(5)
        assert.equal(timeline.nearest(0, 1, 'client b'), 3)
        assert.deepEqual(timeline.step(2), { from: 3, to: 3 })
    },

    async 'each day begins at its first revision, also between two parts'(wasm) {
        const history = makeHistory(2_100, { minutes: 2 })
        const { made, timeline } = await loader(wasm, history)
        for (const place of [2_100, 1, 1_500]) await made.load(place)
        const days = history.revisions.filter(({ time }, index) => time.toDateString() !== history.revisions[index - 1]?.time.toDateString())
        assert.ok(days.length >= 3)
        assert.deepEqual(timeline.days, days.map(({ revision, time }) => ({ revision, time })))
    },

    'users are one author on all devices, anonymous users and those of a link one each'() {
        assert.equal(authorOf({ user: 'ann', client: 'p1' }), authorOf({ user: 'ann', client: 'p2' }))
        assert.notEqual(authorOf({ user: 'anonymous', client: 'p1' }), authorOf({ user: 'anonymous', client: 'p2' }))
        assert.notEqual(authorOf({ user: 'link/3/8', client: 'p1' }), authorOf({ user: 'link/3/8', client: 'p2' }))
        assert.notEqual(authorOf({ user: 'p1', client: 'x' }), authorOf({ user: 'anonymous', client: 'p1' }))
    },

    'people without a name are called as everywhere, and are told apart'() {
        const authors = new Authors()
        const nameOf = (client) => authors.of({ user: 'anonymous', client }).name
        assert.deepEqual(['p1', 'p2', 'p1'].map(nameOf), ['Somebody', 'Somebody 2', 'Somebody'])
        authors.introduce([{ user: 'anonymous', client: 'p2' }, { user: 'anonymous', client: 'p3', name: 'Bob' }])
        assert.deepEqual(['p3', 'p2', 'p1'].map(nameOf), ['Bob', 'Somebody', 'Somebody 2'])
    },

    'pieces say what was removed and what was added'() {
        const edits = [{ range: [0, 2], text: 'X' }, { range: [3, 3], text: 'new' }]
        assert.deepEqual(piecesOf('abcd', edits).map(({ kind, text }) => `${kind} ${text}`), ['removed ab', 'added X', 'same c', 'added new', 'same d'])
        assert.deepEqual(piecesOf('', []), [])
    },

    'a long text is shown only around its changes'() {
        const short = [{ kind: 'same', text: 'abc' }]
        assert.equal(shortened(short), short)
        const pieces = piecesOf('a'.repeat(500) + 'b'.repeat(500), [{ range: [500, 500], text: 'new' }])
        const kept = shortened(pieces, 100, 20)
        assert.deepEqual(kept.map(({ kind, text, length }) => [kind, text?.length ?? length]), [['gap', 480], ['same', 20], ['added', 3], ['same', 20], ['gap', 480]])
        assert.equal(kept[1].text, 'a'.repeat(20))
        const without = shortened([{ kind: 'same', text: 'a'.repeat(500) }], 100, 20)
        assert.deepEqual(without.map(({ kind }) => kind), ['same', 'gap'])
    },

    'a long text is not cut within a character'() {
        const kept = shortened([{ kind: 'removed', text: '\u{1f600}'.repeat(200) }, { kind: 'added', text: 'x' }], 100, 21)
        for (const { text } of kept.filter(({ kind }) => kind !== 'gap')) assert.ok(text.isWellFormed?.() ?? !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text))
        assert.deepEqual(kept.map(({ kind, length }) => length ?? kind), ['removed', 358, 'removed', 'added'])
    },

    'a pause, another author and another day begin a new moment'() {
        const day = 86_400
        const moments = momentsOf([at(0, 'a', 1), at(60, 'a', 2), at(400, 'a', 3), at(410, 'b', 4), at(410 + day, 'b', 5)])
        assert.deepEqual(moments.map(({ revision, count }) => [revision, count]), [[2, 2], [3, 1], [4, 1], [5, 1]])
    },

    'labels of days keep their distance from each other and from the end'() {
        const marks = [0, 0.1, 0.2, 0.45, 0.95].map((share) => ({ share }))
        assert.deepEqual(labelled(marks, 0.2).map(({ hasLabel }) => hasLabel), [true, false, true, true, false])
    },
}
