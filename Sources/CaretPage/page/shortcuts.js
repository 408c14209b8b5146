// The keys that work on every screen, the sheet that lists all keys, and the link that skips the list.
import { element } from './dom.js'
import { showGoTo } from './go-to.js'
import { openSheet } from './sheet.js'

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)
/** In a text field, Control has another meaning on a Mac. */
const command = isApple ? '\u2318' : 'Ctrl'
const holdsCommand = ({ ctrlKey, metaKey }) => (isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey)

/** What the sheet lists: the keys and what they do, by place. */
const shortcuts = [
    ['Everywhere', [
        [[command, 'K'], 'Go to a document'],
        [['?'], 'Show these keys, outside of a text'],
        [['Esc'], 'Leave the text, a menu or a sheet'],
    ]],
    ['Text', [
        [[command, 'Z'], 'Undo what you have typed'],
        [isApple ? ['Shift', command, 'Z'] : [command, 'Y'], 'Redo'],
    ]],
    ['Documents', [
        [['\u2191', '\u2193'], 'Go from one to another'],
        [['\u2192'], 'Go to the menu of a document, or open a folder'],
        [['\u2190'], 'Go back from the menu, or close a folder'],
        [['Home', 'End'], 'Go to the first or the last one'],
    ]],
    ['History', [
        [['\u2190', '\u2192'], 'One revision back or on; ten with Shift'],
    ]],
    ['Comparison', [
        [['N'], 'Next change'],
        [['P'], 'Previous change'],
    ]],
    ['Notes', [
        [[command, 'Enter'], 'Send the note'],
    ]],
]

/** Listens to the keys. `documents` finds documents by their names. */
export function keepShortcuts(app, documents) {
    window.addEventListener('keydown', (event) => {
        if (event.defaultPrevented || event.isComposing || event.altKey || document.querySelector('dialog[open]')) return
        if (holdsCommand(event) && !event.shiftKey && event.key.toLowerCase() === 'k') {
            event.preventDefault()
            showGoTo(app, documents)
        } else if (event.key === '?' && !event.ctrlKey && !event.metaKey && !isText(event.target)) {
            event.preventDefault()
            showShortcuts()
        }
    })
}

const isText = (node) => node.matches?.('textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range])')

/** Shows the sheet with all keys. */
export function showShortcuts() {
    const row = ([keys, meaning]) => element('li', {},
        element('span', {}, meaning), element('span', { class: 'keys' }, keys.map((key) => element('kbd', {}, key))))
    return openSheet('Keyboard', () => shortcuts.map(([place, keys]) => element('section', {},
        element('h3', {}, place), element('ul', {}, keys.map(row)))), { className: 'shortcuts' })
}

/** A link before everything else, which only those see who reach it with the Tab key. It leads to the text of the screen. */
export function skipLink(main) {
    const skip = (event) => {
        // The page must not take this for a link to another screen.
        event.preventDefault()
        event.stopPropagation()
        main.tabIndex = -1
        const target = main.querySelector('.text') ?? main
        target.focus()
    }
    return element('a', { class: 'primary skip', href: '#screen', onclick: skip }, 'Skip to the text')
}
