// Counts the components that use something.

/**
 * Calls `begin` with the first use, and `end` in a task after the last one. Frameworks unmount a component and mount it
 * again in one task, for example after its code has changed, and must find what it has used before. Both may be called
 * several times: `end` must check `isUnused` after it has waited.
 */
export class Users {
    #count = 0
    #begin
    #end

    constructor(begin, end) {
        this.#begin = begin
        this.#end = end
    }

    get isUnused() { return this.#count === 0 }

    /** Returns a function that ends this use. */
    add() {
        this.#count++
        if (this.#count === 1) this.#begin()
        let isOver = false
        return () => {
            if (isOver) return
            isOver = true
            this.#count--
            if (this.isUnused) setTimeout(() => { if (this.isUnused) this.#end() })
        }
    }
}
