// What the editor says and computes, without a page.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { LeftDocuments } from '../../Sources/CaretPage/page/open-documents.js'
import { lineNumber, PeopleState } from '../../Sources/CaretPage/page/people-state.js'
import { namesWords } from '../../Sources/CaretPage/page/people-words.js'
import { scrollToReveal } from '../../Sources/CaretPage/page/reveal-scroll.js'
import { SavingDisplay, pages, situationOf } from '../../Sources/CaretPage/page/saving-state.js'
import { actionLabels, bannerFor, pageFor, reasonOf } from '../../Sources/CaretPage/page/saving-words.js'
import { mostEdits, unsavedParts } from '../../Sources/CaretPage/page/unsaved-parts.js'
import { refusals } from '../../Clients/javascript/replica.js'
import { errorCodes } from '../../Clients/javascript/protocol.js'

const start = 1_000_000

/** Facts for `SavingDisplay`. `since` is in milliseconds after `start`. */
function facts(state, { since = 0, code, link = { state: 'online' }, ...rest } = {}) {
    return {
        saving: { state, code, since: new Date(start + since) }, rights: 'write', link, hasText: state !== 'opening',
        gone: null, hasToken: false, error: null, unsaved: 0, isKept: false, limits: undefined, ...rest,
    }
}

const waiting = (after) => ({ state: 'waiting', until: new Date(start + after) })

/** The situation with its banner and its page; null for each that it does not have. */
function notices(facts, now = start) {
    const situation = situationOf(facts)
    return { situation, banner: bannerFor(situation, facts, now), page: pages.has(situation) ? pageFor(situation, facts) : null }
}

/** Runs a display: for each [time, facts], what it shows as 'words', in parentheses if only the mark is visible. */
function shown(steps) {
    const display = new SavingDisplay()
    return steps.map(([time, one]) => {
        const { words, isQuiet } = display.update(one, start + time).status
        return isQuiet ? `(${words})` : words
    })
}

const bob = { session: 's1', client: 'c1', user: 'bob', name: 'Bob', selections: [[3, 3]] }
const eve = { session: 's2', client: 'c2', user: 'eve', selections: [] }

const people = {
    'whoever types is found by their caret'() {
        const state = new PeopleState()
        state.update([bob, eve], 0)
        assert.deepEqual(state.rows(100).map((row) => [row.isTyping, row.offset]), [[false, 3], [false, null]])
        const moved = { ...bob, selections: [[5, 5]] }
        state.changed([{ range: [0, 1], text: '' }, { range: [4, 4], text: 'no' }], [moved, eve], 1000)
        state.update([moved, eve], 1000)
        assert.deepEqual(state.rows(2999).map((row) => row.isTyping), [true, false])
        assert.deepEqual(state.rows(3000).map((row) => row.isTyping), [false, false])
        // A change that ends elsewhere is by somebody else.
        state.changed([{ range: [0, 0], text: 'no' }], [moved], 9000)
        assert.equal(state.rows(9000)[0].isTyping, false)
        assert.deepEqual([state.rows(60_999)[0].idle, state.rows(181_000)[0].idle], ['', '3\u00a0minutes ago'])
    },

    'people who come and go are told once, together'() {
        const state = new PeopleState()
        state.update([bob], 0)
        assert.equal(state.newsAt, null)
        state.update([bob, eve], 1000)
        state.update([eve], 3000)
        assert.deepEqual([state.newsAt, state.takeNews(5999)], [6000, null])
        assert.equal(state.takeNews(6000), 'eve has joined. Bob has left.')
        assert.deepEqual([state.newsAt, state.takeNews(9000)], [null, null])
        // Somebody who reconnects at once is no news, nor is everybody when the own connection is cut.
        state.update([], 10_000, { isOnline: false })
        state.update([{ ...eve, session: 's9' }], 11_000)
        assert.equal(state.newsAt, null)
        state.update([], 12_000)
        state.update([{ ...eve, session: 's10' }], 13_000)
        assert.equal(state.takeNews(17_000), null)
    },

    'several names are one sentence'() {
        const names = (...all) => namesWords(all)
        assert.deepEqual([names('A'), names('A', 'B'), names('A', 'B', 'C'), names('A', 'B', 'C', 'D')],
            ['A', 'A and B', 'A, B and C', 'A, B and 2 others'])
        assert.deepEqual([0, 2, 3, 4, 9].map((offset) => lineNumber('ab\n\nc', offset)), [1, 1, 2, 3, 3])
    },
}

