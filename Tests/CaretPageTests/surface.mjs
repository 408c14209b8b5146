// Editors that are bound to a document by an adapter, without a browser. The server is JSONServer, or the test plays it.
import assert from 'node:assert/strict'
import { Caret, Surface } from '../../Clients/javascript/caret.js'
import { JSONServer } from './json-server.mjs'
import { applyEdits, load, makeRandom, makeScalars, pause, randomOffset, until } from './support.mjs'

/** An editor with nothing but a text and selections. Its adapter is itself. */
class Editor extends Surface {
    text
    own = [[0, 0]]
    reason = null
    people = []
    isReleased = false
    isLate = false

    constructor(text = '') {
        super()
        this.text = text
    }

    read() { return this.text }
    selections() { return this.own }
    setReadOnly(reason) { this.reason = reason }
    paint(people) { this.people = people }
    released() { this.isReleased = true }

    apply(edits, selections) {
        this.change(edits)
        // Some editors report all edits only at the end of a transaction.
        if (this.isLate) queueMicrotask(() => this.edited(edits))
        this.own = selections
        this.selected()
    }

    /** Changes the text, as a user does. With `isKnown`, the editor knows what it has changed. */
    change(edits, isKnown = true) {
        this.text = applyEdits(this.text, edits)
        this.edited(isKnown ? edits : undefined)
    }

    select(...selections) {
        this.own = selections
        this.selected()
    }
}

