// The state of a client: its connection, requests and open documents. ClientState.swift is the same in Swift.
//
// It uses no clock, no socket and no random numbers. Each event is a method that returns the actions that the
// owner must run, in order. Moments are milliseconds. `jitter` is a random number from 0 to below 1.
//
//     { do: 'connect', server }             to this URL, and call `connected` or `disconnected`
//     { do: 'disconnect' }                  and ignore later events of this connection
//     { do: 'send', message, id, key }      `key` is set if the message is about an open document
//     { do: 'keep', key, isOwn }            an open document has changed, with `isOwn` by the program: store its
//                                           unsaved edits
//     { do: 'link' }                        tell readers that `link` has changed
//     { do: 'answer', id, message }         the answer to a request
//     { do: 'fail', id, error }             a request fails
//     { do: 'deliver', event }              an event of the documents that the program follows
//     { do: 'update', key, update }         an event of an open document
//     { do: 'end', reason }                 the client has ended, and will not connect again
//     { do: 'wake', at }                    call `timePassed` at this moment or a little later
//
// Law: every request ends exactly once, with an answer or an error. If the connection ends before the answer to
// a request, the request is sent again only if it is idempotent.
import { DocumentState, RequestIDs, refusal } from './document-state.js'
import { CaretError } from './errors.js'
import { maxUnanswered, PendingRequests } from './requests.js'
import { ServerRotation } from './server-rotation.js'
import { closesConnection, hello, infoOf, refusesEveryHello } from './wire.js'

export class ClientState {
    /**
     * Whether the client is online: { state, until, reason }. The state is 'idle', 'connecting', 'greeting',
     * 'online', 'waiting' or 'ended'. `until` is set while waiting, and `reason` after a failure.
     */
    link = { state: 'idle' }
    /** The server's last `welcome`. */
    welcome = null
    documents = new Map()

    // token-client.js uses these, and overrides some methods.
    hello
    user
    ids = new RequestIDs()
    /** If the server refuses `hello` or ends the connection for one of these reasons, the client ends. */
    finalReasons = ['revoked', 'token_ended']

    #keeps
    #ownsID
    #requests = new PendingRequests()
    #lastKey = 0
    #follow = null
    #rotation
    /** When the client began to wait for the server: at its last message, or at the last step of connecting. */
    #silentSince = 0
    /** A `ping` was sent after the last message of the server. */
    #hasPinged = false
    /** What the server announced about the end of this connection: { reason, retryAfter }. */
    #closeNotice = null
    /** When the next call of `timePassed` is due; null if none is. */
    #wakesAt = null

    /**
     * `servers` are URLs, in the order in which they are tried. With `keeps`, there are actions 'keep'. If `user` is set,
     * the client ends if the server names another user. With `ownsID`, certainly no other client uses the same id.
     */
    constructor({ servers = [null], keeps = false, user, ownsID = false, ...settings }) {
        this.#rotation = new ServerRotation(servers)
        this.hello = hello(settings)
        // Without a token, the client is a guest, or a proxy has named its user. What guests may read has changed, or the
        // proxy must be asked again. The next connection does both.
        if (!settings.token) this.finalReasons = ['revoked']
        this.#keeps = keeps
        this.user = user
        this.#ownsID = ownsID
    }

