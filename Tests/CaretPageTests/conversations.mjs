// Runs the published conversations of Tests/Fixtures/conversations with the JavaScript client.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { DocumentState, RequestIDs } from '../../Clients/javascript/document-state.js'
import { Replica } from '../../Clients/javascript/replica.js'
import { applyEdits, load } from './support.mjs'

const folder = new URL('../Fixtures/conversations/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.json')).sort()

export const cases = Object.fromEntries(names.map((name) => [`conversation ${name}`, async (wasm) => {
    const { module, core } = await load(wasm)
    const file = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
    assert.equal(file.kind, 'conversation')
    assert.ok(file.conversations.length > 0)
    for (const { about, steps } of file.conversations) follow(new Run(module, core), steps, about)
}]))

function follow(run, steps, about) {
    let state = run.state
    steps.forEach((step, index) => {
        const location = `${about}, step ${index}`
        const outcome = run.happen(step)
        state = { ...state, ...step.state }
        assert.deepEqual(outcome.lines, step.out, `${location}: lines`)
        assert.deepEqual(outcome.view, step.view ?? [], `${location}: view`)
        assert.equal(outcome.retryAfter, step.retryAfter, `${location}: retryAfter`)
        assert.deepEqual(run.state, state, `${location}: state`)
        assert.equal(run.view, run.state.text, `${location}: the text of a view`)
    })
}

/** A document in a conversation. */
class Run {
    #module
    #core
    #ids = new RequestIDs()
    #document
    #openID
    view = ''

    constructor(module, core) {
        this.#module = module
        this.#core = core
        this.#document = new DocumentState(new Replica(module), 'notes', { ids: this.#ids })
    }

    /** Runs a step. The clock stands still, so a delay is the moment of the retry. */
    happen(step) {
        this.#document.retryAt = null
        const outcome = { lines: [], view: [], retryAfter: undefined }
        for (const action of this.#actions(step)) this.#note(action, outcome)
        outcome.retryAfter = this.#document.retryAt ?? undefined
        return outcome
    }

    #actions(step) {
        const document = this.#document
        if (step.type) return document.typed(step.type, 0)
        if (step.select) return document.selected(step.select, 0)
        if (step.connect) return document.welcomed(0)
        if (step.cut) return document.disconnected(0)
        if (step.wait) {
            document.retryAt = 0
            return document.timePassed(0)
        }
        if (step.retry) return document.retried(0)
        if (step.discard) return document.discarded(0)
        if (step.restart) return this.#restart()
        // In these files, an error without a `seq` answers an open, as `opened` does.
        const answersOpen = step.in.type === 'opened' || (step.in.type === 'error' && step.in.seq === undefined)
        const message = answersOpen ? { ...step.in, id: this.#openID } : step.in
        return document.isAddressed(message) ? document.received(message, 0) : []
    }

    #restart() {
        const keepsake = this.#document.replica.keepsake
        this.#document.replica.free()
        const replica = new Replica(this.#module, keepsake ? { keepsake } : {})
        this.#document = new DocumentState(replica, 'notes', { ids: this.#ids })
        this.view = replica.text
        return []
    }

    #note(action, outcome) {
        if (action.do === 'send') {
            if (action.message.type === 'open') this.#openID = action.id
            return outcome.lines.push(JSON.parse(JSON.stringify(action.message)))
        }
        if (action.update.type !== 'change') return
        this.view = applyEdits(this.view, action.update.edits)
        if (!action.update.own) outcome.view = this.#core.compose(outcome.view, action.update.edits)
    }

    get state() {
        const { replica } = this.#document
        const { position, saving, selections } = replica.state
        return {
            text: replica.text, committed: replica.committed, position, inFlight: replica.inFlight,
            unsent: replica.unsent, selections, peers: replica.peers, saving: saving.state,
            refused: saving.code ?? null,
        }
    }
}
