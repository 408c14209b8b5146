// A client that gets its tokens from a function of the program. Few clients do, so this file is loaded only for them.
// It imports nothing, because a page would then load what it imports as a file of its own.
//
// The state has one more action:
//
//     { do: 'ask', call }   call the function, and call `tokenArrived` or `tokenFailed` with what it answers and with
//                           `call`, which is the number of this call
//
// While the client waits for the first token, or for another one after the last has ended, the state of the link is
// 'asking'. At most one call of the function is waited for at a time.

/** The shortest time from a token to the next call of the function, and from a failure to the next attempt, in ms. */
export const askPause = 10_000
/** How long a call may take before the client goes on without it. A later answer counts until the next call begins. */
export const longestCall = 30_000

/** ClientState, with a token that is replaced before it ends. */
export const withTokens = (ClientState, ServerRotation, CaretError) => class extends ClientState {
    finalReasons = ['revoked']
    /** The newest token of the function; null if there is none, or if it has ended. */
    #token = null
    /** When it ends; Infinity if this is not known. */
    #endsAt = Infinity
    #arrivedAt = -Infinity
    /** The token that the server has accepted last. */
    #accepted = null
    /** The id of the `authenticate` without an answer. */
    #authenticating = null
    /** When the client needs another token, or sends this one again, while it is online. */
    #refreshAt = Infinity
    /** When the call that runs counts as failed; Infinity if none runs. */
    #answerDueAt = Infinity
    /** The number of the newest call. An older one that answers now may know less than the newest. */
    #lastCall = 0
    /** The delays after calls that have failed. They are those of a client with one server. */
    #delays = new ServerRotation([null])

    // Before the client connects.

    connect(now) {
        this.#authenticating = null
        this.#refreshAt = Infinity
        if (this.#endsAt <= now) this.#drop(this.#token)
        if (this.#token !== null) return super.connect(now)
        const { reason } = this.link
        const until = this.#arrivedAt + askPause
        this.link = until > now ? { state: 'waiting', until, reason } : { state: 'asking', reason }
        return [{ do: 'link' }, ...(until > now ? [] : this.#ask(now))]
    }

    connected(now) {
        this.hello = { ...this.hello, token: this.#token }
        return super.connected(now)
    }

    #ask(now) {
        this.#refreshAt = Infinity
        if (this.#answerDueAt < Infinity) return []
        this.#answerDueAt = now + longestCall
        return [{ do: 'ask', call: ++this.#lastCall }]
    }

    #drop(token) {
        if (token !== this.#token) return
        this.#token = null
        this.#endsAt = Infinity
    }

    // Answers of the function.

    /** Whether an answer of this call still counts. */
    isNewest(call) { return call === this.#lastCall && this.link.state !== 'ended' }

    /** The function has answered. Null means that the user is signed out. */
    tokenArrived(token, now, jitter, call = this.#lastCall) {
        if (!this.isNewest(call)) return []
        this.#answerDueAt = Infinity
        if (token === null) {
            return this.end('signed_out', now, new CaretError('signed_out', 'the token function has answered null'))
        }
        if (token !== this.#token) this.#endsAt = Infinity
        this.#token = token
        this.#arrivedAt = now
        this.#delays.welcomed(now)
        switch (this.link.state) {
        case 'asking': return [...super.connect(now), ...this.wake()]
        case 'online': return [...this.#authenticate(now, jitter), ...this.wake()]
        // The next attempt uses it.
        default: return []
        }
    }

    /** The function has failed, for example because the device is offline. `reason` is a sentence. */
    tokenFailed(reason, now, jitter, call = this.#lastCall) {
        if (!this.isNewest(call)) return []
        this.#answerDueAt = Infinity
        if (this.link.state !== 'asking') {
            this.#refreshAt = now + askPause
            return this.#isOnline ? this.wake() : []
        }
        const { delay, ...found } = this.#delays.failed({ reason }, now, jitter)
        this.link = { state: 'waiting', until: now + delay, ...found }
        return [{ do: 'link' }, ...this.wake()]
    }

    // While the client is online.

    get #isOnline() { return this.link.state === 'online' }

    get deadline() {
        if (this.link.state === 'ended') return Infinity
        return Math.min(this.#answerDueAt, this.#isOnline ? this.#refreshAt : Infinity)
    }

    timePassed(now, jitter) {
        const failed = this.#answerDueAt <= now
            ? this.tokenFailed(`the token function has not answered for ${longestCall / 1_000} s`, now, jitter) : []
        const isDue = this.#isOnline && this.#refreshAt <= now
        return [...failed, ...(isDue ? this.#refresh(now, jitter) : []), ...super.timePassed(now, jitter)]
    }

    #refresh(now, jitter) {
        const hasAnother = this.#token !== null && this.#token !== this.#accepted
        return hasAnother ? this.#authenticate(now, jitter) : this.#ask(now)
    }

    #authenticate(now, jitter) {
        // The function has answered with the same token again. Another one may come later.
        if (this.#token === this.#accepted) return this.#schedule(now, jitter)
        this.#refreshAt = Infinity
        this.#authenticating = { id: this.ids.next(), token: this.#token }
        const { id, token } = this.#authenticating
        return [{ do: 'send', message: { type: 'authenticate', token }, id }]
    }

    /** Clients with tokens of the same moment must not all ask at once. */
    #schedule(now, jitter) {
        const share = 0.7 + 0.15 * jitter
        this.#refreshAt = Math.max(now + share * (this.#endsAt - now), this.#arrivedAt + askPause)
        return []
    }

    // Messages of the server.

    received(message, now, jitter) {
        if (this.link.state === 'greeting') return this.#helloAnswered(message, now, jitter)
        if (!this.#isOnline) return []
        if (message.type === 'bye' && message.reason === 'token_ended') this.#drop(this.#accepted)
        const isAnswer = this.#authenticating && message.id === this.#authenticating.id
        return [...(isAnswer ? this.#answered(message, now, jitter) : []), ...super.received(message, now, jitter)]
    }

    #helloAnswered(message, now, jitter) {
        // The server has accepted this token before, so its key was probably removed, and another token may help.
        if (message.code === 'unauthorized' && this.#accepted !== null && this.hello.token === this.#accepted) {
            this.#accepted = null
            return this.#helloAnswered({ ...message, code: 'token_ended' }, now, jitter)
        }
        if (message.code === 'token_ended' || message.reason === 'token_ended') this.#drop(this.hello.token)
        if (message.type === 'welcome') {
            // Unsaved edits of this user must not go to another one.
            this.user ??= message.user
            this.#accept(this.hello.token, message, now, jitter)
        }
        return super.received(message, now, jitter)
    }

    #accept(token, { expires_in_ms: expiresIn = Infinity }, now, jitter) {
        this.#accepted = token
        this.hello = { ...this.hello, token }
        // The function may have answered with another one meanwhile.
        if (token !== this.#token) return void (this.#refreshAt = now)
        this.#endsAt = now + expiresIn
        this.#schedule(now, jitter)
    }

    #answered(message, now, jitter) {
        const { token } = this.#authenticating
        this.#authenticating = null
        if (message.type === 'authenticated') return this.#authenticated(token, message, now, jitter)
        switch (message.code) {
        case 'forbidden': return this.end('other_user', now)
        case 'unauthorized': return this.end(message.code, now, new CaretError(message.code, `${message.message} (unauthorized)`))
        case 'token_ended': this.#drop(token)
        }
        this.#refreshAt = now + (message.retry_after_ms ?? askPause)
        return []
    }

    #authenticated(token, message, now, jitter) {
        if (message.user !== this.user) return this.end('other_user', now)
        this.#accept(token, message, now, jitter)
        const { rights, grants } = message
        this.welcome = { ...this.welcome, rights, grants }
        return message.changed ? [{ do: 'link' }, ...this.sendFollow()] : []
    }
}

/** Returns a function that calls the token function `get`, with the number of this call, and returns an event of the state. */
export const asking = (get, keeper) => async (call) => {
    try {
        const token = await get()
        if (token !== null && typeof token !== 'string') throw new TypeError(`its answer is ${token}, not a string or null`)
        return (state, now) => {
            if (keeper && token !== null && state.isNewest(call)) keeper.token = token
            return state.tokenArrived(token, now, Math.random(), call)
        }
    } catch (error) {
        const reason = `the token function has failed: ${withoutTokens(error?.message ?? error)}`
        return (state, now) => state.tokenFailed(reason, now, Math.random(), call)
    }
}

/** The sentence without anything that looks like a token. A page may show it, and a program may write it to a log. */
function withoutTokens(sentence) {
    return String(sentence).replace(/\b(ey[\w-]+\.[\w.-]+|caret_\w+)/g, '…')
}