/** A document as `LeftDocuments` sees it. */
class FakeDocument extends EventTarget {
    saving = { state: 'saved' }
    unsaved = []
    closings = 0
    close() {
        this.closings++
        this.dispatchEvent(new Event('closed'))
    }
    become(state, unsaved) {
        [this.saving, this.unsaved] = [{ state }, unsaved]
        this.dispatchEvent(new Event('saving'))
    }
}

const left = {
    async 'a document that no screen shows stays open until it is saved'() {
        const all = new LeftDocuments()
        const [offline, twice, refused, saved] = Array.from({ length: 4 }, () => new FakeDocument())
        offline.become('offline', [1])
        refused.become('refused', [1])
        // The last one is also the last one that may be closed.
        for (const one of [offline, twice, refused, twice, saved]) all.leave(one)
        assert.equal(all.mayLose, true)
        await once(saved, 'closed')
        assert.deepEqual([saved, twice, offline, refused].map((one) => one.closings), [1, 2, 0, 0])
        offline.become('saved', [])
        refused.isKept = true
        assert.equal(all.mayLose, false)
        await once(offline, 'closed')
        assert.deepEqual([offline.closings, refused.closings], [1, 0])
    },

    async 'a document whose client was closed is left alone, because the page is loaded again'() {
        const all = new LeftDocuments()
        const [closed, saved] = [new FakeDocument(), new FakeDocument()]
        all.leave(closed)
        all.leave(saved)
        Object.defineProperty(closed, 'saving', { get() { throw new Error('agenda is closed') } })
        // Its timer ends before that of the other one.
        await once(saved, 'closed')
        assert.deepEqual([closed.closings, all.mayLose], [0, false])
    },
}

