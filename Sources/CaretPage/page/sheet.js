// Sheets over the page, which ask or show something.
import { element, iconButton } from './dom.js'

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

/** A menu: { label, icon, run, disabled } each. */
export function openMenu(title, items) {
    return openSheet(title, (close) => element('menu', {}, items.filter(Boolean).map(({ label, icon, run, disabled, danger }) =>
        element('li', {}, element('button', {
            type: 'button', class: danger ? 'danger' : false, disabled,
            onclick: () => {
                close()
                run()
            },
        }, icon ?? false, label)))), { className: 'menu' })
}
