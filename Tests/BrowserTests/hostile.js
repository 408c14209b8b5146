// The script of a page of another site. By every means that a browser offers, it tries to read the document `diary`
// of a server on the user's machine, and to change documents there.
//
// Each attempt gets the URL of the server and a text to write. It returns what it could read, or null.

const asText = { 'Content-Type': 'text/plain' }

const attempts = {
    'GET': async (server) => (await fetch(`${server}/docs/diary`)).text(),
    'GET with a field': async (server) =>
        (await fetch(`${server}/docs/diary`, { headers: { 'If-None-Match': '"another/1"' } })).text(),
    'GET without CORS': async (server) => (await fetch(`${server}/docs/diary`, { mode: 'no-cors' })).text(),
    'POST': async (server, text) => (await fetch(`${server}/append/diary`, { method: 'POST', body: text })).text(),
    'POST without CORS': async (server, text) =>
        (await fetch(`${server}/append/diary`, { method: 'POST', body: text, mode: 'no-cors' })).text(),
    'PUT': async (server, text) => (await fetch(`${server}/docs/diary`, {
        method: 'PUT', headers: { ...asText, 'If-Match': '*', Prefer: 'return=representation' }, body: text,
    })).text(),
    'DELETE': async (server) => (await fetch(`${server}/docs/spare`, { method: 'DELETE' })).text(),
    'beacon': (server, text) => (navigator.sendBeacon(`${server}/append/diary`, text), null),
    'form': (server, text) => submitForm(`${server}/append/diary`, text, 'application/x-www-form-urlencoded'),
    'form with parts': (server, text) => submitForm(`${server}/append/diary`, text, 'multipart/form-data'),
    'form with plain text': (server, text) => submitForm(`${server}/append/diary`, text, 'text/plain'),
    'image': (server) => load('img', { src: `${server}/docs/diary` }),
    'script': (server) => load('script', { src: `${server}/docs/diary` }).then(() => window.diary ?? null),
    'style sheet': (server) => load('link', { rel: 'stylesheet', href: `${server}/docs/diary` })
        .then(({ sheet }) => sheet?.cssRules[0]?.cssText ?? null),
    'frame': (server) => load('iframe', { src: `${server}/docs/diary` }).then(textOfFrame),
    'event stream': (server) => new Promise((done) => {
        const events = new EventSource(`${server}/events/diary`)
        events.onmessage = (event) => (events.close(), done(event.data))
        events.onerror = () => (events.close(), done(null))
    }),
    'WebSocket': (server) => new Promise((done) => {
        const socket = new WebSocket(`${server.replace('http', 'ws')}/ws`)
        socket.onopen = () => {
            socket.send(JSON.stringify({ type: 'hello', protocol: 1, client: 'hostile-page' }))
            socket.send(JSON.stringify({ type: 'open', doc: 'diary' }))
        }
        socket.onmessage = ({ data }) => {
            if (JSON.parse(data).type === 'opened') socket.close(), done(data)
        }
        socket.onclose = () => done(null)
    }),
}

/** Adds an element, and waits until it has loaded or has failed to load. */
function load(name, properties) {
    const element = Object.assign(document.createElement(name), properties)
    const ended = new Promise((done) => { element.onload = element.onerror = () => done(element) })
    document.body.append(element)
    return ended
}

async function submitForm(url, text, type) {
    const name = `frame-${Math.random()}`
    const frame = await load('iframe', { name })
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: url, enctype: type, target: name })
    form.append(Object.assign(document.createElement('textarea'), { name: 'text', value: text }))
    document.body.append(form)
    const answered = new Promise((done) => { frame.onload = done })
    form.submit()
    await answered
    return textOfFrame(frame)
}

/** What a frame shows. Null if the browser does not let this page look into it. */
function textOfFrame(frame) {
    return frame.contentDocument?.body.innerText ?? null
}

/** Makes an attempt, and returns what it could read or how it failed. */
async function attempt(name, server, text) {
    try {
        const read = await attempts[name](server, text)
        return { read: typeof read === 'string' ? read : null }
    } catch (error) {
        return { read: null, error: String(error) }
    }
}
