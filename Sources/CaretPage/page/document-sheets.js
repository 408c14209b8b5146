// Sheets that make, rename, copy, download and delete documents.
import { downloadText } from './copy.js'
import { partsOf, shortName } from './document-name.js'
import { element, icon } from './dom.js'
import { moveDocument } from './move-to.js'
import { fileName, grantProblem, nameProblem, validatedName } from './name-rules.js'
import { notesName } from './notes-text.js'
import { notify } from './notices.js'
import { confirm, openMenu, openSheet } from './sheet.js'
import { mayShare, showShare } from './share-sheet.js'
import { offerUndo } from './trash.js'
import { isOfLink } from './user-name.js'
import { errorWords } from './words.js'

const offlineWords = 'You are offline. This happens as soon as there is a connection.'

/**
 * Whether the user may write a document with this name, or any. Until the server has answered, they may. The user of a link
 * may not: they can only change the text of its document.
 */
export function mayWrite({ caret: { rights = 'write', grants, user } }, name) {
    return rights === 'write' && !isOfLink(user) && (name === undefined || grantProblem(name, grants) === null)
}

/** Whether the user may create a document with this name, as far as the page knows. */
export function canCreate(app, name) { return mayWrite(app, name) && nameProblem(name) === null }

/** How the name of a new document begins. Undefined if the user may write only documents that exist, or none. */
export function newName(app) {
    const { grants } = app.caret
    if (!mayWrite(app) || !grants) return mayWrite(app) ? '' : undefined
    const { doc, prefix = doc } = grants.find((grant) => 'prefix' in grant) ?? grants.find(({ doc }) => !app.hasDocument(doc)) ?? {}
    return prefix
}

/** Creates a document, and goes to it. One that exists is only opened. `signal` gives up while the page is offline. */
export async function createDocument(app, name, signal) {
    const document = app.caret.open(name, { create: true })
    const close = () => document.close()
    signal?.addEventListener('abort', close)
    try {
        await document.opened()
        if (!signal?.aborted) app.go({ screen: 'editor', name })
    } finally {
        signal?.removeEventListener('abort', close)
        if (!signal?.aborted) close()
    }
}

/** Asks for the name of a new document. */
export function newDocument(app) {
    const exists = (name) => app.hasDocument(name)
    return askForName(app, 'New document', {
        start: newName(app), exists, actions: { free: 'Create', exists: 'Open' },
        run: (name, signal) => exists(name) ? app.go({ screen: 'editor', name }) : createDocument(app, name, signal),
    })
}

/** The menu of a document in the list, at its button. */
export function showDocumentMenu(app, name, button) {
    return openMenu(shortName(name), [
        mayWrite(app, name) && { label: 'Rename', icon: icon('pen'), run: () => renameDocument(app, name) },
        mayWrite(app, name) && { label: 'Move to a folder', icon: icon('folder'), run: () => moveDocument(app, name) },
        newName(app) !== undefined && { label: 'Make a copy', icon: icon('duplicate'), run: () => copyDocument(app, name) },
        mayShare(app, name) && { label: 'Share', icon: icon('share'), run: () => showShare(app, name) },
        { label: 'Download', icon: icon('download'), run: () => attempt(app, () => downloadDocument(app, name)) },
        mayWrite(app, name) && { label: 'Delete', icon: icon('bin'), danger: true, run: () => deleteDocument(app, name) },
    ], button)
}

/** Asks for a new name. */
export function renameDocument(app, name) {
    return askForName(app, 'Rename', {
        value: name, exists: (other) => other !== name && app.hasDocument(other), actions: { free: 'Rename' },
        run: (to) => renameTo(app, name, to),
    })
}

/** Renames a document, and its notes. */
export async function renameTo(app, name, to) {
    await app.caret.rename(name, to)
    await renameNotes(app, name, to)
}