const conversations = {
    async 'an editor shows the document, and what the user types is entered'(wasm) {
        const { ann, bob } = await start(wasm, 'Milk')
        const editor = new Editor('an older text')
        ann.bind(editor)
        assert.equal(editor.text, 'Milk')
        editor.change([{ range: [4, 4], text: ' and bread' }])
        await until(() => bob.text === 'Milk and bread')
        editor.change([{ range: [0, 4], text: 'Tea' }], false)
        await until(() => bob.text === 'Tea and bread')
        bob.edit([{ range: [0, 0], text: 'Oat ' }])
        await until(() => editor.text === 'Oat Tea and bread')
        assert.equal(ann.text, editor.text)
    },

    async 'selections of the user are told, and move with edits by others'(wasm) {
        const { ann, bob } = await start(wasm, 'Watch Bugger attack')
        const editor = new Editor()
        ann.bind(editor)
        editor.select([12, 6], [19, 19])
        assert.deepEqual(ann.selections, [])
        await pause(0)
        assert.deepEqual(ann.selections, [[12, 6], [19, 19]])
        bob.edit([{ range: [6, 6], text: 'the ' }])
        await until(() => editor.text === 'Watch the Bugger attack')
        assert.deepEqual(editor.own, [[16, 10], [23, 23]])
        assert.deepEqual(ann.selections, editor.own)
    },

    async 'people are painted with their selections, in colors that are safe'(wasm) {
        const { server, ann, binding, editor } = await bound(wasm, 'Milk')
        const info = { name: 'Bob\u202e', color: 'url(evil)' }
        server.tell({ type: 'peer', session: 'b', user: 'bob', client: 'c', info, rev: 0, selections: [[0, 4]] })
        await until(() => editor.people.length === 1)
        const [{ name, color, textColor, selections }] = editor.people
        assert.deepEqual([name, selections], ['Bob', [[0, 4]]])
        assert.match(`${color} ${textColor}`, /^#[0-9a-f]{6} #(000|fff)$/)
        binding.release()
        assert.deepEqual([editor.people, editor.isReleased], [[], true])
        ann.bind(editor, { labels: false })
        await until(() => editor.people.length === 1)
        assert.equal(editor.people[0].name, '')
    },

    async 'a released editor is an ordinary one again, and can be bound again'(wasm) {
        const { ann, bob, binding, editor } = await bound(wasm, 'ab')
        assert.throws(() => ann.bind(editor), { name: 'TypeError', message: /bound already/ })
        editor.change([{ range: [2, 2], text: 'c' }])
        // What was typed in this moment is not lost.
        binding.release()
        editor.change([{ range: [0, 3], text: '' }])
        await until(() => bob.text === 'abc')
        assert.deepEqual([ann.text, editor.text], ['abc', ''])
        ann.bind(editor)
        assert.equal(editor.text, 'abc')
        await ann.close()
        assert.throws(() => ann.bind(editor), { code: 'closed' })
    },

    async 'an editor whose document is closed keeps what was typed before, and is read-only from then on'(wasm) {
        const { server, ann, bob, binding, editor } = await bound(wasm, 'ab')
        editor.change([{ range: [2, 2], text: 'c' }])
        const closing = ann.close()
        assert.equal(editor.reason, 'The text is closed')
        await closing
        await until(() => server.text('a') === 'abc')
        editor.undo()
        editor.composing(true)
        editor.change([{ range: [0, 0], text: 'x' }])
        await until(() => bob.text === 'abc')
        const again = ann.caret.open('a')
        await again.opened()
        const second = again.bind(editor)
        assert.deepEqual([editor.text, editor.reason], ['abc', null])
        // The first binding does not end the second one.
        binding.release()
        editor.change([{ range: [3, 3], text: 'd' }])
        await until(() => bob.text === 'abcd')
        await again.close()
        second.release()
        assert.deepEqual([editor.text, editor.reason], ['abcd', null])
    },

    async 'only a textarea or a surface can be bound'(wasm) {
        const { ann } = await start(wasm, '')
        assert.throws(() => ann.bind({}), { name: 'TypeError', message: 'bind needs a textarea or a Surface' })
        class Unfinished extends Surface {}
        assert.throws(() => ann.bind(new Unfinished()), { name: 'TypeError', message: /needs the method read/ })
    },

    async 'undo and redo change only what the user has typed'(wasm) {
        const { bob, editor } = await bound(wasm, 'abc')
        editor.change([{ range: [3, 3], text: '!' }])
        await until(() => bob.text === 'abc!')
        bob.edit([{ range: [0, 0], text: 'x' }])
        await until(() => editor.text === 'xabc!')
        editor.undo()
        assert.equal(editor.text, 'xabc')
        editor.undo()
        assert.equal(editor.text, 'xabc')
        editor.redo()
        assert.equal(editor.text, 'xabc!')
    },

    async 'an editor that reports edits by others, or wrong edits, doubles nothing'(wasm) {
        const { ann, bob, editor } = await bound(wasm, 'abc')
        editor.isLate = true
        bob.edit([{ range: [1, 1], text: 'x' }])
        await until(() => editor.text === 'axbc')
        editor.text = 'axbcd'
        editor.edited([{ range: [0, 0], text: 'd' }])
        editor.undo()
        editor.redo()
        await until(() => bob.text === 'axbcd' && ann.unsaved.length === 0)
        assert.deepEqual([ann.text, editor.text], ['axbcd', 'axbcd'])
    },

    async 'half an emoji becomes U+FFFD, in the editor too'(wasm) {
        const { ann, editor } = await bound(wasm, 'a😀b')
        editor.change([{ range: [1, 2], text: '' }])
        await until(() => ann.text === 'a\ufffdb')
        assert.equal(editor.text, 'a\ufffdb')
        editor.change([{ range: [0, 0], text: '\ud83d' }])
        await until(() => ann.text === '\ufffda\ufffdb')
        assert.equal(editor.text, ann.text)
    },

    async 'the halves of an emoji may arrive one after the other'(wasm) {
        const { ann, bob, editor } = await bound(wasm, 'ab')
        const typeAt = (offset, text) => {
            editor.own = [[offset + text.length, offset + text.length]]
            editor.change([{ range: [offset, offset], text }])
        }
        typeAt(1, '\ud83d')
        bob.edit([{ range: [0, 0], text: 'x' }])
        await until(() => bob.unsaved.length === 0)
        assert.equal(ann.text, 'ab')
        typeAt(2, '\ude00')
        await until(() => bob.text === 'xa😀b')
        await until(() => editor.text === 'xa😀b')
        // The second half of this one never comes.
        typeAt(0, '\ud83d')
        await until(() => bob.text === '\ufffdxa😀b')
        assert.equal(editor.text, ann.text)
    },

    async 'a user who may only read cannot change the text'(wasm) {
        const { server, ann, editor } = await bound(wasm, 'Milk')
        editor.select([1, 1])
        await pause(0)
        server.tell({ type: 'rights', rights: 'read' })
        await until(() => editor.reason === 'You may only read this text')
        assert.deepEqual(ann.selections, [])
        editor.change([{ range: [0, 4], text: 'Tea' }])
        editor.select([2, 2])
        await until(() => editor.text === 'Milk')
        assert.deepEqual([ann.text, ann.selections], ['Milk', []])
        server.tell({ type: 'rights', rights: 'write' })
        await until(() => editor.reason === null)
        editor.change([{ range: [0, 4], text: 'Tea' }])
        await until(() => server.text('a') === 'Tea')
    },

    async 'while an input method composes, edits by others wait, and edits of the user do not'(wasm) {
        const { ann, bob, editor } = await bound(wasm, 'ab')
        editor.composing(true)
        editor.change([{ range: [2, 2], text: 'に' }])
        bob.edit([{ range: [0, 0], text: 'x' }])
        await until(() => bob.text === 'xabに')
        assert.deepEqual([editor.text, ann.text], ['abに', 'abに'])
        editor.change([{ range: [2, 3], text: '日本' }])
        editor.composing(false)
        await until(() => editor.text === 'xab日本')
        await until(() => bob.text === 'xab日本')
    },

    async 'a listener may edit while changes are reported'(wasm) {
        const { ann, bob } = await start(wasm, 'ab')
        const editor = new Editor()
        const edit = () => { if (editor.text.length < 12) editor.change([{ range: [1, 1], text: '_' }]) }
        ann.addEventListener('change', edit)
        ann.bind(editor)
        ann.addEventListener('change', edit)
        bob.edit([{ range: [0, 0], text: 'x' }])
        bob.edit([{ range: [3, 3], text: 'y' }])
        ann.append('z')
        await until(() => ann.text === bob.text && ann.unsaved.length === 0)
        assert.equal(editor.text, ann.text)
        assert.equal([...editor.text].filter((one) => one !== '_').sort().join(''), 'abxyz')
    },

    async 'editors in which many people type show the same text'(wasm) {
        for (let seed = 0; seed < 40; seed++) await typeAtRandom(wasm, makeRandom(seed))
    },
}

/** A client that goes on would keep the tests from ending. */
const clients = []

async function runAndEnd(run, wasm) {
    try {
        await run(wasm)
    } finally {
        await Promise.all(clients.splice(0).map((caret) => caret.close()))
    }
}

export const cases = Object.fromEntries(
    Object.entries(conversations).map(([name, run]) => [name, (wasm) => runAndEnd(run, wasm)]))

/** Several users type, select, undo and lose connections, until all texts are equal. */
async function typeAtRandom(wasm, random) {
    const { server, open } = await start(wasm, '')
    const scalar = makeScalars()
    const people = []
    for (let count = 2 + random.below(3); count > 0; count--) {
        const person = await open(`user ${count}`)
        const editor = new Editor()
        person.bind(editor)
        people.push({ document: person, editor })
    }
    for (let step = 0; step < 60; step++) {
        for (const { document, editor } of people) {
            const [one, other] = [randomOffset(editor.text, random), randomOffset(editor.text, random)].sort((a, b) => a - b)
            if (random.chance(50)) editor.change([{ range: [one, random.chance(30) ? other : one], text: scalar() }], random.chance(80))
            if (random.chance(20)) editor.select([one, other])
            if (random.chance(5)) editor.undo()
            if (random.chance(5)) document.append(scalar())
            if (random.chance(5)) editor.composing(random.chance(50))
            if (random.chance(2)) document.transport.connection.end()
        }
        if (random.chance(40)) await pause(0)
        if (random.chance(10)) people[0].document.caret.reconnect()
    }
    for (const { document, editor } of people) {
        editor.composing(false)
        document.caret.reconnect()
        await document.saved()
    }
    await until(() => people.every(({ document }) => document.text === server.text('a')), 'equal texts')
    for (const { document, editor } of people) assert.equal(editor.text, document.text)
}

/** Two users of the document 'a', in which the first one has an editor. */
async function bound(wasm, text) {
    const world = await start(wasm, text)
    const editor = new Editor()
    return { ...world, editor, binding: world.ann.bind(editor) }
}

/** A server with the document 'a', and two users who have it open. */
async function start(wasm, text) {
    const { core } = await load(wasm)
    const server = new JSONServer(core)
    server.create('a', text)
    server.tell = (message) => { for (const connection of server.connections) connection.reply({ doc: 'a', ...message }) }
    const open = async (client) => {
        const transport = server.transport()
        const caret = await Caret.connect('http://caret.test', { wasm, client, transport: () => transport.make() })
        clients.push(caret)
        const document = caret.open('a')
        await document.opened()
        return Object.assign(document, { caret, transport })
    }
    return { server, open, ann: await open('client of ann'), bob: await open('client of bob') }
}
