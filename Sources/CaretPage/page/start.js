// What stands beside the list of documents while none is open.
import { newDocument, newName } from './document-sheets.js'
import { element } from './dom.js'
import { showGoTo } from './go-to.js'

export class Start {
    title = ''
    node

    /** `documents` finds documents by their names. */
    constructor(app, documents) {
        this.node = element('div', { class: 'empty start' },
            element('p', {}, 'Choose a document.'),
            element('div', { class: 'actions' },
                element('button', { type: 'button', class: 'quiet', onclick: () => showGoTo(app, documents) }, 'Go to a document'),
                newName(app) !== undefined && element('button', { type: 'button', class: 'quiet', onclick: () => newDocument(app) }, 'New document')))
    }

    show({ screen }) { return screen === 'documents' }

    close() {}
}
