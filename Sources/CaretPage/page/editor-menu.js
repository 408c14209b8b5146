// The two menus of the editor.
import { copyText, downloadText } from './copy.js'
import { fileName, nameProblem, typedName, visibleName } from './document-name.js'
import { element, icon } from './dom.js'
import { addressOf } from './route.js'
import { confirm, notify, openMenu, openSheet } from './sheet.js'
import { errorWords } from './words.js'

/** The menu of the document itself. `isGone`: only its text is left. */
export function openNameMenu(app, { document, text, isGone }) {
    const { name } = document
    return openMenu(visibleName(name), [
        { label: 'Rename', icon: icon('pen'), run: () => rename(app, name), disabled: isGone || document.rights !== 'write' },
        { label: 'Copy the link', icon: icon('link'), run: () => copyText(location.origin + addressOf({ screen: 'editor', name }), 'The link') },
        { label: 'Copy the text', icon: icon('copy'), run: () => copyText(text(), 'The text') },
        { label: 'Download as text', icon: icon('download'), run: () => downloadText(text(), fileName(name)) },
        {
            label: 'Delete', icon: icon('bin'), run: () => remove(app, name), danger: true,
            disabled: isGone || document.rights !== 'write',
        },
    ])
}

/** The menu of the editor. `isGone`: the document cannot be read any more. */
export function openEditorMenu(app, { document, isGone }) {
    const { name, revision } = document
    const { settings } = app
    const set = (key, value) => {
        settings.set(key, value)
        app.applySettings()
        // The carets of others are painted anew.
        window.dispatchEvent(new Event('resize'))
    }
    const isMonospace = settings.get('font') === 'monospace'
    const wraps = settings.get('wrap')
    const canEdit = !isGone && document.rights === 'write'
    return openMenu('Editor', [
        { label: 'History', icon: icon('history'), run: () => app.go({ screen: 'history', name }), disabled: isGone },
        {
            label: 'Compare revisions', icon: icon('compare'), disabled: isGone || revision < 2,
            run: () => app.go({ screen: 'compare', name, from: 1 }),
        },
        { label: 'Undo', icon: icon('undo'), run: () => document.undo(), disabled: !canEdit || !document.canUndo },
        { label: 'Redo', icon: icon('redo'), run: () => document.redo(), disabled: !canEdit || !document.canRedo },
        {
            label: isMonospace ? 'Use a proportional font' : 'Use a monospaced font', icon: icon('font'),
            run: () => set('font', isMonospace ? 'proportional' : 'monospace'),
        },
        { label: wraps ? 'Do not wrap lines' : 'Wrap lines', icon: icon('wrap'), run: () => set('wrap', !wraps) },
    ])
}

/** Asks for a new name. */
function rename(app, name) {
    const field = element('input', { name: 'name', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', autofocus: true, maxlength: 600 })
    const problem = element('p', { class: 'quiet-text problem', role: 'status' })
    const button = element('button', { type: 'submit' }, 'Rename')
    field.value = name
    const check = () => {
        const found = nameProblem(typedName(field.value))
        problem.textContent = found ?? ''
        button.disabled = found !== null || typedName(field.value) === name
    }
    field.addEventListener('input', check)
    field.addEventListener('focus', () => field.setSelectionRange(name.lastIndexOf('/') + 1, name.length), { once: true })
    check()
    const submit = async (event, close) => {
        event.preventDefault()
        if (button.disabled) return
        button.disabled = true
        try {
            await app.caret.rename(name, typedName(field.value))
            close()
            await renameNotes(app, name, typedName(field.value))
        } catch (error) {
            problem.textContent = errorWords(error)
            button.disabled = false
        }
    }
    return openSheet('Rename', (close) => element('form', { class: 'form', onsubmit: (event) => submit(event, close) },
        element('label', {}, element('span', {}, 'New name'), field), problem,
        element('div', { class: 'actions' },
            element('button', { type: 'button', class: 'quiet', onclick: () => close() }, 'Cancel'), button)))
}

/** The notes of a document belong to its name. */
async function renameNotes(app, name, to) {
    try {
        await app.caret.rename(`${name}.notes`, `${to}.notes`)
    } catch (error) {
        if (error.code !== 'not_found') notify(`The notes keep their old name. ${errorWords(error)}`)
    }
}

async function remove(app, name) {
    const shown = visibleName(name)
    const question = `The text of \u201c${shown}\u201d and its history will be deleted for everybody. This cannot be undone.`
    if (!await confirm('Delete this document?', question, 'Delete')) return
    try {
        await app.caret.delete(name)
        app.go({ screen: 'documents' })
        notify(`\u201c${shown}\u201d was deleted.`)
    } catch (error) {
        notify(errorWords(error))
    }
}
