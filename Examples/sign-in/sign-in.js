// A page whose users sign in to the site. The site signs a token for each of them, and the client shows it to Caret.
import { Caret } from 'http://127.0.0.1:22738/caret.js'
import { showStatus } from '/shared/example.js'

const element = (id) => document.getElementById(id)

/** The client calls this function whenever it needs a token. Null means that nobody is signed in any more. */
async function token() {
    const response = await fetch('/token', { method: 'POST' })
    if (response.status === 401) return null
    if (!response.ok) throw new Error(`the site has answered with ${response.status}`)
    return response.text()
}

async function showNotes(me) {
    element('signed-in').hidden = false
    document.title = `Notes of ann and bob: ${me.user}`
    // With the user, the client keeps unsaved edits apart from those of others on this device.
    const caret = await Caret.connect('http://127.0.0.1:22738', { token, user: me.user, name: me.user })
    const notes = caret.open('examples/sign-in/notes', { create: true })
    notes.bind(element('notes'))
    showStatus(caret, [notes])
    caret.addEventListener('signedOut', () => location.reload())
}

/** The button of ann. The right of bob changes when his client gets the next token, which takes up to half a minute. */
function showWriters({ bobMayWrite }) {
    element('writers').hidden = false
    element('writers').textContent = bobMayWrite ? 'Let bob only read' : 'Let bob write'
}

const me = await (await fetch('/me')).json()
if (me.user) {
    if (me.user === 'ann') showWriters(me)
    element('writers').addEventListener('click', async () => {
        showWriters(await (await fetch('/writers', { method: 'POST' })).json())
    })
    await showNotes(me)
} else {
    element('signed-out').hidden = false
    element('status').textContent = 'Nobody is signed in.'
}
