// The sheet in which a user chooses a folder for a document, or types the name of a new one.
import { Chooser } from './chooser.js'
import { partsOf, shortName, visibleName } from './document-name.js'
import { canCreate, renameTo } from './document-sheets.js'
import { element } from './dom.js'
import { notify } from './notices.js'
import { openSheet } from './sheet.js'
import { errorWords } from './words.js'

/** Moves a document to the folder that the user chooses. Its own folder, and those where it may not be, are not offered. */
export async function moveDocument(app, name) {
    const { folder: now, title } = partsOf(name)
    const inside = (folder) => (folder === '' ? title : `${folder}/${title}`)
    const isPossible = (folder) => folder !== now && canCreate(app, inside(folder)) && !app.hasDocument(inside(folder))
    const known = ['', ...app.documents.folders]
    const find = (text) => {
        const found = known.filter((folder) => folder.toLowerCase().includes(text.toLowerCase()) && isPossible(folder))
        const folder = text.replace(/\/+$/, '')
        const isNew = folder !== '' && !known.includes(folder) && isPossible(folder)
        return [...found.map((one) => ({ folder: one })), ...(isNew ? [{ folder, isNew }] : [])]
    }
    const chosen = await openSheet(`Move \u201c${shortName(title)}\u201d`, (close) => {
        const { field, list } = new Chooser({
            label: 'Folder', listLabel: 'Folders', placeholder: 'A part of a name, or a new folder', nothing: 'It cannot be moved to such a folder.',
            find, show, close,
        })
        return [field, list]
    }, { className: 'go-to' })
    if (!chosen) return
    try {
        await renameTo(app, name, inside(chosen.folder))
    } catch (error) {
        notify(errorWords(error))
    }
}

function show({ folder, isNew }) {
    if (folder === '') return [element('span', {}, 'No folder')]
    const name = element('bdi', {}, isNew ? shortName(folder) : visibleName(folder))
    return isNew ? [element('span', {}, 'New folder \u201c', name, '\u201d')] : [element('b', {}, name)]
}
