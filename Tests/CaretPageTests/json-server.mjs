// A server in memory that speaks the protocol in JSON: documents of ModelServer behind transports.
import assert from 'node:assert/strict'
import { ModelServer } from './model-server.mjs'

export class JSONServer {
    #core
    #documents = new Map()
    #epochs = 0
    /** The content of each push, by client, document and number. */
    #pushes = new Map()
    #awaited = null
    /** All messages of clients, in order. */
    received = []
    /** The user of each connection. Undefined: ann if it has a token, and otherwise anonymous. */
    user
    /** The name and color of the user's token; undefined if it has none. */
    look = undefined
    /** The token that clients need; null if the server takes any. */
    token = null
    /** If set, `hello` is refused with this code. */
    refusal = null
    isReachable = true
    /** What happens to pushes: 'commit', 'commitSilently' without an ack, 'lose' or 'refuse'. */
    pushes = 'commit'

    constructor(core) { this.#core = core }

    create(name, text = '') {
        const document = new ModelServer(this.#core)
        document.text = text
        document.epoch = `e${this.#epochs++}`
        this.#documents.set(name, document)
    }

    delete(name) { this.#documents.delete(name) }
    text(name) { return this.#documents.get(name)?.text }

    /** The numbers of all pushes to a document, in order. */
    numbers(name) {
        return this.received.filter(({ type, doc }) => type === 'push' && doc === name).map(({ seq }) => seq)
    }

    /** The transport of a tab. `cut()` ends its connections, and it makes no new ones. */
    transport() {
        const transport = { isCut: false, connection: null }
        transport.cut = () => {
            transport.isCut = true
            transport.connection?.end()
        }
        transport.make = () => {
            const connection = new Connection(this, transport)
            transport.connection = connection
            return connection
        }
        return transport
    }

    /** Waits for the next message of a type. It has no answer yet. */
    gets(type) { return new Promise((resolve) => { this.#awaited = { type, resolve } }) }

    #welcome(connection, { client, token }) {
        const user = this.user ?? (token === undefined ? 'anonymous' : 'ann')
        connection.client = `${user} ${client}`
        connection.reply({
            type: 'welcome', protocol: 1, unit: 'utf-16', server: 'caret', user, features: [], limits: { line: 100_000 },
            ping: 20, info: this.look,
        })
    }

    handle(connection, message) {
        this.received.push(message)
        if (message.type === this.#awaited?.type) this.#awaited.resolve()
        switch (message.type) {
        case 'hello':
            if (this.token !== null && message.token !== this.token) {
                return connection.reply({ type: 'error', code: 'unauthorized', message: 'the token is unknown or was revoked' })
            }
            if (this.refusal) return connection.reply({ type: 'error', code: this.refusal, message: 'the token is of no use' })
            return this.#welcome(connection, message)
        case 'open': return this.#open(connection, message)
        case 'push': return this.#push(connection, message)
        case 'close': return connection.closeDocument(message.doc)
        case 'ping': return connection.reply({ type: 'pong' })
        case 'restore':
            this.#documents.get(message.doc).own(connection.client, message.seq)
            return connection.reply({
                type: 'ack', id: message.id, doc: message.doc, seq: message.seq, rev: 0, unchanged: true,
            })
        case 'read': {
            const { epoch, rev, text } = this.#documents.get(message.doc)
            return connection.reply({ type: 'text', id: message.id, doc: message.doc, epoch, rev, text, newline: 'lf' })
        }
        }
    }

    #open(connection, { doc, id, create, epoch, rev }) {
        if (create && !this.#documents.has(doc)) this.create(doc)
        const document = this.#documents.get(doc)
        if (!document) return connection.reply({ type: 'error', id, doc, code: 'not_found', message: 'there is none' })
        const session = connection.open(doc, document)
        document.handle(session, { do: 'open', id, position: epoch && { epoch, rev } })
        this.deliver()
    }

    #push(connection, { doc, epoch, base, seq, edits }) {
        const key = `${connection.client} ${doc} ${seq}`
        if (this.pushes === 'lose') return
        if (this.pushes === 'refuse') {
            return connection.reply({ type: 'error', doc, seq, code: 'too_large', message: 'the text is too long' })
        }
        const content = JSON.stringify([epoch, base, edits])
        assert.equal(this.#pushes.get(key) ?? content, content, 'a repeated push has the same content')
        this.#pushes.set(key, content)
        const { document, session } = connection.sessions.get(doc)
        document.handle(session, { do: 'push', base, seq, edits })
        if (this.pushes === 'commitSilently') session.out = []
        this.deliver()
    }

    /** Sends what the documents have for their sessions. */
    deliver() { for (const connection of this.connections) connection.deliver() }
    connections = new Set()
}

class Connection {
    sessions = new Map()
    #server
    #transport
    #events
    #isOver = false

    constructor(server, transport) {
        this.#server = server
        this.#transport = transport
    }

    start(events) {
        this.#events = events
        queueMicrotask(() => {
            if (this.#isOver) return
            if (!this.#server.isReachable || this.#transport.isCut) return this.end()
            this.#server.connections.add(this)
            events.opened()
        })
    }

    /** Sends a message to the client. */
    reply(message) {
        queueMicrotask(() => { if (!this.#isOver) this.#events.received(JSON.stringify(message)) })
    }

    // What the client calls.

    send(message) {
        if (!this.#isOver && this.#server.connections.has(this)) this.#server.handle(this, JSON.parse(message))
    }

    open(doc, document) {
        this.closeDocument(doc)
        const session = document.connect(this.client)
        this.sessions.set(doc, { document, session })
        return session
    }

    deliver() {
        for (const [doc, { session }] of this.sessions) {
            for (const message of session.out.splice(0)) this.reply({ doc, ...message })
        }
    }

    closeDocument(doc) {
        const open = this.sessions.get(doc)
        open?.document.disconnect(open.session)
        this.sessions.delete(doc)
    }

    close() {
        this.#isOver = true
        this.#server.connections.delete(this)
        for (const { document, session } of this.sessions.values()) document.disconnect(session)
    }

    end() {
        if (this.#isOver) return
        this.close()
        this.#events.closed('the connection was cut')
    }
}
