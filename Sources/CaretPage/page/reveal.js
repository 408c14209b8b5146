// Scrolls a text field to a place in its text. A textarea cannot do this itself.
import { scrollToReveal } from './reveal-scroll.js'

/**
 * Scrolls a field so that an offset is in its view. `isCentered` brings it to the middle, if it was outside. If the
 * layout of a field cannot be loaded, the field stays where it is.
 */
export async function reveal(field, offset, { isCentered = false } = {}) {
    // A field with a document has loaded this already, so late.js need not contain it.
    const layout = await import('../../../Clients/javascript/field-layout.js').catch(() => null)
    if (!layout) return
    const mirror = new layout.Mirror(field)
    mirror.show(field.value)
    const top = mirror.topOf(offset)
    mirror.remove()
    const style = getComputedStyle(field)
    field.scrollTop = scrollToReveal({
        scrollTop: field.scrollTop, height: field.clientHeight, top, line: parseFloat(style.lineHeight) || 26,
        before: parseFloat(style.scrollPaddingTop) || 0, after: parseFloat(style.scrollPaddingBottom) || 0,
    }, isCentered)
}
