// The session of the extension for VS Code: what it sends and applies after each event.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from '../NodeSupport/suite.mjs'

const { Session } = createRequire(import.meta.url)('../../Clients/editors/vscode/session.js')

/** A session whose editor shows this text. */
function live(text, shown = text) {
    const session = new Session('a')
    session.received({ type: 'opened', name: 'a', text })
    const actions = session.attached(shown)
    return { session, actions }
}

const at = (character, line = 0) => ({ line, character })
const typed = (character, text, line = 0) => ({ start: at(character, line), end: at(character, line), text })
const changed = (number, after, ...edits) => ({ type: 'changed', number, after, edits })
const edit = (start, end, text) => ({ range: [start, end], text })
const sent = (message) => ({ do: 'send', message })
const change = (seen, ...edits) => sent({ type: 'change', seen, edits })

export async function testSession() {
    await test('a change of the user is sent, and a change of others is applied and confirmed', () => {
        const { session } = live('one\ntwo')
        assert.deepEqual(session.edited([typed(3, '!', 1)], 'one\ntwo!'), [change(0, edit(7, 7, '!'))])
        const edits = [edit(8, 8, '?'), edit(0, 1, '')]
        assert.deepEqual(session.received(changed(1, 1, ...edits)), [{ do: 'apply', edits: [edits[1], edits[0]] }])
        assert.deepEqual(session.edited([], 'ne\ntwo!?'), [])
        assert.deepEqual(session.applied(true), [sent({ type: 'applied', number: 1 })])
        assert.equal(session.text, 'ne\ntwo!?')
    })

    await test('a change that was made before the last key is dropped', () => {
        const { session } = live('x')
        session.edited([typed(0, 'a')], 'ax')
        assert.deepEqual(session.received(changed(1, 0, edit(0, 0, 'b'))), [])
        assert.equal(session.text, 'ax')
    })

    await test('if both type the same letter, VS Code\'s answer decides whose it is', () => {
        for (const isDone of [true, false]) {
            const { session } = live('x')
            session.received(changed(1, 0, edit(0, 0, 'a')))
            assert.deepEqual(session.edited([typed(0, 'a')], 'ax'), [])
            const expected = isDone ? sent({ type: 'applied', number: 1 }) : change(0, edit(0, 0, 'a'))
            assert.deepEqual(session.applied(isDone), [expected])
        }
    })

    await test('what happens while edits are applied keeps its order', () => {
        const { session } = live('x')
        session.received(changed(1, 0, edit(0, 0, 'a')))
        session.edited([typed(0, 'a')], 'ax')
        session.edited([typed(2, 'b')], 'axb')
        session.asked('undo')
        assert.deepEqual(session.selected([[at(3), at(3)]]), [])
        assert.deepEqual(session.applied(true), [
            sent({ type: 'applied', number: 1 }), change(1, edit(2, 2, 'b')), sent({ type: 'undo' }),
            sent({ type: 'select', selections: [[3, 3]] }),
        ])
    })

    await test('edits that VS Code refuses without a reason are applied again, but not forever', () => {
        const { session } = live('x')
        const [apply] = session.received(changed(1, 0, edit(0, 0, 'a')))
        for (let count = 0; count < 19; count++) assert.deepEqual(session.applied(false), [apply])
        const actions = session.applied(false)
        assert.deepEqual(actions.map((action) => action.do), ['state', 'warn', 'end'])
        assert.match(actions[1].message, /a: no longer live, because VS Code does not apply the changes of others; copy/)
        assert.deepEqual(session.edited([typed(0, 'b')], 'bx'), [])
    })

    await test('if something changes the edits on their way, the rest is a change of the user', () => {
        const { session } = live('x')
        session.received(changed(1, 0, edit(1, 1, ' a')))
        session.edited([typed(1, 'a')], 'xa')
        assert.deepEqual(session.applied(true), [sent({ type: 'applied', number: 1 }), change(1, edit(1, 2, ''))])
        assert.equal(session.text, 'xa')
    })

    await test('a text that VS Code has restored is replaced, and keys before that are kept', () => {
        const { session, actions } = live('one two three', 'one 2 three')
        assert.deepEqual(actions, [{ do: 'apply', edits: [edit(4, 5, 'two')] }])
        session.edited([typed(11, '!'), typed(0, '>')], '>one 2 three!')
        assert.deepEqual(session.applied(false), [
            change(0, edit(0, 0, '>'), edit(13, 13, '!')), { do: 'apply', edits: [edit(5, 6, 'two')] },
        ])
        session.edited([typed(5, '')], '>one two three!')
        assert.deepEqual(session.applied(true), [])
        assert.equal(session.text, '>one two three!')
    })

    await test('keys in a text that is about to be replaced delete nothing of the new one', () => {
        const old = 'one 22222 three'
        for (const [start, end, expected] of [
            [5, 7, edit(7, 7, '!')], [2, 7, edit(2, 4, '!')], [7, 11, edit(7, 9, '!')], [4, 6, edit(4, 4, '!')],
        ]) {
            const { session } = live('one two three', old)
            session.edited([{ start: at(start), end: at(end), text: '!' }], `${old.slice(0, start)}!${old.slice(end)}`)
            assert.deepEqual(session.applied(false)[0], change(0, expected))
        }
    })

    await test('several carets send several edits, in ascending order', () => {
        const { session } = live('a\nb\n')
        assert.deepEqual(session.edited([typed(1, '!', 1), typed(1, '!')], 'a!\nb!\n'), [
            change(0, edit(1, 1, '!'), edit(3, 3, '!')),
        ])
    })

    await test('an edit never splits a character', () => {
        const { session } = live('😀')
        const half = { start: at(1), end: at(2), text: '😁'[1] }
        assert.deepEqual(session.edited([half], '😁'), [change(0, edit(0, 2, '😁'))])
        assert.deepEqual(session.selected([[at(1), at(1)]]), [])
    })

    await test('CR LF and CR are the same as LF', () => {
        const { session, actions } = live('a\nb', 'a\r\nb')
        assert.deepEqual(actions, [])
        assert.deepEqual(session.edited([typed(1, '\r\nc\rd', 1)], 'a\r\nb\r\nc\r\nd'), [change(0, edit(3, 3, '\nc\nd'))])
        assert.deepEqual(session.edited([{ start: at(0), end: at(1, 3), text: 'a\nb\nc\nd' }], 'a\nb\nc\nd'), [])
    })

    await test('carets of others are shown only if they fit the text, and a selection is sent once', () => {
        const { session } = live('abc')
        assert.deepEqual(session.selected([[at(1), at(99)]]), [sent({ type: 'select', selections: [[1, 3]] })])
        assert.deepEqual(session.selected([[at(1), at(3)]]), [])
        const peers = (number, after) => session.received({ type: 'peers', number, after, peers: [] })
        assert.deepEqual(peers(0, 0), [{ do: 'peers', peers: [] }])
        assert.deepEqual([peers(1, 0), peers(0, 1)], [[], []])
    })

    await test('the user is warned once when the server is away, and when edits cannot be kept', () => {
        const { session } = live('')
        const state = (word, kept) => session.received({ type: 'state', state: word, kept, message: 'why' }).map((action) => action.do)
        assert.deepEqual(state('offline', true), ['state', 'warn'])
        assert.deepEqual(state('offline', true), ['state'])
        assert.deepEqual(state('sending', false), ['state', 'warn'])
        assert.deepEqual(state('saved', false), ['state'])
    })
}
