// A program for Node that uses the whole interface of the client. It is only type-checked: types.mjs says how.
// Each line below '@ts-expect-error' is a mistake that the compiler must find.
import { Caret, CaretDocument, CaretError, Edit, Keeping, Peer, connect, lines } from '../../../Clients/javascript/caret-node.js'
import { webSocket } from '../../../Clients/javascript/web-socket.js'

const keep: Keeping = {
    async list(server) { return [] },
    async put({ server, client, number, name, bytes }) {},
    async remove({ number }) {},
    async lock(server, client, { wait, lost }) { return wait > 0 ? lost : null },
}
const caret: Caret = await connect('127.0.0.1', 22738, { name: 'Ann', color: '#c33', client: 'client-1', keep })
await connect()
await Caret.connect(new URL('http://127.0.0.1:22738'), { transport: lines('127.0.0.1', 22738), keep: false, token: '' })
await Caret.connect('http://127.0.0.1:22738', { transport: webSocket, wasm: new Uint8Array() })
await Caret.connect(['http://a:22738', new URL('http://b:22738')], { shuffle: false })
await connect(['a', 'b:7', '[::1]:7'], { token: '' })
// @ts-expect-error
await connect(['a', 'b'], 22738)
// @ts-expect-error
await Caret.connect('http://a:22738', { shuffle: 'no' })
// @ts-expect-error
await Caret.connect({ port: 22738 })
// @ts-expect-error
new Caret()

caret.addEventListener('link', ({ link }) => { if (link.state === 'waiting') link.until?.getTime() })
caret.addEventListener('signedOut', ({ reason }) => { reason.length }, { once: true })
caret.addEventListener('keeping', ({ error }) => { error?.code })
caret.addEventListener('kept', async () => {
    for (const entry of await caret.kept()) {
        if (entry.state === 'waiting' && entry.since < new Date()) (await caret.forget(entry)) === true
    }
})
// @ts-expect-error
caret.addEventListener('link', ({ saving }) => {})

const document: CaretDocument = caret.open('agenda', { create: true, watch: false })
document.addEventListener('change', ({ edits, own }) => { if (!own) edits[0].range[0] + edits[0].text.length })
document.addEventListener('saving', ({ saving }) => { if (saving.state === 'refused') saving.code?.length })
document.addEventListener('peers', ({ peers }) => { peers.map((peer: Peer) => peer.selections[0][1]) })
document.addEventListener('rights', ({ rights }) => { rights === 'write' })
document.addEventListener('renamed', (event) => {})
// @ts-expect-error
document.addEventListener('change', ({ peers }) => {})
await document.opened()
document.edit([{ range: [0, 0], text: 'a' }])
// @ts-expect-error
document.edit([{ range: [0], text: 'a' }])
// @ts-expect-error
document.text = 'b'
document.replaceText('b')
document.append('c')
document.select([[0, 1]])
if (document.canUndo) document.undo()
if (document.canRedo) document.redo()
document.retry()
document.discard()
const facts: [string, number, number, boolean, boolean, Edit[]] = [
    document.name, document.length, document.revision, document.isKept, document.isRestored, document.unsaved,
]
await document.saved()
await document.close()

const { docs, more } = await caret.list({ prefix: 'notes/', after: facts[0], limit: 10 })
if (!more) docs[0].updated.getTime()
const stop: () => void = caret.follow('notes/', (event) => {
    if (event.type === 'document') event.revision
    if (event.type === 'gone') event.to?.length
    // @ts-expect-error
    if (event.type === 'complete') event.name
})
stop()
const { text, newline } = await caret.read('agenda', { at: new Date() })
newline === 'crlf'
for await (const { revision, edits } of caret.history('agenda', { after: 3, edits: true })) edits?.[revision]
await caret.restore('agenda', 3)
await caret.tag('agenda', 3, 'draft')
for (const { name, revision, user, time } of await caret.tags('agenda')) name + user + revision.toFixed() + time.getTime()
await caret.untag('agenda', 'draft')
const notes = await caret.notes('agenda')
const { count, notes: listed } = await notes.list()
await notes.add('Why?', { range: [0, 2], revision: 3 })
const suggested = await notes.suggest([{ range: [0, 1], text: 'x' }], { revision: 3 })
await notes.accept(suggested)
for (const note of listed) await notes.resolve(note)
;(await notes.list({ since: count })).notes[0]?.time.getTime()
// @ts-expect-error
await notes.resolve(7)
await caret.rename('agenda', 'notes/agenda')
await caret.delete('notes/agenda').catch((error: CaretError) => { error.retryAfter?.toFixed(0) })
const moved: number = caret.core.mapCaret(0, caret.core.diff(text, 'd'))
caret.core.convert(text, moved, 'utf-8', 'utf-16')
// @ts-expect-error
caret.core.convert(text, moved, 'utf-8', 'utf-7')
caret.limits?.pushes_per_second?.toFixed(0)
caret.server.host.length
caret.reconnect()
await caret.close()
