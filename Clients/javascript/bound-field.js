// Fields that components bind to documents.

/** A textarea or a Surface that shows a document as soon as the document is there. */
export class BoundField {
    #field
    #binding = null
    #isLocked = false

    /** `document` is null if it is not there yet. */
    constructor(field, document) {
        this.#field = field
        if (document) return void this.bind(document)
        // What is typed before the document is there is only in the field, and is lost if the field is removed. But
        // what is typed already is not taken away.
        this.#isLocked = field.readOnly === false && field.value === field.defaultValue
        if (this.#isLocked) field.readOnly = true
    }

    bind(document) {
        this.#unlock()
        this.#binding = document.bind(this.#field)
    }

    release() {
        this.#unlock()
        this.#binding?.release()
    }

    #unlock() {
        if (this.#isLocked) this.#field.readOnly = false
        this.#isLocked = false
    }
}

/** The `bind` of a component. Frameworks call it with the field, perhaps again with the same one, and then with null. */
export class FieldBinder {
    #field = null
    #document = null
    #release = null

    /** `document` is a SharedDocument. */
    set(field, document, creates) {
        if (field === this.#field && document === this.#document) return
        this.#release?.()
        this.#field = field
        this.#document = document
        this.#release = field ? document.bind(field, creates) : null
    }

    /** Shows another document in the field. */
    move(document, creates) { this.set(this.#field, document, creates) }
}
