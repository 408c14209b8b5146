// The sheet of a page that is signed out. It covers the window: it asks for a token until the server accepts one, or says
// that the user must sign in to the site.
import { connect } from './connect.js'
import { visibleName } from './document-name.js'
import { element, icon } from './dom.js'
import { confirm } from './sheet.js'
import { attemptWords, refusedWords, siteWords } from './sign-in-words.js'
import { unsavedDocument } from './unsaved.js'

let open = null

/** Shows the sheet. After the server has accepted a token, the page is loaded again with it. */
export function showSignIn(app) {
    if (open) return
    if (app.settings.link) return void (open = openLocked(linkNotice(app), unsavedNote(app)))
    if (typeof app.token === 'function') return void (open = openLocked(siteNotice(app), unsavedNote(app)))
    const hadToken = app.settings.token !== undefined
    // A token that the server refuses is of no use any more.
    app.settings.signOut()
    open = new SignIn(app, refusedWords(app.caret.link.reason, hadToken))
}

class SignIn {
    #app
    #attempt = null
    #timer = null
    #token = element('input', {
        type: 'password', name: 'token', autocomplete: 'current-password', autocapitalize: 'off', spellcheck: 'false',
        autofocus: true, required: true, placeholder: 'Token', enterkeyhint: 'go',
        'aria-describedby': 'sign-in-problem', oninput: () => this.#say(''),
    })
    #show = element('button', {
        type: 'button', class: 'plain-button', 'aria-pressed': 'false', 'aria-label': 'Show the token',
        onclick: () => this.#toggleToken(),
    }, 'Show')
    #stays = element('input', { type: 'checkbox', name: 'stays' })
    #button = element('button', { type: 'submit', class: 'primary' }, 'Sign in')
    #problem = element('p', { id: 'sign-in-problem', class: 'problem', role: 'alert' })

    constructor(app, problem) {
        this.#app = app
        this.#say(problem)
        openLocked(this.#form(), unsavedNote(app))
    }

    #form() {
        return element('form', { onsubmit: (event) => this.#submit(event), novalidate: true },
            ...heading(), element('label', {}, element('span', {}, 'Token'), element('span', { class: 'token' }, this.#token, this.#show)),
            element('label', { class: 'choice' }, this.#stays, element('span', {}, 'Stay signed in on this device')),
            this.#problem, this.#button,
            element('p', { class: 'quiet-text' }, 'The administrator of the server can give you a token.'))
    }

    #toggleToken() {
        const isShown = this.#token.type === 'password'
        this.#token.type = isShown ? 'text' : 'password'
        this.#show.setAttribute('aria-pressed', String(isShown))
        this.#show.textContent = isShown ? 'Hide' : 'Show'
    }

    #say(words) {
        this.#problem.textContent = words
        this.#token.setAttribute('aria-invalid', String(words !== ''))
    }

    /** Tries the token with a connection of its own. The page stays as it is until the server accepts one. */
    async #submit(event) {
        event.preventDefault()
        const token = this.#token.value.trim()
        if (token === '') {
            this.#say('Enter a token.')
            return this.#token.focus()
        }
        this.#endAttempt()
        this.#say('')
        this.#setBusy(true)
        try {
            const attempt = await connect({ token, keep: false })
            this.#attempt = attempt
            attempt.addEventListener('link', () => this.#linkChanged(attempt, token))
            this.#timer = setInterval(() => this.#linkChanged(attempt, token), 500)
        } catch (error) {
            this.#setBusy(false)
            this.#say(error.message)
        }
    }

    #linkChanged(attempt, token) {
        // Closing the connection is an event too.
        if (this.#attempt !== attempt) return
        const { link } = attempt
        if (link.state === 'online') {
            this.#endAttempt()
            this.#setBusy(false)
            this.#app.settings.signIn(token, { stays: this.#stays.checked })
            return location.reload()
        }
        this.#say(attemptWords(link, new Date()))
        if (link.state !== 'ended') return
        this.#endAttempt()
        this.#setBusy(false)
        this.#token.focus()
        this.#token.select()
    }

    #endAttempt() {
        clearInterval(this.#timer)
        const attempt = this.#attempt
        this.#attempt = null
        attempt?.close()
    }

    #setBusy(isBusy) {
        this.#button.disabled = isBusy
        this.#button.textContent = isBusy ? 'Signing in…' : 'Sign in'
    }
}

/** Opens a dialog that the user cannot close. */
function openLocked(...content) {
    const dialog = element('dialog', {
        class: 'sign-in', 'aria-labelledby': 'sign-in-title',
        oncancel: (event) => event.preventDefault(),
        onkeydown: (event) => { if (event.key === 'Escape') event.preventDefault() },
        // The second Back of a phone closes a dialog, whatever the page says.
        onclose: () => dialog.showModal(),
    }, ...content)
    document.body.append(dialog)
    dialog.showModal()
    return dialog
}

function heading() {
    return [
        element('div', { class: 'emblem' }, icon('lock')),
        element('h1', { id: 'sign-in-title' }, 'Sign in'),
        element('p', { class: 'host' }, 'to ', element('bdi', {}, location.host)),
    ]
}

/** The page does not know where the site signs its users in, so it can only be loaded again. */
function siteNotice(app) {
    const reload = (event) => {
        event.preventDefault()
        location.reload()
    }
    return element('form', { onsubmit: reload }, ...heading(), element('p', { class: 'quiet-text' }, siteWords(app.caret.link.reason)),
        element('button', { type: 'submit', class: 'primary', autofocus: true }, 'Reload'))
}

/** The link of this tab has ended. A user who is signed in here can go on without it. */
function linkNotice(app) {
    const leave = async (event) => {
        event.preventDefault()
        const question = 'This link can no longer save your last changes. Copy the text first.'
        if (unsavedDocument(app) && !await confirm('Continue without your changes?', question, 'Continue')) return
        app.settings.useLink(null)
        location.assign('/')
    }
    return element('form', { onsubmit: leave },
        element('div', { class: 'emblem' }, icon('lock')),
        element('h1', { id: 'sign-in-title' }, 'This link has ended'),
        element('p', { class: 'host' }, 'Ask for another one.'),
        element('button', { type: 'submit', class: 'primary', autofocus: true }, 'Continue without the link'))
}

/** The text that the server has not saved, so that the user can copy it before the page is loaded again. */
function unsavedNote(app) {
    const unsaved = unsavedDocument(app)
    if (!unsaved) return false
    const text = element('textarea', { readonly: true, rows: 5, 'aria-label': 'Your text', class: 'field' })
    text.value = unsaved.text
    const copy = () => {
        text.select()
        // Without a clipboard, the user copies the selected text.
        navigator.clipboard?.writeText(text.value).catch(() => {})
    }
    const advice = app.settings.link ? 'This link can no longer save them. Copy the text.'
        : unsaved.isKept ? 'They are kept on this device.' : 'Copy the text before you sign in.'
    return element('aside', {},
        element('p', {}, 'Your last changes of “', element('bdi', {}, visibleName(unsaved.name)), `” are not saved. ${advice}`),
        text, element('button', { type: 'button', class: 'quiet', onclick: copy }, 'Copy the text'))
}
