// What the page asks before it loses a text. Each promise is true if the user agrees.
import { confirm } from './sheet.js'

export function mayReload() {
    const question = 'Some of your changes are not saved, and this device could not keep them. If you reload the page, they are lost.'
    return confirm('Reload without your changes?', question, 'Reload')
}

export function mayLeave() {
    return confirm('Leave without the text?', 'The text that you see is only on this page. If you leave, it is lost.', 'Leave')
}
