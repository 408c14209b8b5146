// Documents that components share, with a model of the client: when they are opened and closed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { SharedDocuments } from '../../Clients/javascript/shared-document.js'

class ModelDocument extends EventTarget {
    text = ''
    saving = { state: 'saved' }
    peers = []
    unsaved = []
    rights = 'write'
    canUndo = false
    canRedo = false
    waiting = []
    closes = 0

    constructor(name) { super(), this.name = name }
    saved() { return new Promise((resolve, reject) => this.waiting.push({ resolve, reject })) }
    async close() { this.closes++ }
    append(text) { this.text += text, this.dispatchEvent(new Event('change')) }

    /** Answers all calls of `saved`. */
    async answer(method, value) {
        for (const waiter of this.waiting.splice(0)) waiter[method](value)
        await nextTask()
    }
}

class ModelClient extends EventTarget {
    link = { state: 'online' }
    documents = new Map()
    opens = []
    isClosed = false

    open(name, options) {
        this.opens.push([name, options])
        if (!this.documents.has(name)) this.documents.set(name, new ModelDocument(name))
        return this.documents.get(name)
    }

    async close() { this.isClosed = true }
}

const nextTask = () => new Promise((next) => setTimeout(next))

/** A client, and a component that shows one of its documents. */
async function begin({ source = (client) => () => client } = {}) {
    const client = new ModelClient()
    const documents = new SharedDocuments(source(client))
    const release = documents.get('a').subscribe(() => {}, false)
    await nextTask()
    return { client, documents, release, document: client.documents.get('a') }
}

export const cases = {
    async 'a document is closed after its edits are saved, and then the client'() {
        const { client, documents, document, release } = await begin()
        document.append('Milk')
        assert.equal(documents.get('a').value.text, 'Milk')
        release()
        await nextTask()
        assert.deepEqual([document.closes, client.isClosed], [0, false])
        await document.answer('resolve')
        await nextTask()
        assert.deepEqual([document.closes, client.isClosed], [1, true])
        const { text, saving, document: shown } = documents.get('a').value
        assert.deepEqual([text, saving.state, shown], ['', 'opening', null])
    },
    async 'if the app closes the client, components show the last state'() {
        const { documents, client, document } = await begin()
        document.append('Milk')
        assert.equal(documents.get('a').value.text, 'Milk')
        Object.defineProperty(document, 'text', { get() { throw new Error('closed') } })
        client.link = { state: 'ended', reason: 'closed' }
        client.dispatchEvent(new Event('link'))
        const { text, link } = documents.get('a').value
        assert.deepEqual([text, link.reason], ['Milk', 'closed'])
    },
    async 'a document with refused edits stays open, and is shown again'() {
        const { client, documents, document, release } = await begin()
        document.append('Milk')
        Object.assign(document, { saving: { state: 'refused', code: 'forbidden' }, unsaved: [{}] })
        release()
        await nextTask()
        await document.answer('reject', new Error('refused'))
        await nextTask()
        assert.deepEqual([document.closes, client.isClosed], [0, false])
        const again = documents.get('a').subscribe(() => {}, false)
        assert.equal(documents.get('a').value.text, 'Milk')
        Object.assign(document, { saving: { state: 'refused' }, unsaved: [] })
        again()
        await nextTask()
        await document.answer('reject', new Error('refused'))
        assert.equal(document.closes, 1)
        assert.equal(client.opens.length, 1)
    },
    async 'a client that the app has passed is not closed'() {
        for (const source of [(client) => client, (client) => Promise.resolve(client)]) {
            const { client, document, release } = await begin({ source })
            release()
            await nextTask()
            await document.answer('resolve')
            await nextTask()
            assert.deepEqual([document.closes, client.isClosed], [1, false])
        }
    },
    async 'two providers with one function share the client'() {
        let calls = 0
        const client = new ModelClient()
        const source = () => (calls++, client)
        const [first, second] = [new SharedDocuments(source), new SharedDocuments(source)]
        const releases = [first.use(), second.get('a').subscribe(() => {}, false)]
        await nextTask()
        releases[0]()
        await nextTask()
        assert.deepEqual([calls, client.isClosed], [1, false])
        releases[1]()
        await nextTask()
        await client.documents.get('a').answer('resolve')
        await nextTask()
        assert.deepEqual([calls, client.isClosed], [1, true])
    },
    async 'a component may create a document that another has opened'() {
        const { client, documents, document } = await begin()
        documents.get('a').subscribe(() => {}, true)
        documents.get('a').subscribe(() => {}, true)
        assert.deepEqual(client.opens, [['a', { create: false }], ['a', { create: true }]])
        assert.equal(document.closes, 1, 'each open has its close')
    },
    async 'each value is another object after a change, and the same object without one'() {
        const { documents, document } = await begin()
        const shared = documents.get('a')
        const before = shared.value
        assert.equal(shared.value, before)
        document.append('Milk')
        assert.deepEqual([before.text, shared.value.text], ['', 'Milk'])
        assert.equal(shared.value.append, before.append)
    },
    async 'if the client cannot be made, the link says why, and the next component tries again'() {
        const client = new ModelClient()
        let isBroken = true
        const documents = new SharedDocuments(() => { if (isBroken) throw new Error('no module'); return client })
        const unhandled = once(process, 'unhandledRejection')
        const release = documents.get('a').subscribe(() => {}, false)
        assert.equal((await unhandled)[0].message, 'no module')
        assert.deepEqual(documents.get('a').value.link, { state: 'ended', reason: 'no module' })
        assert.throws(() => documents.get('a').value.append('x'), { code: 'closed' })
        release()
        await nextTask()
        isBroken = false
        documents.get('a').subscribe(() => {}, false)
        await nextTask()
        assert.deepEqual(documents.get('a').value.link, { state: 'online' })
    },
    'a provider without a client is a mistake'() {
        assert.throws(() => new SharedDocuments('http://127.0.0.1:22738'), /the client must be a Caret/)
    },
}
