// Finding and replacing in the text of the editor: a bar above it, and marks in it.
import { element, fill, iconButton } from './dom.js'
import { placeAfter, placesOf, replacements } from './find-text.js'
import { notify } from './notices.js'
import { reveal } from './reveal.js'
import { count } from './words.js'

/** More marks in one view make no sense. */
const mostMarks = 500
/** Longer texts have no marks, because the browser would lay them out twice. The carets of others have the same limit. */
const longestMarked = 300 * 1024

export class FindBar {
    node = element('search', { class: 'find-bar', role: 'search', 'aria-label': 'Find and replace', hidden: true })
    #app
    #editor
    #wanted = this.#field('Find', ({ shiftKey }) => this.#step(shiftKey ? -1 : 1))
    #new = this.#field('Replace with', () => this.#replace())
    #case = iconButton('font', 'Match upper and lower case', () => this.#toggleCase(), { 'aria-pressed': 'false' })
    #count = element('output', { class: 'quiet-text' })
    #replacing
    #marks = null
    #mirror = null
    #places = []
    /** The index of the chosen place. */
    #at = 0
    #frame = null
    #listeners = null

    /** `editor` has `document`, `field` and `stage`. */
    constructor(app, editor) {
        [this.#app, this.#editor] = [app, editor]
        const button = (label, run) => element('button', { type: 'button', class: 'quiet', onclick: run }, label)
        this.#replacing = element('div', { class: 'find-row' }, this.#new, button('Replace', () => this.#replace()),
            button('Replace all', () => this.#replaceAll()))
        this.#wanted.addEventListener('input', () => this.#find(true))
        this.node.append(element('div', { class: 'find-row' }, this.#wanted, this.#count, this.#case,
            iconButton('up', 'Previous', () => this.#step(-1)), iconButton('down', 'Next', () => this.#step(1)),
            iconButton('close', 'Close', () => this.close({ leaves: true }))), this.#replacing)
        this.node.addEventListener('keydown', (event) => {
            if (event.key !== 'Escape' || event.isComposing) return
            event.preventDefault()
            this.close({ leaves: true })
        })
    }

    #field(label, entered) {
        return element('input', {
            type: 'text', 'aria-label': label, placeholder: label, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
            onkeydown: (event) => {
                if (event.key !== 'Enter' || event.isComposing) return
                event.preventDefault()
                entered(event)
            },
        })
    }

    /** Opens the bar. What the user has selected in one line is what they want to find. */
    open() {
        const { field, stage } = this.#editor
        const selected = field.value.slice(field.selectionStart, field.selectionEnd)
        if (selected !== '' && !selected.includes('\n')) this.#wanted.value = selected
        this.node.hidden = false
        if (!this.#marks) {
            this.#marks = element('div', { class: 'find-marks', 'aria-hidden': 'true' })
            stage.append(this.#marks)
            this.#listeners = new AbortController()
            const { signal } = this.#listeners
            field.addEventListener('scroll', () => this.#drawSoon(), { signal })
            window.addEventListener('resize', () => this.#drawSoon(), { signal })
        }
        this.#wanted.focus()
        this.#wanted.select()
        this.#find(true)
    }

    /** Closes the bar. With `leaves`, the user goes on in the text, at the chosen place. */
    close({ leaves = false } = {}) {
        if (this.node.hidden) return
        this.node.hidden = true
        this.#listeners.abort()
        this.#marks.remove()
        this.#mirror?.remove()
        this.#marks = this.#mirror = null
        cancelAnimationFrame(this.#frame)
        this.#frame = null
        if (!leaves) return
        const { field } = this.#editor
        field.focus({ preventScroll: true })
        const place = this.#places[this.#at]
        if (place) field.setSelectionRange(...place)
    }

    /** The text has changed, or whether the user may change it. */
    update(canEdit) {
        this.#replacing.hidden = !canEdit
        if (!this.node.hidden) this.#find(false)
    }

    #toggleCase() {
        this.#case.setAttribute('aria-pressed', `${!this.#isCaseSensitive}`)
        this.#find(true)
    }

    get #isCaseSensitive() { return this.#case.getAttribute('aria-pressed') === 'true' }

    #placesIn(text) { return placesOf(text, this.#wanted.value, { isCaseSensitive: this.#isCaseSensitive }) }

    /** Finds all places. `moves`: chooses the first one after the caret, and shows it. */
    #find(moves) {
        const { field } = this.#editor
        const before = this.#places[this.#at]?.[0] ?? 0
        this.#places = this.#placesIn(field.value)
        this.#at = placeAfter(this.#places, moves ? field.selectionStart : before)
        this.#show(moves)
    }

    #step(by) {
        const { length } = this.#places
        if (length === 0) return
        this.#at = (this.#at + by + length) % length
        this.#show(true)
    }

    #show(moves) {
        const { length } = this.#places
        const isEmpty = this.#wanted.value === ''
        this.#count.value = isEmpty ? '' : length === 0 ? 'Not found' : `${(this.#at + 1).toLocaleString('en')} of ${length.toLocaleString('en')}`
        this.#wanted.classList.toggle('problem', !isEmpty && length === 0)
        if (moves && length > 0) reveal(this.#editor.field, this.#places[this.#at][0], { isCentered: true }).then(() => this.#drawSoon())
        this.#drawSoon()
    }

    // Replacing.

    #replace() {
        const place = this.#places[this.#at]
        if (!place) return
        const text = this.#new.value
        this.#editor.document.edit([{ range: place, text }])
        this.#places = this.#placesIn(this.#editor.document.text)
        this.#at = placeAfter(this.#places, place[0] + text.length)
        this.#show(true)
    }

    #replaceAll() {
        const { document } = this.#editor
        const places = this.#placesIn(document.text)
        if (places.length === 0) return
        document.edit(replacements(document.text, places, this.#new.value, this.#app.caret.limits?.edits))
        notify(`${count(places.length, 'place')} replaced.`)
    }

    // Marks.

    #drawSoon() {
        this.#frame ??= requestAnimationFrame(() => {
            this.#frame = null
            this.#draw()
        })
    }

    /** Marks the places that are in the view. */
    async #draw() {
        const { field } = this.#editor
        // A field with a document has loaded this already.
        const layout = await import('../../../Clients/javascript/field-layout.js').catch(() => null)
        if (!layout || !this.#marks || this.#places.length === 0 || field.textLength > longestMarked) return void this.#marks?.replaceChildren()
        const mirror = this.#mirror ??= new layout.Mirror(field)
        mirror.show(field.value)
        const [first, last] = mirror.offsetsBetween(field.scrollTop, field.scrollTop + field.clientHeight)
        const marks = []
        for (const [index, [start, end]] of this.#places.entries()) {
            if (end < first || start > last || marks.length > mostMarks) continue
            for (const { left, top, width, height } of mirror.rectanglesOf(start, end)) {
                marks.push(element('span', {
                    class: index === this.#at && 'chosen',
                    style: { left: `${left - field.scrollLeft}px`, top: `${top - field.scrollTop}px`, width: `${width}px`, height: `${height}px` },
                }))
            }
        }
        fill(this.#marks, marks)
    }
}
