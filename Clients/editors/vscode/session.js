// One document between VS Code and `caret pipe`: what to send, and what to apply in the editor.
//
// This is a value without input and output. Each event is a method, which answers with the actions to run, in order:
//
//   { do: 'send', message }        to `caret pipe`
//   { do: 'apply', edits }         in the editor; the result comes back as the event `applied`
//   { do: 'peers', peers }         the carets of others, with offsets in `text`
//   { do: 'state' }                `state`, `isKept` or `message` has changed
//   { do: 'saved' }                answers the oldest `save`
//   { do: 'warn', message }        to the user
//   { do: 'renamed' }              `name` has changed
//   { do: 'end' }                  the end of `caret pipe`: the editor cannot follow it
//
// The hard part is that VS Code applies edits later than they are requested, or not at all, because the user has typed
// before. Until the result is known, the user's own changes cannot be recognised. So all events wait for
// the result. If VS Code has applied the edits, the first change of the text since the request is that of the edits,
// because VS Code refuses edits of a text that has changed since.
'use strict'

const { withLineFeeds, lineStarts, offsetAt, applying, splitsCharacter, difference, movedOver } = require('./text.js')

/** How often VS Code may refuse the same edits without a reason. */
const mostRefusals = 20
/** The limit of the protocol for one participant. */
const mostSelections = 100

class Session {
    constructor(name) {
        this.name = name
        /** 'opening', then 'arrived' with the first text, 'live' as long as an editor shows it, and 'ended'. */
        this.phase = 'opening'
        /** The text of the editor after all handled events, with LF at the ends of lines. */
        this.text = ''
        this.state = 'opening'
        this.isKept = true
        this.message = ''
        /** The number of the last message `changed` that the editor has applied. */
        this.seen = 0
        /** How many changes were sent. */
        this.sent = 0
        this.selections = '[]'
        /** The edits that the editor applies now: `edits`, the text after them, and the number of their message. */
        this.applying = null
        this.waiting = []
    }

    // MARK: Events

    /** A message of `caret pipe`. */
    received(message) {
        if (message.type !== 'opened') return this.#handleInTurn({ event: 'received', message })
        this.phase = 'arrived'
        this.text = message.text
        return []
    }

    /** The editor shows the document. Its text can be an older one, which VS Code has kept. */
    attached(text) {
        if (this.phase === 'ended') return []
        const [shown, wanted] = [withLineFeeds(text), this.text]
        this.phase = 'live'
        this.text = shown
        return [...this.#refresh(wanted), ...this.#handleWaiting()]
    }

    /** The text of the editor has changed. Each change has `start` and `end`, which are positions, and `text`. */
    edited(changes, text) {
        return this.#handleInTurn({ event: 'edited', changes, text: withLineFeeds(text) })
    }

    /** The editor has applied the edits of the last action `apply`, or has refused them. */
    applied(isDone) {
        if (this.phase === 'ended') return []
        const request = this.applying
        const index = this.waiting.findIndex(({ event }) => event === 'edited')
        if (!isDone && index < 0) return this.#retry(request)
        this.applying = null
        const actions = isDone ? this.#finish(request, index) : []
        if (!isDone && request.number === null) actions.push(...this.#typedBeforeRefresh(request))
        return [...actions, ...this.#handleWaiting()]
    }

    /** The selections of the user: pairs of positions, where each began and where its caret is. */
    selected(selections) { return this.#handleInTurn({ event: 'selected', selections }) }

    /** The user wants to undo, redo or save. */
    asked(type) { return this.#handleInTurn({ event: 'asked', type }) }

    /** `caret pipe` has ended. */
    ended(reason) {
        const wasLive = this.phase !== 'ended' && this.phase !== 'opening'
        this.phase = 'ended'
        this.state = 'closed'
        this.message = wasLive
            ? `${this.name}: no longer live, because ${reason}; copy what you have typed since, close the document, and open it again`
            : reason
        return [{ do: 'state' }, { do: 'warn', message: this.message }]
    }

    // MARK: Events in turn

    #handleInTurn(event) {
        if (this.phase === 'ended') return []
        this.waiting.push(event)
        return this.#handleWaiting()
    }

    #handleWaiting() {
        const actions = []
        while (this.phase === 'live' && !this.applying && this.waiting.length > 0) {
            actions.push(...this.#handle(this.waiting.shift()))
        }
        return actions
    }

    #handle(event) {
        switch (event.event) {
        case 'received': return this.#handleMessage(event.message)
        case 'edited': return this.#send(event)
        case 'selected': return this.#select(event.selections)
        case 'asked': return [{ do: 'send', message: { type: event.type } }]
        default: throw new Error(`unknown event ${event.event}`)
        }
    }

    #handleMessage(message) {
        switch (message.type) {
        case 'changed':
            // If the user has typed before this change arrived, another one that fits follows.
            if (message.after !== this.sent) return []
            return this.#apply([...message.edits].reverse(), message.number)
        case 'peers':
            if (message.after !== this.sent || message.number !== this.seen) return []
            return [{ do: 'peers', peers: message.peers }]
        case 'state': return this.#changeState(message)
        case 'saved': return [{ do: 'saved' }]
        case 'renamed':
            this.name = message.name
            return [{ do: 'renamed' }]
        case 'error': return [{ do: 'warn', message: message.message }]
        default: return []
        }
    }

    #changeState({ state, kept, message }) {
        const isNews = (state === 'offline' && this.state !== 'offline') || (!kept && this.isKept)
        this.state = state
        this.isKept = kept
        this.message = message
        return [{ do: 'state' }, ...(isNews ? [{ do: 'warn', message: `${this.name}: ${message}` }] : [])]
    }

    // MARK: To the editor

    /** `number` is null if no message asks for the edits. */
    #apply(edits, number) {
        this.applying = { edits, number, expected: applying(this.text, edits), refusals: 0 }
        return [{ do: 'apply', edits }]
    }

