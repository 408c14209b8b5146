// The sheet in which a user types a part of a name to go to a document.
import { Chooser } from './chooser.js'
import { shortName, visibleName } from './document-name.js'
import { canCreate, createDocument } from './document-sheets.js'
import { element } from './dom.js'
import { notify } from './notices.js'
import { openSheet } from './sheet.js'
import { errorWords } from './words.js'

/** More names make a list that nobody reads. */
const most = 50

/** `documents` has `find(text, limit)`: the rows of documents, those that were changed last first. */
export async function showGoTo(app, documents) {
    const find = (name) => {
        const isNew = name !== '' && !app.hasDocument(name) && canCreate(app, name)
        return [...documents.find(name, most), ...(isNew ? [{ name, isNew }] : [])]
    }
    const chosen = await openSheet('Go to a document', (close) => {
        const { field, list } = new Chooser({
            label: 'Name', listLabel: 'Documents', placeholder: 'A part of a name', nothing: 'No name contains this.', find, show, close,
        })
        return [field, list]
    }, { className: 'go-to' })
    if (!chosen) return
    if (!chosen.isNew) return app.go({ screen: 'editor', name: chosen.name })
    await createDocument(app, chosen.name).catch((error) => notify(errorWords(error)))
}

function show({ name, title, folder, isNew }) {
    if (isNew) return [element('span', {}, 'Create \u201c', element('bdi', {}, shortName(name)), '\u201d')]
    return [element('b', {}, element('bdi', {}, visibleName(title))), folder && element('span', { class: 'quiet-text' }, element('bdi', {}, visibleName(folder)))]
}