    /** The URL of the server that the client is connected to, or tries next. */
    get server() { return this.#rotation.current }

    // Events of the program.

    started(now) {
        if (this.link.state !== 'idle') return []
        return [...this.connect(now), ...this.wake()]
    }

    /** Sends a request, now or as soon as there is a connection. Returns its id and the actions. */
    requested(message) {
        const id = this.ids.next()
        if (this.link.state === 'ended') return [id, [{ do: 'fail', id, error: lost(this.link.reason) }]]
        if (!this.#requests.add(message, id)) {
            const sentence = `${maxUnanswered} requests have no answer, which is the limit`
            return [id, [{ do: 'fail', id, error: new CaretError('too_many', sentence) }]]
        }
        return [id, this.#sendRequests()]
    }

    /** Follows the documents with this prefix, instead of those that were followed before. */
    followed(prefix) {
        this.#follow = { id: this.ids.next(), message: { type: 'follow', prefix: prefix || undefined } }
        return this.sendFollow()
    }

    unfollowed() {
        this.#follow = null
        return this.#isOnline ? [{ do: 'send', message: { type: 'unfollow' } }] : []
    }

    /** Others see this name and color from now on. If the server has others, the client connects again at once. */
    introduced(person, now) {
        this.hello = { ...this.hello, info: infoOf(person) }
        if (!this.#isOnline && this.link.state !== 'greeting') return []
        return [{ do: 'disconnect' }, ...this.connect(now), ...this.#interrupt('renamed', now)]
    }

    closed(now) { return this.end('closed', now) }

    /** Another client uses the id of this one. */
    replaced(now) { return this.end('replaced', now) }

    // Open documents.

    /** Opens a document, now or as soon as there is a connection. Returns its key and the actions. */
    opened(replica, name, options, now) {
        const key = ++this.#lastKey
        this.documents.set(key, new DocumentState(replica, name, { ...options, ids: this.ids }))
        if (!this.#isOnline) return [key, []]
        return [key, [...this.change(key, (document) => document.welcomed(now)), ...this.wake()]]
    }

    /** Passes an event to an open document, with `isOwn` an event of the program. `body` returns the document's actions. */
    change(key, body, { isOwn = false } = {}) {
        const document = this.documents.get(key)
        if (!document) return []
        const actions = body(document).map((action) => toClientAction(action, key))
        // The edits of a push are stored before the push is sent.
        return [...(this.#keeps ? [{ do: 'keep', key, isOwn }] : []), ...actions, ...this.wake()]
    }

    /** Closes a document. Edits that are not committed yet are lost. */
    closedDocument(key) {
        const document = this.documents.get(key)
        if (!document) return []
        this.documents.delete(key)
        return this.#isOnline ? [{ do: 'send', message: { type: 'close', doc: document.name } }] : []
    }

    /** Handles the messages that wait for a document. */
    handledMessages(key, now, jitter) {
        const actions = []
        try {
            while (this.documents.get(key)?.heldSize > 0) {
                actions.push(...this.change(key, (document) => document.handledNext(now)))
            }
        } catch (error) {
            return [...actions, ...this.#invalidMessage(error, now, jitter)]
        }
        return actions
    }

    #changeAll(body) { return [...this.documents.keys()].flatMap((key) => this.change(key, body)) }

    // Events of the connection and the clock.

    connected(now) {
        if (this.link.state !== 'connecting') return []
        this.link = { ...this.link, state: 'greeting' }
        this.#silentSince = now
        return [{ do: 'send', message: this.hello }, ...this.wake()]
    }

    received(message, now, jitter) {
        this.#silentSince = now
        this.#hasPinged = false
        if (this.link.state === 'greeting') return [...this.#helloAnswered(message, now, jitter), ...this.wake()]
        if (this.#isOnline) return [...this.#handleOnline(message, now, jitter), ...this.wake()]
        return []
    }

    /** Called when a message was not sent, because its line is longer than the server allows. */
    lineTooLong(message, id, limit, now) {
        if (id !== undefined && this.#requests.complete(id)) {
            const error = new CaretError('line_too_long', `the request has more than ${limit} bytes`)
            return [{ do: 'fail', id, error }, ...this.#sendRequests()]
        }
        if (message.type !== 'push') return []
        const [key] = [...this.documents].find(([, document]) => document.name === message.doc) ?? []
        return this.change(key, (document) => document.lineTooLong(message, now))
    }

    /** The connection has ended, or could not be made. */
    disconnected(reason, now, jitter) {
        if (!['connecting', 'greeting', 'online'].includes(this.link.state)) return []
        const { delay, ...found } = this.#rotation.failed({ reason, ...this.#closeNotice }, now, jitter)
        this.#closeNotice = null
        this.link = { state: 'waiting', until: now + delay, ...found }
        const next = delay === null ? this.connect(now) : [{ do: 'link' }]
        return [{ do: 'disconnect' }, ...next, ...this.#interrupt(found.reason, now)]
    }

    /** What a connection that has ended means for requests and documents. */
    #interrupt(reason, now) {
        const failures = this.#requests.disconnected().map((id) => ({ do: 'fail', id, error: lost(reason) }))
        return [...failures, ...this.#changeAll((document) => document.disconnected(now)), ...this.wake()]
    }

    timePassed(now, jitter) {
        if (this.#wakesAt !== null && this.#wakesAt <= now) this.#wakesAt = null
        this.#requests.timePassed(now)
        return [
            ...this.#sendRequests(), ...this.#changeAll((document) => document.timePassed(now)),
            ...this.#checkLinkDeadline(now, jitter),
        ]
    }

    /** Tries to connect at once, if the client waits before its next attempt. */
    hurried(now) {
        return this.link.state === 'waiting' ? [...this.connect(now), ...this.wake()] : []
    }

    #checkLinkDeadline(now, jitter) {
        const deadline = this.#linkDeadline
        if (deadline === null || deadline > now) return this.wake()
        switch (this.link.state) {
        case 'waiting': return [...this.connect(now), ...this.wake()]
        case 'online':
            if (this.#hasPinged) break
            this.#hasPinged = true
            this.#silentSince = now
            return [{ do: 'send', message: { type: 'ping' } }, ...this.wake()]
        }
        return this.disconnected('the server does not answer', now, jitter)
    }

    // Messages of the server.

    #helloAnswered(message, now, jitter) {
        switch (message.type) {
        case 'welcome':
            if (message.unit !== 'utf-16') {
                return this.disconnected('the server does not use UTF-16', now, jitter)
            }
            if (this.user !== undefined && message.user !== this.user) return this.end('other_user', now)
            this.link = { state: 'online' }
            this.welcome = message
            this.#rotation.welcomed(now)
            return [
                { do: 'link' }, ...this.#changeAll((document) => document.welcomed(now)), ...this.sendFollow(),
                ...this.#sendRequests(),
            ]
        case 'error':
            if (refusesEveryHello(message) || this.finalReasons.includes(message.code)) {
                return this.end(message.code, now, refusal(message))
            }
            this.#closeNotice = closeNotice(message)
            return this.disconnected(refusal(message).message, now, jitter)
        case 'bye': return this.#handleBye(message, now)
        default: return []
        }
    }

    #handleOnline(message, now, jitter) {
        const actions = []
        for (const [key, document] of this.documents) {
            if (!document.isAddressed(message)) continue
            try {
                actions.push(...this.change(key, () => document.received(message, now)))
            } catch (error) {
                return [...actions, ...this.#invalidMessage(error, now, jitter)]
            }
        }
        return [...actions, ...this.#handle(message, now)]
    }

    #invalidMessage(error, now, jitter) {
        // A trap is a fault of the module, not of the server.
        if (error.code === 'trapped') throw error
        const reason = `the server sent something invalid: ${error.message}`
        return this.disconnected(reason, now, jitter)
    }

    #handle(message, now) {
        switch (message.type) {
        case 'ping': return [{ do: 'send', message: { type: 'pong' } }]
        case 'bye': return this.#handleBye(message, now)
        case 'error': return this.#handleError(message, now)
        case 'document': return this.#follow ? [{ do: 'deliver', event: message }] : []
        case 'gone': return this.#follow && message.followed ? [{ do: 'deliver', event: message }] : []
        case 'done':
            if (this.#follow && message.id === this.#follow.id) return [{ do: 'deliver', event: { type: 'complete' } }]
            break
        }
        if (message.id === undefined || !this.#requests.complete(message.id)) return []
        return [{ do: 'answer', id: message.id, message }, ...this.#sendRequests()]
    }

    #handleError(error, now) {
        if (closesConnection(error)) this.#closeNotice = closeNotice(error)
        if (error.code === 'shutting_down') {
            this.#requests.requeue(error.id, now, error.retry_after_ms)
            return []
        }
        if (error.id === undefined || !this.#requests.complete(error.id)) return []
        return [{ do: 'fail', id: error.id, error: refusal(error) }, ...this.#sendRequests()]
    }

    #handleBye(bye, now) {
        // The server may read the `hello` of an earlier connection later than that of a newer one. Then it ends the
        // wrong connection, and the client connects again.
        const isReplaced = bye.reason === 'replaced' && !this.#ownsID
        if (isReplaced || this.finalReasons.includes(bye.reason)) return this.end(bye.reason, now)
        this.#closeNotice = {
            reason: `the server sent 'bye' with the reason ${bye.reason}`, retryAfter: bye.retry_after_ms,
        }
        return []
    }

    get #isOnline() { return this.link.state === 'online' }

    connect(now) {
        this.link = { state: 'connecting', reason: this.link.reason }
        this.#silentSince = now
        return [{ do: 'link' }, { do: 'connect', server: this.server }]
    }

    #sendRequests() { return this.#isOnline ? this.#requests.nextToSend() : [] }

    sendFollow() {
        if (!this.#isOnline || !this.#follow) return []
        return [{ do: 'deliver', event: { type: 'restarted' } }, { do: 'send', ...this.#follow }]
    }

    end(reason, now, error = lost(reason)) {
        if (this.link.state === 'ended') return []
        this.link = { state: 'ended', reason }
        this.#follow = null
        return [
            { do: 'disconnect' }, { do: 'link' }, ...this.#changeAll((document) => document.disconnected(now)),
            ...this.#requests.removeAll().map((id) => ({ do: 'fail', id, error })), { do: 'end', reason, error },
        ]
    }

    /** When token-client.js needs a call of `timePassed`. */
    get deadline() { return Infinity }

    /** When the client must ping, disconnect or connect again, if the server sends nothing until then. */
    get #linkDeadline() {
        switch (this.link.state) {
        case 'connecting': case 'greeting': return this.#silentSince + this.#rotation.timeout
        case 'online': return this.#silentSince + Math.max(1, this.welcome.ping) * 1_000
        case 'waiting': return this.link.until
        default: return null
        }
    }

    /** Schedules a call of `timePassed` for the next deadline, unless an earlier call is scheduled. */
    wake() {
        const retries = [...this.documents.values()].map((document) => document.retryAt)
        const moments = [this.#linkDeadline, this.deadline, this.#requests.retryAt, ...retries]
        const deadline = Math.min(...moments.filter((moment) => moment !== null))
        if (deadline === Infinity || (this.#wakesAt !== null && this.#wakesAt <= deadline)) return []
        this.#wakesAt = deadline
        return [{ do: 'wake', at: deadline }]
    }
}

function toClientAction(action, key) {
    return action.do === 'send' ? { ...action, key } : { do: 'update', key, update: action.update }
}

function closeNotice(error) {
    return { reason: refusal(error).message, retryAfter: error.retry_after_ms }
}

/** The error of a request whose connection ended before the answer came. */
function lost(reason) {
    return new CaretError('disconnected', `the connection ended first: ${reason}`)
}