    /** Makes the editor show this text. */
    #refresh(wanted) {
        return wanted === this.text ? [] : this.#apply([difference(this.text, wanted)], null)
    }

    #retry(request) {
        request.refusals += 1
        if (request.refusals < mostRefusals) return [{ do: 'apply', edits: request.edits }]
        return [...this.ended('VS Code does not apply the changes of others'), { do: 'end' }]
    }

    /** The edits are applied. `index` is the first waiting change of the text. */
    #finish({ expected, number }, index) {
        this.text = expected
        if (index >= 0) {
            const [own] = this.waiting.splice(index, 1)
            // Something has changed the edits on their way, so the rest counts as a change of the user.
            if (own.text !== expected) this.waiting.splice(index, 0, { ...own, changes: null })
        }
        if (number === null) return []
        this.seen = number
        return [{ do: 'send', message: { type: 'applied', number } }]
    }

    /** The user has typed into a text that was to be replaced. `caret pipe` gets the edits where they fit its text. */
    #typedBeforeRefresh({ expected }) {
        let [shown, wanted] = [this.text, expected]
        const actions = []
        const isEdit = ({ event }) => event === 'edited'
        for (const typed of this.waiting.filter(isEdit)) {
            const moved = movedOver(editsOf(typed, shown), difference(shown, wanted))
            actions.push(this.#change(moved))
            wanted = applying(wanted, moved)
            shown = typed.text
        }
        this.waiting = this.waiting.filter((event) => !isEdit(event))
        this.text = shown
        return [...actions, ...this.#refresh(wanted)]
    }

    // MARK: To `caret pipe`

    #send(typed) {
        // Another kind of line end is no other text.
        if (typed.text === this.text) return []
        const action = this.#change(editsOf(typed, this.text))
        this.text = typed.text
        return [action]
    }

    #change(edits) {
        this.sent += 1
        return { do: 'send', message: { type: 'change', seen: this.seen, edits } }
    }

    #select(selections) {
        const starts = lineStarts(this.text)
        const offsets = selections.slice(0, mostSelections)
            .map((ends) => ends.map((position) => offsetAt(this.text, starts, position)))
        // An offset inside of a character can come from another extension.
        if (offsets.flat().some((offset) => splitsCharacter(this.text, offset))) return []
        const key = JSON.stringify(offsets)
        if (key === this.selections) return []
        this.selections = key
        return [{ do: 'send', message: { type: 'select', selections: offsets } }]
    }
}

/**
 * The edits that turn `old` into the new text of the editor, in ascending order. They are those of the editor, so that
 * the changes of others between them stay. If these do not fit, one edit has everything.
 */
function editsOf({ changes, text }, old) {
    const starts = lineStarts(old)
    const edits = (changes ?? [])
        .map(({ start, end, text: inserted }) => ({
            range: [offsetAt(old, starts, start), offsetAt(old, starts, end)], text: withLineFeeds(inserted),
        }))
        .sort((a, b) => a.range[0] - b.range[0] || a.range[1] - b.range[1])
    const splits = edits.some(({ range }) => range.some((offset) => splitsCharacter(old, offset)))
    return changes && !splits && applying(old, edits) === text ? edits : [difference(old, text)]
}

module.exports = { Session }
