// Keeps the page inside the part of the window that the keyboard of a phone leaves free.

/**
 * Where the visible part of the page is: { top, height, keyboard }, in pixels. `visual` is the visual viewport, and
 * `inner` the height of the window's layout. Some browsers lay out the page again when the keyboard appears, and
 * others only cover it.
 */
export function visiblePart(visual, inner) {
    // After a page was enlarged and made smaller again, the scale may be a little more than 1.
    const isEnlarged = Math.abs(visual.scale - 1) > 0.01
    const height = Math.round(visual.height * visual.scale)
    const top = Math.max(0, Math.round(visual.offsetTop))
    // Smaller differences come from bars of the browser.
    const keyboard = !isEnlarged && inner - height > 120
    return { top: keyboard ? top : 0, height: keyboard ? height : inner, keyboard }
}

/** Sets the CSS variables that hold the visible part, whenever it changes. */
export function followViewport(root, window) {
    const { visualViewport } = window
    if (!visualViewport) return
    const update = () => {
        const { top, height, keyboard } = visiblePart(visualViewport, window.innerHeight)
        root.classList.toggle('keyboard', keyboard)
        // An empty value removes the variable.
        root.style.setProperty('--viewport-top', keyboard ? `${top}px` : '')
        root.style.setProperty('--viewport-height', keyboard ? `${height}px` : '')
    }
    visualViewport.addEventListener('resize', update)
    visualViewport.addEventListener('scroll', update)
    update()
}
