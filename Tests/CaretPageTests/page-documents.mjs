// What the page computes about documents and tokens, without a page.
import assert from 'node:assert/strict'
import { partsOf, shortName, visibleName } from '../../Sources/CaretPage/page/document-name.js'
import { DocumentList } from '../../Sources/CaretPage/page/documents-state.js'
import { adviceFor } from '../../Sources/CaretPage/page/kept-words.js'
import { fileName, grantProblem, nameProblem, typedName, validatedName } from '../../Sources/CaretPage/page/name-rules.js'
import { addressOf, routeOf } from '../../Sources/CaretPage/page/route.js'
import { askBeforeLoss, mayLose } from '../../Sources/CaretPage/page/may-lose.js'
import { reloadSafely, unsavedDocument } from '../../Sources/CaretPage/page/unsaved.js'
import { attemptWords, refusedWords } from '../../Sources/CaretPage/page/sign-in-words.js'

const time = new Date(1_790_000_000_000)

/** A list in which documents with these names have arrived. */
function listOf(...names) {
    const list = new DocumentList()
    list.apply({ type: 'restarted' })
    for (const name of names) list.apply(entry(name))
    list.apply({ type: 'complete' })
    return list
}

function entry(name, values = {}) {
    return { type: 'document', name, epoch: 'e1', revision: 1, length: 1, updated: time, ...values }
}

/** What is shown, in short: 'folder: a b', and '…' at the end if there is more. */
function shown(list, options) {
    const { sections, more } = list.shown(options)
    const texts = sections.map(({ folder, count, isCollapsed, rows }) =>
        `${folder}: ${isCollapsed ? `(${count})` : rows.map(({ title }) => title).join(' ')}`)
    return more > 0 ? [...texts, `… ${more}`] : texts
}

/** Names that rules T1 and T8 allow for new documents, and names that they refuse. */
const validNames = [
    'a', 'notes/today', 'a b', '...', '.a', 'a.', '\u00e9', '\u{1f600}', 'a/.b', '\u00a0', 'x'.repeat(512), '\u00e9'.repeat(256),
    '\u0645\u06cc\u200c\u062e', '\u{1f469}\u200d\u2764\ufe0f\u200d\u{1f468}', 'plan \u2764\ufe0f',
]
const badNames = [
    '', '/', 'a/', '/a', 'a//b', '.', '..', 'a/.', 'a/../b', ' a', 'a ', 'a/ b', 'a /b', 'a\u0000b', 'a\tb', 'a\nb', '\u007f', '\u0085',
    '\u009f', '\ud800', 'x'.repeat(513), '\u00e9'.repeat(257),
    '\u200b', 'a\u00ad', 'a\u202e', 'a\u2028', '\ufff9', '\u3164', 'a\u200db', '\u00e9\u200d', '\u00e9\u200d\u200d\u00e9', 'a\ufe0f',
    '\u2764\ufe0f\ufe0f', '\u200b\ufe0f',
]

