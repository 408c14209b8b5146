// Sheets over the page, which ask or show something.
import { element, iconButton } from './dom.js'

/** Between a menu and its button, and the edges of the window, in pixels. */
const gap = 6

/**
 * Opens a sheet. It closes with its button, with Escape, or with a press beside it.
 *
 * `content` is called with `close(result)` and returns the nodes of the sheet. The promise has the result, which is
 * undefined if the user has closed the sheet.
 */
export function openSheet(title, content, { className = '' } = {}) {
    return new Promise((resolve) => {
        let result
        const before = document.activeElement
        const close = (value) => {
            result = value
            dialog.close()
            giveBack()
        }
        const giveBack = () => {
            if (document.activeElement === document.body) before.focus({ preventScroll: true })
        }
        const heading = element('header', {}, element('h2', { id: 'sheet-title' }, title),
            iconButton('close', 'Close', () => close()))
        const dialog = element('dialog', { class: `sheet ${className}`, 'aria-labelledby': 'sheet-title' },
            heading, element('div', { class: 'sheet-body' }, content(close)))
        dialog.addEventListener('click', (event) => {
            if (event.target === dialog) close()
        })
        dialog.addEventListener('close', () => {
            dialog.remove()
            giveBack()
            resolve(result)
        })
        document.body.append(dialog)
        // Chromium would give the focus back too early: a text field then has lost its caret, and keys do nothing.
        before.blur()
        dialog.showModal()
    })
}

/** Asks before something that cannot be taken back. The promise is true if the user agrees. */
export async function confirm(title, question, action) {
    const agreed = await openSheet(title, (close) => [
        element('p', {}, question),
        element('div', { class: 'actions' },
            element('button', { type: 'button', class: 'quiet', onclick: () => close(false) }, 'Cancel'),
            element('button', { type: 'button', class: 'danger', onclick: () => close(true) }, action)),
    ])
    return agreed === true
}

/**
 * A menu: { label, icon, run, disabled, danger } each. On a wide window it stands at `button`, if there is one; on a phone it
 * is a sheet. The arrow keys go through it.
 */
export function openMenu(title, items, button = null) {
    const shown = items.filter(Boolean)
    const result = openSheet(title, (close) => element('menu', { onkeydown: moveInMenu }, shown.map(({ label, icon, run, disabled, danger }) =>
        element('li', {}, element('button', {
            type: 'button', class: danger && 'danger-text', disabled,
            onclick: () => {
                close()
                run()
            },
        }, icon ?? false, label)))), { className: button ? 'menu placed' : 'menu' })
    if (button) placeMenu(document.querySelector('dialog.placed'), button)
    return result
}

/** Keeps a menu at its button, above or below it, until it is closed. */
function placeMenu(menu, button) {
    const closing = new AbortController()
    const place = () => {
        const [anchor, box] = [button.getBoundingClientRect(), menu.getBoundingClientRect()]
        const isRightHalf = anchor.left + anchor.width / 2 > innerWidth / 2
        const below = anchor.bottom + gap
        const top = below + box.height + gap <= innerHeight ? below : Math.max(gap, anchor.top - gap - box.height)
        const left = isRightHalf ? anchor.right - box.width : anchor.left
        menu.style.setProperty('--menu-top', `${Math.round(top)}px`)
        menu.style.setProperty('--menu-left', `${Math.round(Math.max(gap, Math.min(left, innerWidth - box.width - gap)))}px`)
    }
    place()
    window.addEventListener('resize', place, { signal: closing.signal })
    menu.addEventListener('close', () => closing.abort())
}

/** The arrow keys, Home and End go from one item to another. */
function moveInMenu(event) {
    const items = [...event.currentTarget.querySelectorAll('button:not(:disabled)')]
    const at = items.indexOf(document.activeElement)
    const next = { ArrowDown: (at + 1) % items.length, ArrowUp: (at <= 0 ? items.length : at) - 1, Home: 0, End: items.length - 1 }[event.key]
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    items[next].focus()
}
