// Notices at the lower end of the page, which go by themselves.
import { element, fill } from './dom.js'

const notices = element('div', { class: 'notices', role: 'status', 'aria-live': 'polite' })

/** Shows a sentence, or nodes, for four seconds. Screen readers say it when they are silent. */
export function notify(sentence, milliseconds = 4_000) {
    if (!notices.isConnected) document.body.append(notices)
    const notice = element('p', {}, sentence)
    fill(notices, ...[...notices.children].slice(-2), notice)
    setTimeout(() => notice.remove(), milliseconds)
}