/** Asks for the name of a copy, makes the copy, and goes to it. */
export function copyDocument(app, name) {
    const next = `${name} copy`
    return askForName(app, 'Make a copy', {
        start: canCreate(app, next) ? next : newName(app) + partsOf(name).title,
        exists: (other) => app.hasDocument(other), actions: { free: 'Copy' },
        run: async (to, signal) => {
            await app.caret.copy(name, to)
            if (!signal.aborted) app.go({ screen: 'editor', name: to })
        },
    })
}

/** The notes of a document belong to its name. Most documents have none, so the page looks first. */
async function renameNotes(app, name, to) {
    const notes = notesName(name)
    try {
        const { docs: [found] } = await app.caret.list({ prefix: notes, limit: 1 })
        if (found?.name === notes) await app.caret.rename(notes, notesName(to))
    } catch (error) {
        if (error.code !== 'not_found') notify(`The notes keep their old name. ${errorWords(error)}`)
    }
}

/** Asks, and deletes a document. The promise is true if it was deleted. */
export async function deleteDocument(app, name) {
    const question = 'Everybody loses this text and its history. You can bring it back for a while.'
    if (!await confirm(`Delete “${shortName(name)}”?`, question, 'Delete')) return false
    return attempt(app, async () => {
        await app.caret.delete(name)
        offerUndo(app, name)
    })
}

async function downloadDocument(app, name) {
    const { text, newline } = await app.caret.read(name)
    downloadText(newline === 'crlf' ? text.replaceAll('\n', '\r\n') : text, fileName(name))
}

function isOnline(app) { return app.caret.link.state === 'online' }

/** Runs what needs a connection, and says what went wrong. The promise is true if nothing did. */
async function attempt(app, action) {
    if (!isOnline(app)) notify(offlineWords)
    try {
        await action()
        return true
    } catch (error) {
        notify(errorWords(error))
        return false
    }
}

/**
 * A sheet with a field for a name. While the user types, it says whether the name is valid. `value` is the name now,
 * and `start` what the field shows at first. `actions` has the words of the button for names that are free, and for
 * names that exist if these are allowed.
 */
async function askForName(app, title, { value = '', start = value, exists, actions, run }) {
    const closing = new AbortController()
    await openSheet(title, (close) => {
        const field = element('input', {
            type: 'text', value: start, autofocus: true, 'aria-label': 'Name', 'aria-describedby': 'name-hint',
            autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'done', placeholder: 'Name',
        })
        const hint = element('p', { id: 'name-hint', class: 'hint', role: 'status' })
        const button = element('button', { type: 'submit', class: 'primary' })
        const say = (words, isProblem) => {
            hint.textContent = words
            hint.classList.toggle('problem', isProblem)
            field.setAttribute('aria-invalid', String(isProblem))
        }
        const check = () => {
            const { state, name, words } = validatedName(field.value, exists, app.caret.grants)
            const action = actions[state]
            say(name === value && value ? 'This is its name now.' : words, state === 'invalid' || (state === 'exists' && !action))
            button.textContent = action ?? actions.free
            button.disabled = !action || name === value
            return name
        }
        const submit = async (event) => {
            event.preventDefault()
            const name = check()
            if (button.disabled) return
            button.disabled = true
            // Another name would start a second run beside this one.
            field.readOnly = true
            if (!isOnline(app)) say(offlineWords, false)
            try {
                await run(name, closing.signal)
                close(name)
            } catch (error) {
                if (closing.signal.aborted) return
                field.readOnly = false
                check()
                say(errorWords(error), true)
            }
        }
        field.addEventListener('input', check)
        // Most users change only the last part of a name.
        const last = start.length - partsOf(start).title.length
        field.addEventListener('focus', () => field.setSelectionRange(last, start.length), { once: true })
        check()
        return element('form', { class: 'name-form', onsubmit: submit, novalidate: true }, field, hint,
            element('div', { class: 'actions' },
                element('button', { type: 'button', class: 'quiet', onclick: () => close() }, 'Cancel'), button))
    })
    closing.abort()
}
