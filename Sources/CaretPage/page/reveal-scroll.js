/**
 * Where to scroll so that a line is in the view. The line begins `top` pixels below the start of the text and is `line`
 * high. The view is `height` high, and its first `before` and last `after` pixels must stay free.
 */
export function scrollToReveal({ scrollTop, height, top, line, before = 0, after = 0 }, isCentered = false) {
    const isAbove = top < scrollTop + before
    const isBelow = top + line > scrollTop + height - after
    if (!isAbove && !isBelow) return scrollTop
    const next = isCentered ? top - (height - line) / 2 : isAbove ? top - before : top + line + after - height
    return Math.max(0, next)
}
