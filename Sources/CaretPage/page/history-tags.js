// The named revisions of a document, and the sheet in which the user names one.
import { element, fill, iconButton } from './dom.js'
import { tagObstacle, tagWords } from './history-words.js'
import { openSheet } from './sheet.js'
import { errorWords } from './words.js'

export class HistoryTags {
    /** Sorted by revision: { name, revision, user, time } each. */
    all = []
    #caret
    #name
    #changed

    /** `changed` is called after the list has changed. */
    constructor(caret, name, changed) {
        this.#caret = caret
        this.#name = name
        this.#changed = changed
    }

    /** The names of a revision. */
    at(revision) { return this.all.filter((tag) => tag.revision === revision).map(({ name }) => name) }

    async load() {
        this.all = await this.#caret.tags(this.#name)
        this.#changed()
    }

    /** Names a revision. */
    add(name, revision) { return this.#change(() => this.#caret.tag(this.#name, revision, name)) }
    remove(name) { return this.#change(() => this.#caret.untag(this.#name, name)) }

    /** The list is loaded again after a failure too: somebody else may have changed it. */
    async #change(request) {
        try {
            await request()
        } finally {
            await this.load()
        }
    }
}

/**
 * A sheet with the named revisions, in which the user can name the revision `place`. The promise has the revision
 * that the user wants to see, or undefined. `mayWrite` is false if the user may only read.
 */
export function openTags(tags, { place, mayWrite }) {
    return openSheet('Named revisions', (close) => {
        const problem = element('p', { class: 'problem', role: 'alert', id: 'tag-problem' })
        const list = element('menu', { class: 'moments tags' })
        /** Makes a change, and says what went wrong. Returns whether it was made. */
        const change = async (action) => {
            problem.textContent = ''
            try {
                await action()
                return true
            } catch (error) {
                problem.textContent = tagErrorWords(error)
                return false
            } finally {
                show()
                // The control with the focus may have gone.
                if (!document.activeElement?.closest('dialog')) (list.querySelector('button') ?? list.closest('dialog')?.querySelector('button'))?.focus()
            }
        }
        const show = () => fillTags(list, tags.all, { close, remove: mayWrite && ((name) => change(() => tags.remove(name))) })
        show()
        change(() => tags.load())
        return [mayWrite && nameForm(tags, place, problem, change), problem, list]
    })
}

function nameForm(tags, place, problem, change) {
    const field = element('input', {
        type: 'text', autofocus: true, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'done',
        'aria-describedby': 'tag-problem', placeholder: 'such as final-draft',
    })
    const button = element('button', { type: 'submit', class: 'primary', disabled: true }, 'Add')
    const check = () => {
        const obstacle = field.value === '' ? '' : tagObstacle(field.value, place, tags.all)
        problem.textContent = obstacle ?? ''
        field.setAttribute('aria-invalid', String(Boolean(obstacle)))
        button.disabled = obstacle !== null
    }
    field.addEventListener('input', check)
    const submit = async (event) => {
        event.preventDefault()
        if (button.disabled) return
        // Another press would send the same name again.
        button.disabled = field.readOnly = true
        const isNamed = await change(() => tags.add(field.value, place))
        field.readOnly = false
        if (isNamed) field.value = ''
        else button.disabled = false
    }
    return element('form', { class: 'revision-number', onsubmit: submit, novalidate: true },
        element('label', {}, element('span', {}, `Name of revision ${place.toLocaleString('en')}`), field), button)
}

/** `remove` is false if the user may only read. */
function fillTags(list, tags, { close, remove }) {
    if (tags.length === 0) return fill(list, element('li', {}, element('p', { class: 'quiet-text' }, 'No revision has a name yet.')))
    fill(list, tags.map((tag) => element('li', {},
        element('button', { type: 'button', onclick: () => close(tag.revision) },
            element('span', { class: 'moment-name' }, element('b', {}, tag.name),
                element('span', { class: 'quiet-text' }, tagWords(tag)))),
        remove && iconButton('bin', `Remove the name ${tag.name}`, () => remove(tag.name)))))
}

/** Some codes mean something else here than for documents. */
function tagErrorWords(error) {
    switch (error.code) {
    case 'exists': return 'Another revision has this name. Somebody else has just used it.'
    case 'not_found': return 'Somebody else has already removed this name.'
    case 'too_large': return 'The document has as many named revisions as it can have. Remove a name first.'
    case 'base_trimmed': return 'This revision is no longer kept.'
    case 'disconnected': return 'The connection ended. The list shows whether the name was saved.'
    default: return errorWords(error)
    }
}
