// Choices in sheets.
import { element } from './dom.js'

export function radio(group, value, current, label, onchange) {
    const checked = value === current
    return element('input', { type: 'radio', name: group, value, checked, 'aria-label': label, onchange })
}

/** A row of words of which one is chosen. `words` has them by their values, which are strings. */
export function segments(group, title, words, current, choose) {
    const options = Object.entries(words).map(([value, text]) => element('label', {},
        radio(group, value, current, text, () => choose(value)), element('span', {}, text)))
    return element('fieldset', {}, element('legend', {}, title), element('div', { class: 'segments' }, options))
}
