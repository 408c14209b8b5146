// An app in React that a test drives from outside: react.mjs. `app.show` says which components are mounted.
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { flushSync } from 'react-dom'
import { Caret } from '@caret-text/client/inline'
import { webSocket } from '@caret-text/client/web-socket.js'
import { App } from './react-components.jsx'

const [server] = location.hash.slice(1).split('|')
/** What the client has sent, and how often it has connected. While `isHeld`, nothing is sent. */
const wire = { sockets: 0, sent: [], isHeld: false, waiting: [], cut: null }

function transport(url) {
    wire.sockets++
    const socket = webSocket(url)
    wire.cut = () => socket.close()
    return {
        start: (events) => socket.start(events),
        close: () => socket.close(),
        send(line) {
            wire.sent.push(JSON.parse(line).type)
            if (wire.isHeld) wire.waiting.push(() => socket.send(line))
            else socket.send(line)
        },
    }
}

/** Sends what waits. */
function release() {
    wire.isHeld = false
    for (const send of wire.waiting.splice(0)) send()
}

// Nothing is kept on the device, so that a letter that is lost stays lost.
const connect = () => Caret.connect(server, { transport, keep: false })
const element = document.querySelector('#root')
const page = (fields, key = 0) => <StrictMode><App key={key} client={connect} fields={fields} /></StrictMode>
let root = null

globalThis.app = {
    wire,
    release,
    /** Mounts these fields: [name of the document, key] each. Another `key` of the app mounts all of it again. */
    show(fields, key) {
        root ??= createRoot(element)
        flushSync(() => root.render(page(fields, key)))
    },
    unmount: () => flushSync(() => root.unmount()),
    hydrate(fields) { root = hydrateRoot(element, page(fields)) },
    /** Enters a text where the user is in the field of this key. Returns whether the field has taken it. */
    type(key, text, offset) {
        const field = document.getElementById(key)
        if (!field || field.readOnly) return false
        field.focus()
        if (offset !== undefined) field.setSelectionRange(offset, offset)
        return document.execCommand('insertText', false, text) && field.value.includes(text)
    },
}
