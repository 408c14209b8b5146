// A field with a list below, in which the user types a part of what they want. The arrow keys choose while the focus stays in
// the field.
import { element, fill } from './dom.js'

export class Chooser {
    #find
    #show
    #close
    #nothing
    #options = []
    #at = 0
    list
    field

    /**
     * `find(text)` has the options, and `show(option)` the nodes of one. `close(option)` is called with the chosen one.
     * `nothing` is said if there is none.
     */
    constructor({ label, listLabel, placeholder, nothing, find, show, close }) {
        ;[this.#find, this.#show, this.#close, this.#nothing] = [find, show, close, nothing]
        this.list = element('ul', { class: 'options', role: 'listbox', id: 'chooser-list', 'aria-label': listLabel })
        this.field = element('input', {
            type: 'text', role: 'combobox', 'aria-label': label, 'aria-controls': 'chooser-list', 'aria-expanded': 'true', autofocus: true,
            'aria-autocomplete': 'list', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'go', placeholder,
            oninput: () => this.#update(), onkeydown: (event) => this.#keyDown(event),
        })
        this.#update()
    }

    #update() {
        this.#options = this.#find(this.field.value.trim())
        this.#at = 0
        fill(this.list, this.#options.map((option, index) => element('li', {
            role: 'option', id: `chooser-${index}`, onclick: () => this.#close(option),
        }, ...this.#show(option))),
        this.#options.length === 0 && element('li', { class: 'empty', role: 'presentation' }, this.#nothing))
        this.#mark()
    }

    #mark() {
        for (const [index, node] of [...this.list.querySelectorAll('[role=option]')].entries()) {
            node.setAttribute('aria-selected', String(index === this.#at))
            if (index === this.#at) node.scrollIntoView({ block: 'nearest' })
        }
        if (this.#options.length > 0) this.field.setAttribute('aria-activedescendant', `chooser-${this.#at}`)
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
