// The page of a site that signs in its users. The site signs a token for the user, and the client sends it to Caret.
import { Caret } from 'http://127.0.0.1:22738/caret.js'
import { showStatus } from '/shared/example.js'

const element = (id) => document.getElementById(id)

/** The client calls this function whenever it needs a token. It returns null after the user has signed out. */
async function token() {
    const response = await fetch('/token', { method: 'POST' })
    if (response.status === 401) return null
    if (!response.ok) throw new Error(`the site has answered with ${response.status}`)
    return response.text()
}

async function showNotes(me) {
    element('signed-in').hidden = false
    document.title = `Notes of ann and bob: ${me.user}`
    // The client keeps the unsaved edits of each user of this device apart.
    const caret = await Caret.connect('http://127.0.0.1:22738', { token, user: me.user, name: me.user })
    const notes = caret.open('examples/sign-in/notes', { create: true })
    notes.bind(element('notes'))
    showStatus(caret, [notes])
    caret.addEventListener('signedOut', () => location.reload())
}

/** The button is for ann. Bob's right changes when his client gets its next token, after at most half a minute. */
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
