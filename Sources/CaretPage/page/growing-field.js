// A text field that is as high as its text, up to the limit in the style sheet. Then it scrolls.
const moveTime = 150

/** Makes a textarea grow. `update()` must be called after a script has changed its text. */
export class GrowingField {
    #field
    #height = 0
    // Not all browsers can size a field by its content.
    #isMeasured = !CSS.supports('field-sizing: content')

    constructor(field) {
        this.#field = field
        field.classList.add('growing')
        field.classList.toggle('measured', this.#isMeasured)
        field.addEventListener('input', () => this.update())
        // A narrower field has more lines.
        new ResizeObserver(([{ contentRect }]) => {
            if (contentRect.width !== this.#width) this.update({ moves: false })
            this.#width = contentRect.width
        }).observe(field)
    }

    #width = 0

    update({ moves = true } = {}) {
        const field = this.#field
        if (!field.isConnected) return
        for (const animation of field.getAnimations()) animation.cancel()
        const scrolled = field.scrollTop
        if (this.#isMeasured) this.#measure()
        const height = field.offsetHeight
        if (moves && this.#height && height !== this.#height && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
            field.animate([{ blockSize: `${this.#height}px` }, { blockSize: `${height}px` }], { duration: moveTime, easing: 'ease-out' })
        }
        this.#height = height
        field.scrollTop = scrolled
    }

    #measure() {
        const field = this.#field
        field.style.blockSize = ''
        const border = field.offsetHeight - field.clientHeight
        field.style.blockSize = `${field.scrollHeight + border}px`
    }
}
