// A tab of the random typing: a textarea that is bound to one document after the other. It records what its user has
// done, without asking the client that is under test. The address names the server, the port of the tab's own link,
// and a fault that the tab has on purpose.
import { browserKeeping } from '/caret/browser-keeping.js'
import { Caret } from '/caret/caret.js'
import { webSocket } from '/caret/web-socket.js'

const parameters = new URLSearchParams(location.search)
const link = new URL(`http://127.0.0.1:${parameters.get('link')}`)
const fault = parameters.get('fault')
const field = document.querySelector('#field')

/** The document of the round; null between rounds. */
let shared = null
let binding = null
/** What a program sees that starts with `text` and applies the edits of all 'change' events. */
let view = ''
/** What the user has done: { inserted, deleted, isKept }. `isKept` means that the edits must survive this tab. */
let events = []
/** The characters in pushes that the server has acked. */
let acked = []
/** What the field shows since its last change, by the user or a script. */
let shown = ''

/** Each character of the users is unique, except the line ends. */
const tokens = (text) => [...text].filter((character) => character !== '\n')

function record(before, after) {
    if (before === after) return
    events.push({ inserted: more(before, after), deleted: more(after, before), isKept: false })
}

/** The characters that are more often in the second text than in the first, in their order. */
function more(first, second) {
    const counts = new Map()
    for (const token of tokens(first)) counts.set(token, (counts.get(token) ?? 0) + 1)
    return tokens(second).filter((token) => {
        const count = counts.get(token) ?? 0
        counts.set(token, count - 1)
        return count <= 0
    })
}

// What a script sets is not the user's.
const { get, set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
const { setRangeText } = HTMLTextAreaElement.prototype
Object.defineProperty(field, 'value', {
    get,
    set(value) {
        set.call(field, value)
        shown = field.value
    },
})
field.setRangeText = (...call) => {
    setRangeText.apply(field, call)
    shown = field.value
}

// This listener runs before that of the binding.
addEventListener('input', () => {
    record(shown, field.value)
    shown = field.value
}, true)

/** A WebSocket over the link of this tab, which records the acks. */
function transport() {
    const socket = webSocket(link)
    const sent = new Map()
    let received
    return {
        start(listener) {
            received = listener.received
            socket.start({ ...listener, received: (line) => (noteAck(line, sent), received(line)) })
        },
        send(line) {
            const message = JSON.parse(line)
            if (message.type !== 'push') return socket.send(line)
            const { doc, seq, base } = message
            sent.set(`${doc} ${seq}`, message.edits.flatMap(({ text }) => tokens(text)))
            if (fault !== 'drops') return socket.send(line)
            // The push does not arrive, but it is acked.
            setTimeout(() => {
                const ack = JSON.stringify({ type: 'ack', doc, seq, rev: base + 1 })
                noteAck(ack, sent)
                received(ack)
            })
        },
        close() { socket.close() },
    }
}

function noteAck(line, sent) {
    if (!line.includes('"ack"')) return
    const { type, doc, seq } = JSON.parse(line)
    if (type === 'ack') acked.push(...sent.get(`${doc} ${seq}`) ?? [])
}

/** The storage of the browser, with the fault of this tab. */
function keeping() {
    const storage = browserKeeping()
    if (fault !== 'forgets' && fault !== 'renames') return storage
    return {
        list: async (server) => fault === 'forgets' ? []
            : (await storage.list(server)).map((one) => ({ ...one, client: `${one.client}-again` })),
        put: (keepsake) => storage.put(keepsake),
        remove: (key) => storage.remove(key),
        lock: (...call) => storage.lock(...call),
    }
}

/** Where the user clicks: an offset between whole characters, at so many thousandths of the text. */
function offsetAt(thousandths) {
    const offset = Math.floor(thousandths * (field.value.length + 1) / 1000)
    return /^[\udc00-\udfff]/.test(field.value.slice(offset)) ? offset - 1 : offset
}

/** Selects so many characters. */
function select(at, count) {
    const start = offsetAt(at)
    field.setSelectionRange(start, start + [...field.value.slice(start)].slice(0, count).join('').length)
}

/** Presses a key with Control. The binding must handle it at once. */
function pressControl(key) {
    const before = field.value
    field.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: true, bubbles: true, cancelable: true }))
    record(before, field.value)
}

/** Does one step of the plan, as far as a script can do it. */
globalThis.act = ({ kind, at, count = 0, text }) => {
    noteKept()
    if (at !== undefined) select(at, count)
    if (kind === 'type') document.execCommand('insertText', false, text)
    if (kind === 'erase') document.execCommand('delete')
    if (kind === 'undo') pressControl('z')
    if (kind === 'redo') pressControl('y')
    noteKept()
}

function noteKept() { if (shared?.isKept) for (const event of events) event.isKept = true }

globalThis.beginRound = (name) => {
    [events, acked] = [[], []]
    shared = caret.open(name, { create: true })
    view = shared.text
    shared.addEventListener('change', ({ edits }) => {
        for (const { range: [start, end], text } of [...edits].reverse()) view = view.slice(0, start) + text + view.slice(end)
    })
    binding = shared.bind(field)
    field.focus()
}

globalThis.endRound = async () => {
    binding.release()
    const closed = shared.close()
    shared = null
    field.value = ''
    await closed
}

/** What the user has done in this tab until now. */
globalThis.report = () => {
    noteKept()
    return { events, acked }
}

/** What the tab shows, and whether the server has everything. Connects at once if the tab waits for that. */
globalThis.look = () => {
    if (caret.link.state === 'waiting') caret.reconnect()
    noteKept()
    const { link, keepingError } = caret
    const states = { link: link.state, saving: shared.saving.state, isKept: shared.isKept, keeping: keepingError?.message }
    return { ...states, field: field.value, text: shared.text, view }
}

/** The states of the unsaved edits of a document on this device. */
globalThis.keptStates = async (name) => {
    const kept = await caret.kept()
    return kept.filter((one) => one.name === name).map((one) => one.state)
}

const caret = await Caret.connect(parameters.get('server'), { transport, keep: keeping() })
setInterval(noteKept, 5)
document.title = 'ready'
