// The notes of a document, with a client that does what each test says.
import assert from 'node:assert/strict'
import { notesChannel } from '../../Sources/CaretPage/page/notes-channel.js'

/** A client with at most one document on its server. */
class FakeCaret extends EventTarget {
    link = { state: 'online' }
    exists = false
    opened = []
    refusal = null

    async list({ prefix }) { return { docs: this.exists ? [{ name: prefix }] : [], more: false } }

    open(name, { create }) {
        const document = new FakeDocument(name, this.refusal ?? (this.exists || create ? null : 'not_found'))
        this.opened.push({ document, create })
        return document
    }
}

class FakeDocument extends EventTarget {
    text = ''
    unsaved = []
    peers = []
    rights = 'write'
    saving = { state: 'saved' }
    isClosed = false
    calls = []

    constructor(name, code) {
        super()
        this.name = name
        this.code = code
    }

    async opened() {
        if (this.code) throw Object.assign(new Error(this.code), { code: this.code })
    }

    append(text) {
        this.unsaved = [{ range: [this.text.length, this.text.length], text }]
        this.text += text
        this.set('sending')
    }

    set(state, code) {
        if (state === 'saved') this.unsaved = []
        this.saving = { state, code }
        this.dispatchEvent(new Event('saving'))
    }

    retry() { this.calls.push('retry') }

    discard() {
        this.text = ''
        this.unsaved = []
    }

    async close() { this.isClosed = true }
}

const note = (text) => ({ time: new Date('2026-11-22T08:15:00Z'), author: 'Ann', text })
const settled = () => new Promise((resolve) => setImmediate(resolve))
const shown = (channel) => channel.notes.map(({ text, status }) => [text, status])

async function make({ exists = false, refusal = null, stored = undefined } = {}) {
    const caret = Object.assign(new FakeCaret(), { exists, refusal })
    const store = { value: stored, read: () => store.value, write: (value) => { store.value = JSON.parse(JSON.stringify(value)) } }
    const channel = notesChannel(caret, 'agenda', store)
    channel.use()
    await settled()
    return { caret, store, channel }
}

export const cases = {
    async 'reading notes creates no document'() {
        const { caret, channel } = await make()
        assert.equal(channel.state, 'none')
        assert.deepEqual(caret.opened, [])
    },

    async 'the first note creates the document, and waits until it is open'() {
        const { caret, channel, store } = await make()
        channel.send(note('One'))
        assert.deepEqual(shown(channel), [['One', 'sending']])
        const [{ document, create }] = caret.opened
        assert.deepEqual([document.name, create, document.text], ['agenda.notes', true, ''])
        await settled()
        assert.equal(document.text, '[2026-11-22 08:15] Ann: One\n')
        assert.deepEqual(shown(channel), [['One', 'sending']])
        assert.equal(store.value.length, 1)
        document.set('saved')
        assert.deepEqual(shown(channel), [['One', undefined]])
        assert.deepEqual([store.value, channel.hasUnsaved], [[], false])
    },

    async 'existing notes are opened without creating them'() {
        const { caret, channel } = await make({ exists: true })
        assert.deepEqual([caret.opened[0].create, channel.state], [false, 'open'])
    },

    async 'a note without a connection is kept'() {
        const { caret, channel } = await make({ exists: true })
        caret.link = { state: 'waiting' }
        channel.send(note('One'))
        caret.opened[0].document.set('offline')
        assert.deepEqual(shown(channel), [['One', 'offline']])
    },

    async 'a refused note can be sent again, or taken back'() {
        const { caret, channel, store } = await make({ exists: true })
        const [{ document }] = caret.opened
        channel.send(note('One'))
        document.set('refused', 'too_large')
        assert.deepEqual([shown(channel), channel.problem.code], [[['One', 'refused']], 'too_large'])
        await channel.retry()
        assert.deepEqual(document.calls, ['retry'])
        assert.deepEqual(channel.takeBack(), ['One'])
        assert.deepEqual([document.text, store.value], ['', []])
    },

    async 'a note is kept while the server does not create the document'() {
        const { caret, channel } = await make({ refusal: 'forbidden' })
        channel.send(note('One'))
        await settled()
        assert.deepEqual([shown(channel), channel.problem.code], [[['One', 'refused']], 'forbidden'])
        caret.refusal = null
        await channel.retry()
        await settled()
        assert.deepEqual(caret.opened.map(({ document }) => document.isClosed), [true, false])
        assert.equal(caret.opened[1].document.text, '[2026-11-22 08:15] Ann: One\n')
    },

    async 'an unsaved note survives the deletion of all notes'() {
        const { caret, channel } = await make({ exists: true })
        channel.send(note('One'))
        caret.exists = false
        caret.opened[0].document.dispatchEvent(new Event('gone'))
        await settled()
        await settled()
        assert.deepEqual([caret.opened[1].create, caret.opened[1].document.text], [true, '[2026-11-22 08:15] Ann: One\n'])
    },

    async 'saved notes stay deleted'() {
        const { caret, channel } = await make({ exists: true })
        caret.exists = false
        caret.opened[0].document.dispatchEvent(new Event('gone'))
        await settled()
        assert.deepEqual([channel.state, shown(channel), caret.opened.length], ['none', [], 1])
    },

    async 'a page that was reloaded sends the notes that it had stored'() {
        const stored = [{ time: note('One').time.getTime(), author: 'Ann', text: 'One' }]
        const { caret } = await make({ stored })
        assert.deepEqual([caret.opened[0].create, caret.opened[0].document.text], [true, '[2026-11-22 08:15] Ann: One\n'])
    },

    async 'a screen that closes keeps its channel until all is saved'() {
        const { caret, channel, store } = await make({ exists: true })
        const [{ document }] = caret.opened
        channel.send(note('One'))
        channel.leave()
        assert.equal(document.isClosed, false)
        assert.equal(notesChannel(caret, 'agenda', store), channel)
        document.set('saved')
        assert.equal(document.isClosed, true)
        assert.notEqual(notesChannel(caret, 'agenda', store), channel)
    },
}
