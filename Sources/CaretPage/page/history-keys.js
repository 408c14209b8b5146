// What the keys do in the history.

/** By how many revisions a key moves, or 'play'; null if it does nothing. `isSlider`: the slider has the focus. */
export function keyAction({ key, shiftKey, target }, isSlider) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ...(isSlider && { ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10 }) }
    if (Object.hasOwn(steps, key)) return shiftKey ? 10 * Math.sign(steps[key]) : steps[key]
    return key === ' ' && !target.closest('button, a') ? 'play' : null
}