export const cases = {
    'the state of saving is said in time, and fades'() {
        const sending = facts('sending', { since: 3000 })
        assert.deepEqual(shown([
            [0, facts('opening')], [100, facts('saved', { since: 100 })], [2099, facts('saved', { since: 100 })],
            [2100, facts('saved', { since: 100 })], [3000, sending], [3299, sending], [3300, sending],
            [7999, sending], [8000, sending], [9000, facts('saved', { since: 9000 })], [11_000, facts('saved', { since: 9000 })],
        ]), [
            'Opening\u2026', 'Saved', 'Saved', '(Saved)', '(Saved)', '(Saved)', 'Saving\u2026', 'Saving\u2026',
            'Still saving\u2026', 'Saved', '(Saved)',
        ])
    },

    'nothing blinks while edits are saved at once'() {
        const steps = [[0, facts('saved')], [5000, facts('saved')]]
        for (let time = 5000; time < 8000; time += 100) {
            steps.push([time, facts('sending', { since: time })], [time + 50, facts('saved', { since: time + 50 })])
        }
        assert.deepEqual([...new Set(shown(steps).slice(1))], ['(Saved)'])
    },

    'each state wakes the editor for its next change'() {
        const wake = (one, time, before = []) => {
            const display = new SavingDisplay()
            for (const [when, earlier] of before) display.update(earlier, start + when)
            return display.update(one, start + time).wakeIn
        }
        assert.equal(wake(facts('sending'), 100), 200)
        assert.equal(wake(facts('sending'), 1000), 4000)
        assert.equal(wake(facts('sending'), 6000), null)
        assert.equal(wake(facts('saved'), 500, [[0, facts('saved')]]), 1500)
        assert.equal(wake(facts('saved'), 2500, [[0, facts('saved')]]), null)
        assert.equal(wake(facts('offline', { link: waiting(4300) }), 1000), 300)
        assert.equal(wake(facts('offline', { link: waiting(4000) }), 1000), 1000)
        assert.equal(wake(facts('offline', { link: { state: 'connecting' } }), 100), 500)
    },

    'the rest of the page is needed as soon as there is more to say'() {
        const isUrgent = (time, link) => new SavingDisplay().update(facts('opening', { link }), start + time).isUrgent
        assert.deepEqual([isUrgent(9000), isUrgent(599, waiting(9000)), isUrgent(600, waiting(9000))], [false, false, true])
        assert.equal(new SavingDisplay().update(facts('saved'), start).isUrgent, true)
    },

    'the banner says what offline means, and counts down'() {
        const banner = (time, fields) => notices(facts('offline', fields), start + time).banner
        assert.equal(banner(599, { link: waiting(9000) }), null)
        const { sentence, detail, actions } = banner(5001, { link: waiting(9000), unsaved: 1, isKept: true })
        assert.deepEqual([sentence, detail, actions], ['Offline. Kept on this device.', 'Next attempt in 4\u00a0s', ['now']])
        assert.match(banner(900, { link: waiting(9000), unsaved: 2 }).sentence, /Keep this tab open/)
        assert.doesNotMatch(banner(900, { link: waiting(9000) }).sentence, /Keep/)
        const connecting = banner(900, { link: { state: 'connecting' } })
        assert.deepEqual([connecting.detail, connecting.actions], ['Connecting\u2026', []])
        // The moment of the attempt may have passed.
        assert.equal(banner(900, { link: waiting(0) }).detail, 'Next attempt in 1\u00a0s')
    },

    'a refusal says how many changes are not saved, and why'() {
        const banner = (code, fields) => notices(facts('refused', { code, ...fields })).banner
        const error = { code: 'too_large', message: 'no' }
        assert.equal(banner('too_large', { unsaved: 1, error, limits: { document: 4 << 20 } }).sentence,
            '1\u00a0change is not saved. The document would be larger than the server allows. The limit is 4\u00a0MiB.')
        assert.match(banner('forbidden', { unsaved: 1200 }).sentence, /^1,200\u00a0changes are not saved\. You may only read/)
        assert.deepEqual(banner('forbidden', { unsaved: 3 }).actions, ['show', 'copy', 'retry', 'discard'])
        assert.deepEqual(banner('bad_text', { unsaved: 0 }).actions, ['retry'])
    },

    'every error code has a sentence'() {
        for (const code of new Set([...errorCodes, ...refusals])) {
            const sentence = reasonOf(facts('refused', { code, error: { code, message: `the server said ${code}` } }))
            assert.match(sentence, /^[A-Z].{8,}\.$/, code)
            assert.match(reasonOf(facts('refused', { code })), /^[A-Z].{8,}\.$/, code)
        }
        assert.match(reasonOf(facts('refused', { code: 'forbidden', error: { code: 'too_large', message: '' } })), /only read/)
        // The words of the server count more than the class of its refusal.
        assert.match(reasonOf(facts('refused', { code: 'other', error: { code: 'bad_name', message: '' } })), /not a name/)
    },

    'if saving takes long, a banner says why'() {
        const banner = (time, code) => notices(facts('sending', { code, unsaved: 2 }), start + time).banner
        assert.equal(banner(9000), null)
        assert.equal(banner(4999, 'storage_full'), null)
        const { sentence, actions } = banner(5000, 'storage_full')
        assert.equal(sentence, '2\u00a0changes are not saved. The server\u2019s disk is full. It will continue by itself when there is room.')
        assert.deepEqual(actions, ['copy'])
        assert.match(banner(5000, 'overloaded').sentence, /too much to do/)
    },

    'what is gone is a page without a text, and a banner with one'() {
        const of = (code, fields) => notices(facts('refused', { code, ...fields }))
        for (const code of ['not_found', 'damaged', 'bad_name']) {
            const { page, banner } = of(code, { hasText: false })
            assert.ok(page.title && banner === null, code)
        }
        assert.deepEqual(of('not_found', { hasText: false }).page.actions, ['create'])
        const deleted = of('not_found', { gone: 'deleted' })
        assert.deepEqual([deleted.page, deleted.banner.actions], [null, ['copy', 'bringBack']])
        assert.match(deleted.banner.sentence, /^This document was deleted\. Its last/)
        assert.match(of('not_found', { gone: 'deleted', hasToken: true }).banner.sentence, /or you may no longer read it/)
        assert.deepEqual(of('too_large', { gone: 'deleted', unsaved: 1 }).banner.actions, ['copy', 'bringBack'])
        assert.equal(of('too_large', { gone: 'damaged', unsaved: 1 }).situation, 'damaged')
        assert.match(of('not_found').banner.sentence, /or you may no longer read it/)
        assert.match(of('not_found', { unsaved: 2 }).banner.sentence, /2\u00a0changes are not saved, but the text is still here/)
        assert.equal(of('damaged').page, null)
    },

    'the end of the connection is said, with a way on'() {
        const ended = (reason, unsaved = 0) => {
            const one = facts('offline', { link: { state: 'ended', reason }, unsaved })
            return { ...new SavingDisplay().update(one, start), ...notices(one) }
        }
        assert.deepEqual(ended('unauthorized', 1).banner.actions, ['copy', 'signIn'])
        assert.deepEqual(ended('replaced').banner.actions, ['reload'])
        assert.equal(ended('trapped').page.hasText, true)
        assert.equal(ended('revoked').status.words, 'Signed out')
    },

    'read only is a state of its own, and all actions have labels'() {
        assert.equal(situationOf(facts('saved', { rights: 'read' })), 'reading')
        assert.equal(shown([[0, facts('saved', { rights: 'read' })], [9000, facts('saved', { rights: 'read' })]])[1],
            'You may only read this')
        assert.ok(Object.values(actionLabels).every((label) => /^[A-Z]/.test(label)))
    },

    'unsaved edits are marked in the text around them'() {
        const words = (...call) => unsavedParts(...call).map(({ kind, text, length }) =>
            ({ inserted: `+${text}`, removed: `-${text || length}`, same: text, skipped: '~' })[kind])
        const edits = [{ range: [4, 7], text: 'green' }, { range: [9, 9], text: '!' }]
        assert.deepEqual(words(edits, 'The green a!b', 'The red ab'), ['The ', '-red', '+green', ' a', '+!', 'b'])
        assert.deepEqual(words(edits, 'The green a!b', null), ['The ', '-3', '+green', ' a', '+!', 'b'])
        assert.deepEqual(words([], 'abc', 'abc'), [])
        const long = 'x'.repeat(500)
        const [first, second, ...rest] = words([{ range: [500, 500], text: 'A' }], `${long}A${long}`, long + long)
        assert.deepEqual([first, second.length, rest[0], rest[1].length, rest[2]], ['~', 80, '+A', 80, '~'])
        // The border of what is left out may not split an emoji.
        const emoji = unsavedParts([{ range: [0, 0], text: 'A' }], `A${'x'.repeat(79)}${'😀'.repeat(40)}`, '')
        assert.ok(emoji.every(({ text }) => text.isWellFormed?.() ?? true) && emoji[1].text.length === 79)
        const many = Array.from({ length: mostEdits + 9 }, (_, at) => ({ range: [at, at], text: 'i' }))
        assert.equal(unsavedParts(many, 'ix'.repeat(mostEdits + 9), null).filter(({ kind }) => kind === 'inserted').length, mostEdits)
    },

    'a line is scrolled into the view, and no further'() {
        const at = (top, ...more) => scrollToReveal({ scrollTop: 100, height: 200, top, line: 20, before: 10, after: 10 }, ...more)
        assert.deepEqual([at(150), at(105), at(280), at(271), at(270)], [100, 95, 110, 101, 100])
        assert.deepEqual([at(500, true), at(0, true), at(150, true)], [410, 0, 100])
    },
    ...people, ...left,
}
