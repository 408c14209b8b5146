// What a printer gets: the whole text of the screen with its name and the date, instead of the screen.
import { visibleName } from './document-name.js'
import { element } from './dom.js'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' })

/** Prepares the text whenever the browser prints, also from its own menu. */
export function keepPrinting(app) {
    let sheet = null
    window.addEventListener('beforeprint', () => {
        const text = document.querySelector('.editor .text')?.value ?? document.querySelector('.history-text pre')?.textContent
        if (text === undefined) return
        const { name, rev } = app.route
        const about = rev === undefined ? [] : [`Revision ${rev}, printed `]
        sheet = element('article', { class: 'print' }, element('h1', {}, visibleName(name)),
            element('p', { class: 'quiet-text' }, ...about, day.format(new Date())), element('div', { class: 'print-text' }, text))
        document.body.append(sheet)
    })
    window.addEventListener('afterprint', () => sheet?.remove())
}
