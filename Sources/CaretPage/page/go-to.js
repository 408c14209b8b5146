// The sheet in which a user types a part of a name to go to a document.
import { shortName, visibleName } from './document-name.js'
import { canCreate, createDocument } from './document-sheets.js'
import { element, fill } from './dom.js'
import { notify } from './notices.js'
import { openSheet } from './sheet.js'
import { errorWords } from './words.js'

/** More names make a list that nobody reads. */
const most = 50

/** `documents` has `find(text, limit)`: the rows of documents, those that were changed last first. */
export async function showGoTo(app, documents) {
    const chosen = await openSheet('Go to a document', (close) => {
        const chooser = new Chooser(app, documents, close)
        return [chooser.field, chooser.list]
    }, { className: 'go-to' })
    if (!chosen) return
    if (!chosen.isNew) return app.go({ screen: 'editor', name: chosen.name })
    await createDocument(app, chosen.name).catch((error) => notify(errorWords(error)))
}

/** A field with a list of names below. The arrow keys choose one of them while the focus stays in the field. */
class Chooser {
    #app
    #documents
    #close
    #options = []
    #at = 0
    list = element('ul', { role: 'listbox', id: 'go-to-list', 'aria-label': 'Documents' })
    field = element('input', {
        type: 'text', role: 'combobox', 'aria-label': 'Name', 'aria-controls': 'go-to-list', 'aria-expanded': 'true', autofocus: true,
        'aria-autocomplete': 'list', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'go',
        placeholder: 'A part of a name', oninput: () => this.#show(), onkeydown: (event) => this.#keyDown(event),
    })

    constructor(app, documents, close) {
        ;[this.#app, this.#documents, this.#close] = [app, documents, close]
        this.#show()
    }

    #show() {
        const name = this.field.value.trim()
        const found = this.#documents.find(name, most)
        const isNew = name !== '' && !this.#app.hasDocument(name) && canCreate(this.#app, name)
        this.#options = [...found, ...(isNew ? [{ name, isNew }] : [])]
        this.#at = 0
        fill(this.list, this.#options.map((option, index) => this.#optionNode(option, index)),
            this.#options.length === 0 && element('li', { class: 'empty', role: 'presentation' }, 'No name contains this.'))
        this.#mark()
    }

    #optionNode({ name, title, folder, isNew }, index) {
        const words = isNew ? [element('span', {}, 'Create \u201c', element('bdi', {}, shortName(name)), '\u201d')]
            : [element('b', {}, element('bdi', {}, visibleName(title))), folder && element('span', { class: 'quiet-text' }, element('bdi', {}, visibleName(folder)))]
        return element('li', {
            role: 'option', id: `go-to-${index}`, onclick: () => this.#close(this.#options[index]),
        }, ...words)
    }

    #mark() {
        for (const [index, node] of [...this.list.querySelectorAll('[role=option]')].entries()) {
            node.setAttribute('aria-selected', String(index === this.#at))
            if (index === this.#at) node.scrollIntoView({ block: 'nearest' })
        }
        if (this.#options.length > 0) this.field.setAttribute('aria-activedescendant', `go-to-${this.#at}`)
        else this.field.removeAttribute('aria-activedescendant')
    }

    #keyDown(event) {
        // While an input method is composing, these keys belong to it.
        if (event.isComposing) return
        const count = this.#options.length
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (step && count > 0) {
            event.preventDefault()
            this.#at = (this.#at + step + count) % count
            this.#mark()
        } else if (event.key === 'Enter' && count > 0) {
            event.preventDefault()
            this.#close(this.#options[this.#at])
        }
    }
}
