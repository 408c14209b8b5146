// What the user types into a field before the first text of its document arrives.
//
// A page is visible before its scripts run, so people may type at once. Their text is compared with the one that the
// page came with, `defaultValue`, and entered where they have typed it. A value that a script or the browser has set
// is not the user's, and does not count.
import { offsetBefore, replaceLoneSurrogates, toSelection } from './field-text.js'

/** What the last binding of each field has left: { name, text, early }. `early` is what it has not entered, or null. */
const left = new WeakMap()

export class EarlyText {
    #field
    /** The text in which the user types. */
    #base
    /** While the field shows another text: { value, start, end, direction }. */
    #hidden = null

    /** What the user has typed in a field; null if they have not. `name` is that of the document that it will show. */
    static of(field, name) {
        const last = left.get(field)
        // What was typed into the text of another document does not belong to this one.
        if (last && last.name !== name) return null
        if (last?.early) return last.early
        const base = clean(last?.text ?? field.defaultValue)
        const mayBeOld = !last && mayHaveRestored()
        return field.value !== base && !mayBeOld && isTyped(field) ? new EarlyText(field, base) : null
    }

    /** A binding of this field has ended. */
    static released(field, name, early) { left.set(field, { name, text: field.value, early }) }

    /** Use `of`. */
    constructor(field, base) {
        this.#field = field
        this.#base = base
    }

    /** Shows another text, until `show`. */
    hide(text) {
        if (this.#hidden) return
        const { value, selectionStart: start, selectionEnd: end, selectionDirection: direction } = this.#field
        this.#hidden = { value, start, end, direction }
        this.#field.value = text
    }

    /** Shows what the user has typed again. */
    show() {
        if (!this.#hidden) return
        const { value, start, end, direction } = this.#hidden
        this.#hidden = null
        this.#field.value = value
        this.#field.setSelectionRange(start, end, direction)
    }

    /** The user's edits in `text`, which the field shows instead, and the user's selection after them. */
    over(text, core) {
        const value = replaceLoneSurrogates(this.#hidden.value)
        const [typed, arrived] = [core.diff(this.#base, value), core.diff(this.#base, text)]
        // The text that has arrived must not separate the user's caret from their words.
        const moved = core.rebase(arrived, typed, 'otherFirst')
        const selection = toSelection(value, this.#hidden).map((offset) => offsetBefore(offset, moved))
        return { edits: core.rebase(typed, arrived, 'selfFirst'), selection }
    }
}

/** As a field returns the text, and as a document can contain it. */
function clean(text) { return replaceLoneSurrogates(text.replace(/\r\n?/g, '\n')) }

/**
 * Whether the browser may have filled the fields of this page with their old texts, as after a reload. Nothing tells these
 * from what the user has typed since, and to enter a whole old text again is worse than to lose a few words.
 */
function mayHaveRestored() {
    const [navigation] = performance.getEntriesByType('navigation')
    return navigation !== undefined && navigation.type !== 'navigate'
}

/** Whether the user has changed the field last, and no script. A value that a script has set is never too short. */
function isTyped(field) {
    const minimum = field.getAttribute('minlength')
    field.setAttribute('minlength', field.value.length + 1)
    const { tooShort } = field.validity
    if (minimum === null) field.removeAttribute('minlength')
    else field.setAttribute('minlength', minimum)
    return tooShort
}
