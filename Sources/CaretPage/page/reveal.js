// Scrolls a text field to a place in its text. A textarea cannot do this itself.
import { Mirror } from '../caret/mirror.js'
import { scrollToReveal } from './reveal-scroll.js'

/** Scrolls a field so that an offset is in its view. `isCentered` brings it to the middle, if it was outside. */
export function reveal(field, offset, { isCentered = false } = {}) {
    const mirror = new Mirror(field)
    mirror.show(field.value)
    const top = mirror.topOf(offset)
    mirror.remove()
    const style = getComputedStyle(field)
    field.scrollTop = scrollToReveal({
        scrollTop: field.scrollTop, height: field.clientHeight, top, line: parseFloat(style.lineHeight) || 26,
        before: parseFloat(style.scrollPaddingTop) || 0, after: parseFloat(style.scrollPaddingBottom) || 0,
    }, isCentered)
}