export const cases = {
    'the page allows the names that rules T1 and T8 allow'() {
        for (const name of validNames) assert.equal(nameProblem(name), null, JSON.stringify(name))
        for (const name of badNames) assert.match(nameProblem(name) ?? '', /\.$/, JSON.stringify(name))
    },

    'a name that is too long is told with both numbers'() {
        assert.equal(nameProblem('x'.repeat(600)), 'The name has 600 bytes. At most 512 are allowed.')
    },

    'a user who types a name is told what it means'() {
        const state = (text) => validatedName(text, (name) => name === 'agenda').state
        const texts = ['', '  ', 'agenda', ' agenda ', 'agend', 'notes/', 'notes//', 'notes/today', '..']
        assert.deepEqual(texts.map(state), [
            'unfinished', 'unfinished', 'exists', 'exists', 'free', 'unfinished', 'unfinished', 'free', 'invalid',
        ])
        assert.equal(validatedName('notes/today', () => false).words, 'In the folder “notes”.')
    },

    'a name that the user may not write is refused with those that they may write'() {
        const grants = [{ rights: 'write', doc: 'agenda' }, { rights: 'write', prefix: 'notes/' }]
        const words = 'You may write only “agenda”, “notes/…”.'
        for (const name of ['agenda', 'notes/', 'notes/x']) assert.equal(grantProblem(name, grants), null, name)
        for (const name of ['', 'agenda2', 'notes', 'undefined']) assert.equal(grantProblem(name, grants), words, name)
        assert.equal(grantProblem('x'), null)
        const long = [...grants, { doc: 'plan' }, { doc: 'team' }]
        assert.equal(grantProblem('x', long), 'You may write only “agenda”, “notes/…”, “plan” and some others.')
        const validated = (name) => validatedName(name, (name) => name === 'rules', grants)
        assert.deepEqual(validated('secret'), { state: 'invalid', name: 'secret', words })
        assert.deepEqual(validated('age'), { state: 'unfinished', name: 'age', words })
        assert.deepEqual(validated('notes'), { state: 'unfinished', name: 'notes', words })
        assert.equal(validated('notes/x').state, 'free')
        // A document that exists can be opened, if it is in the list.
        assert.equal(validated('rules').state, 'exists')
        assert.equal(typedName('  a b '), 'a b')
    },

    'a name is shown without characters that change the text around it'() {
        assert.equal(visibleName('a\u202eb\u2066c'), 'abc')
        assert.equal(visibleName('\u200b'), '%E2%80%8B')
        assert.equal(visibleName('\u3164 \u00a0'), '%E3%85%A4%20%C2%A0')
        assert.equal(visibleName('\u{1f600}'), '\u{1f600}')
        assert.equal(shortName('\u{1f600}'.repeat(65)), `${'\u{1f600}'.repeat(64)}…`)
    },

    'files get names that are safe'() {
        assert.deepEqual(['notes/today', 'a.md', 'a/b:c"d', '.hidden', '..b', '1.5 kg'].map(fileName),
            ['today.txt', 'a.md', 'b_c_d.txt', '.hidden.txt', '..b', '1.5 kg.txt'])
    },

    'the folder of a document is what stands before its last slash'() {
        assert.deepEqual(['a', 'a/b', 'a/b/c'].map((name) => partsOf(name).folder), ['', 'a', 'a/b'])
    },

    'documents are shown by folder, and numbers are sorted as numbers'() {
        const list = listOf('b/z', 'day 10', 'a/x', 'Day 9', 'zoo', 'a/c/d', 'b/a', 'day 9')
        assert.deepEqual(shown(list), [': day 9 Day 9 day 10 zoo', 'a: x', 'a/c: d', 'b: a z'])
    },

    'the order does not depend on the order of arrival'() {
        const names = ['a', 'A', '\u00e1', 'a\u0301', 'a/b', '\u00e1/b', 'a\u0301/b', '1', '01']
        assert.deepEqual(shown(listOf(...names)), shown(listOf(...[...names].reverse())))
    },

    'documents that come and go later have the same order'() {
        const names = ['a', 'B', 'a/b', 'c/1', 'c/10', 'c/2', '\u00e1', 'a\u0301', 'z', 'A']
        for (let turn = 0; turn < names.length; turn++) {
            const [late, early] = [names.slice(0, turn), names.slice(turn)]
            const list = listOf(...early, 'gone', 'c/gone')
            assert.ok(list.sorted.length > 0)
            for (const name of late) list.apply(entry(name))
            for (const name of ['gone', 'c/gone']) list.apply({ type: 'gone', name, reason: 'deleted' })
            assert.deepEqual(shown(list), shown(listOf(...names)))
        }
    },

    'sorted by time, the last change comes first, and equal times are sorted by name'() {
        const list = listOf('b', 'a', 'x/c', 'a.notes')
        list.apply(entry('x/c', { updated: new Date(+time + 2) }))
        list.apply(entry('b', { updated: new Date(+time + 1) }))
        assert.deepEqual(shown(list, { order: 'newest' }), [': c b a'])
        assert.deepEqual(shown(list, { order: 'newest', limit: 2 }), [': c b', '\u2026 1'])
        assert.deepEqual(shown(list, { order: 'newest', search: 'A' }), [': a a.notes'])
        assert.deepEqual(shown(list, { order: 'newest', search: 'q' }), [])
        list.apply(entry('a', { updated: new Date(+time + 3) }))
        assert.deepEqual(shown(list, { order: 'newest' }), [': a c b'])
        assert.deepEqual(list.find('', 2).map(({ name }) => name), ['a', 'x/c'])
        assert.deepEqual(list.find('NOTES', 9).map(({ name }) => name), ['a.notes'])
    },

    'a search finds names that contain the text, also in collapsed folders'() {
        const list = listOf('Agenda', 'notes/agenda', 'notes/plan', 'agora/x', 'caf\u00e9')
        const collapsed = new Set(['notes'])
        assert.deepEqual(shown(list, { collapsed }), [': Agenda caf\u00e9', 'agora: x', 'notes: (2)'])
        assert.deepEqual(shown(list, { collapsed, search: 'AGE' }), [': Agenda', 'notes: agenda'])
        assert.deepEqual(shown(list, { search: 'notes/p' }), ['notes: plan'])
        assert.deepEqual(shown(list, { search: 'cafe\u0301' }), [': caf\u00e9'])
        assert.deepEqual(shown(list, { search: '.*' }), [])
    },

    'a limit cuts the rows, and tells how many are missing'() {
        const list = listOf('a', 'b', 'c', 'x/d', 'x/e', 'y/f')
        assert.deepEqual(shown(list, { limit: 2 }), [': a b', '… 4'])
        assert.deepEqual(shown(list, { limit: 4 }), [': a b c', 'x: d', '… 2'])
        assert.deepEqual(shown(list, { limit: 6 }), [': a b c', 'x: d e', 'y: f'])
        assert.deepEqual(shown(list, { limit: 4, collapsed: new Set(['x']) }), [': a b c', 'x: (2)', 'y: f'])
    },

    'a change of a document changes its row, and not the list'() {
        const list = listOf('a', 'b')
        const [row] = list.sorted
        const changed = list.apply(entry('a', { length: 7, updated: new Date(time.getTime() + 1) }))
        assert.equal(changed, row)
        assert.deepEqual([row.length, row.title], [7, 'a'])
    },

    'documents come and go, and an unknown event changes nothing'() {
        const list = listOf('a')
        assert.equal(list.apply(entry('b')), 'rows')
        assert.equal(list.apply({ type: 'gone', name: 'a', reason: 'deleted' }), 'rows')
        assert.equal(list.apply({ type: 'gone', name: 'a', reason: 'deleted' }), 'nothing')
        assert.equal(list.apply({ type: 'news' }), 'nothing')
        assert.deepEqual(shown(list), [': b'])
    },

    'the last list stays until that of a new connection is complete'() {
        const list = listOf('a', 'b', 'c')
        list.apply({ type: 'restarted' })
        list.apply(entry('b', { length: 9 }))
        list.apply(entry('d'))
        list.apply(entry('c'))
        list.apply({ type: 'gone', name: 'c', reason: 'deleted' })
        assert.deepEqual(shown(list), [': a b d'])
        list.apply({ type: 'restarted' })
        for (const name of ['b', 'd']) list.apply(entry(name))
        assert.deepEqual(shown(list), [': a b d'])
        list.apply({ type: 'complete' })
        assert.deepEqual(shown(list), [': b d'])
        assert.ok(list.isComplete)
    },

    'what a search on the server has found is dropped if it does not arrive'() {
        const list = new DocumentList()
        list.apply({ type: 'restarted' })
        list.add([entry('a'), entry('b')])
        assert.deepEqual([shown(list), list.isComplete], [[': a b'], false])
        list.apply(entry('b'))
        list.apply({ type: 'complete' })
        assert.deepEqual(shown(list), [': b'])
    },

    '10,000 documents are sorted and cut within half a second'() {
        const list = listOf(...Array.from({ length: 10_000 }, (_, index) => `folder ${index % 100}/document ${index}`))
        const start = performance.now()
        assert.equal(list.shown({ limit: 200 }).more, 9_800)
        assert.ok(performance.now() - start < 500, `${performance.now() - start} ms`)
    },

    'the sign-in says what is wrong with a token'() {
        const now = new Date()
        const waiting = { state: 'waiting', until: new Date(now.getTime() + 5_400) }
        assert.match(attemptWords({ state: 'ended', reason: 'unauthorized' }, now), /does not know this token/)
        assert.match(attemptWords({ state: 'ended', reason: 'forbidden' }, now), /forbidden/)
        assert.equal(attemptWords({ ...waiting, reason: 'too many tokens (rate_limited)' }, now),
            'Too many unknown tokens came from your network. Next attempt in 6\u00a0s.')
        assert.equal(attemptWords({ ...waiting, reason: 'closed' }, now), 'The server cannot be reached. Next attempt in 6\u00a0s.')
        assert.equal(attemptWords({ state: 'connecting' }, now), '')
        assert.equal(attemptWords({ state: 'ended', reason: 'token_ended' }, now), 'This token has ended.')
        assert.match(refusedWords('token_ended', true), /token has ended/)
        assert.equal(refusedWords('unauthorized', false), '')
        assert.match(refusedWords('unauthorized', true), /does not know your token/)
        assert.match(refusedWords('revoked', true), /revoked/)
    },

    async 'a page is loaded again only if no text is lost'() {
        // How often a screen asks before the user leaves, the state of the link, and what then happens.
        const rows = [[0, 'waiting', 'change,reload'], [2, 'online', 'change,reload'], [1, 'waiting', ''], [Infinity, 'online', '']]
        for (const [asks, link, expected] of rows) {
            const [done, closing] = [[], new AbortController()]
            let left = asks
            askBeforeLoss(() => left-- > 0, closing.signal)
            const app = { caret: { link: { state: link } }, reload: async () => done.push('reload') }
            const change = async () => done.push('change')
            assert.equal(await reloadSafely(app, change, { pause: 0 }), expected !== '')
            assert.equal(done.join(), expected)
            left = 1
            closing.abort()
            assert.equal(mayLose(), false)
        }
    },

    'documents with text that only this device has are marked, and listed without the server'() {
        const list = new DocumentList()
        const shown = () => list.shown().sections.flatMap(({ rows }) => rows).map(({ name, isKept, isOnlyHere }) =>
            `${name}${isKept ? ' kept' : ''}${isOnlyHere ? ' here' : ''}`)
        const since = new Date(0)
        assert.equal(list.keep([{ name: 'a', since }]), true)
        assert.deepEqual([shown(), list.has('a')], [['a kept here'], false])
        for (const name of ['a', 'b']) list.apply({ type: 'document', name, length: 1, updated: since, revision: 1 })
        list.apply({ type: 'complete' })
        assert.deepEqual([shown(), list.has('a'), list.keep([{ name: 'a', since }])], [['a kept', 'b'], true, false])
        list.apply({ type: 'gone', name: 'a' })
        assert.deepEqual(shown(), ['a kept here', 'b'])
        assert.equal(list.keep([{ name: 'b', since }]), true)
        assert.deepEqual(shown(), ['b kept'])
        list.keep([])
        assert.deepEqual(shown(), ['b'])
    },

    'an address without a first revision compares from the first one that is kept'() {
        const route = { screen: 'compare', name: 'a b', from: undefined, to: undefined }
        assert.equal(addressOf(route), '/d/a%20b?from=')
        assert.deepEqual(routeOf(new URL('http://x/d/a%20b?from=')), route)
        assert.equal(addressOf({ ...route, from: 0, to: 7 }), '/d/a%20b?from=0&to=7')
    },

    'texts that the page cannot open have advice'() {
        const [since, now] = [new Date(0), new Date(120_000)]
        assert.match(adviceFor({ state: 'damaged', since }, now), /^From 2\sminutes ago\. This page cannot read it\./)
        assert.match(adviceFor({ state: 'otherUser', user: 'ann', since }, now), /belongs to \u201cann\u201d\. Sign in/)
        assert.match(adviceFor({ state: 'otherUser', since }, now), /another user/)
        assert.match(adviceFor({ state: 'otherUser', user: 'link/3/8', since }, now), /Open the same link again/)
        assert.match(adviceFor({ state: 'unknownUser', since }, now), /If it is yours, save it\.$/)
        assert.match(adviceFor({ state: 'unknownUser', user: 'ann', since }, now), /belongs to \u201cann\u201d\. Sign in/)
    },

    'unsaved text is found only where a document is edited'() {
        const edited = { unsaved: [{}], close() {} }
        const app = (screen, document) => ({ route: { screen, name: 'a' }, caret: { open: () => document } })
        assert.equal(unsavedDocument(app('editor', edited)), edited)
        assert.equal(unsavedDocument(app('editor', { ...edited, unsaved: [] })), null)
        assert.equal(unsavedDocument(app('history', edited)), null)
        assert.equal(unsavedDocument({ route: null }), null)
        const trapped = { get unsaved() { throw new Error('trapped') } }
        assert.equal(unsavedDocument(app('editor', trapped)), null)
    },

    'the notes of a document are listed only by a search'() {
        const list = listOf('agenda', 'agenda.notes', 'a.notes', 'x/b.notes', 'b')
        assert.deepEqual(shown(list), [': a.notes agenda b', 'x: b.notes'])
        assert.deepEqual(shown(list, { search: 'agenda' }), [': agenda agenda.notes'])
        list.apply({ type: 'gone', name: 'agenda', reason: 'deleted' })
        assert.deepEqual(shown(list), [': a.notes agenda.notes b', 'x: b.notes'])
    },
}
