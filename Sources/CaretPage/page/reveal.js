// Scrolls a text field to a place in its text. A textarea cannot do this itself.
import { scrollToReveal } from './reveal-scroll.js'

/**
 * Scrolls a field so that an offset is in its view. `isCentered` brings it to the middle, if it was outside. If the
 * layout of a field cannot be loaded, the field stays where it is.
 *
 * `earlierHeight` is the height of a field that has become smaller. If the offset was not in the view then, the user has
 * scrolled away from it, and the field stays where it is.
 */
export async function reveal(field, offset, { isCentered = false, earlierHeight = null } = {}) {
    // A field with a document has loaded this already, so late.js need not contain it.
    const layout = await import('../../../Clients/javascript/field-layout.js').catch(() => null)
    if (!layout) return
    const mirror = new layout.Mirror(field)
    mirror.show(field.value)
    const top = mirror.topOf(offset)
    mirror.remove()
    const style = getComputedStyle(field)
    const view = {
        scrollTop: field.scrollTop, height: field.clientHeight, top, line: parseFloat(style.lineHeight) || 26,
        before: parseFloat(style.scrollPaddingTop) || 0, after: parseFloat(style.scrollPaddingBottom) || 0,
    }
    const wasInView = earlierHeight === null || (top + view.line > view.scrollTop && top < view.scrollTop + earlierHeight)
    if (wasInView) field.scrollTop = scrollToReveal(view, isCentered)
}
