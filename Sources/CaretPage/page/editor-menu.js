// The two menus of the editor.
import { copyText, downloadText } from './copy.js'
import { visibleName } from './document-name.js'
import { copyDocument, deleteDocument, mayWrite, newName, renameDocument } from './document-sheets.js'
import { icon } from './dom.js'
import { moveDocument } from './move-to.js'
import { fileName } from './name-rules.js'
import { linkTo, mayShare, showShare } from './share-sheet.js'
import { openMenu } from './sheet.js'
import { hasUndoButtons } from './undo-buttons.js'

/** The menu of the document itself, at its button. `isGone`: only its text is left. */
export function openNameMenu(app, { document, text, isGone, button }) {
    const { name } = document
    // Without a connection, the document has no rights.
    const isOffered = mayWrite(app, name) && document.rights !== 'read'
    return openMenu(visibleName(name), [
        isOffered && { label: 'Rename', icon: icon('pen'), run: () => renameDocument(app, name), disabled: isGone || document.rights !== 'write' },
        isOffered && {
            label: 'Move to a folder', icon: icon('folder'), run: () => moveDocument(app, name), disabled: isGone || document.rights !== 'write',
        },
        newName(app) !== undefined && { label: 'Make a copy', icon: icon('duplicate'), run: () => copyDocument(app, name), disabled: isGone || !document.rights },
        isOffered && mayShare(app, name) && {
            label: 'Share', icon: icon('share'), run: () => showShare(app, name), disabled: isGone || document.rights !== 'write',
        },
        { label: 'Copy the link', icon: icon('link'), run: () => copyText(linkTo(name, app.settings.link), 'The link') },
        { label: 'Copy the text', icon: icon('copy'), run: () => copyText(text(), 'The text') },
        { label: 'Download as text', icon: icon('download'), run: () => downloadText(text(), fileName(name)) },
        { label: 'Print', icon: icon('print'), run: () => print() },
        isOffered && { label: 'Delete', icon: icon('bin'), run: () => remove(app, name), danger: true, disabled: isGone || document.rights !== 'write' },
    ], button)
}

/** The menu of the editor, at its button. `isGone`: the document cannot be read any more. */
export function openEditorMenu(app, { document, isGone, button, find }) {
    const { name, revision } = document
    const { settings } = app
    const set = (key, value) => {
        settings.set(key, value)
        app.applySettings()
        // The carets of others are painted again.
        window.dispatchEvent(new Event('resize'))
    }
    const isMonospace = settings.get('font') === 'monospace'
    const wraps = settings.get('wrap')
    const canEdit = !isGone && document.rights === 'write'
    return openMenu('Editor', [
        { label: canEdit ? 'Find and replace' : 'Find', icon: icon('search'), run: find, disabled: isGone },
        { label: 'History', icon: icon('history'), run: () => app.go({ screen: 'history', name }), disabled: isGone },
        {
            label: 'Compare revisions', icon: icon('compare'), disabled: isGone || revision < 2,
            run: () => app.go({ screen: 'compare', name }),
        },
        !hasUndoButtons() && { label: 'Undo', icon: icon('undo'), run: () => document.undo(), disabled: !canEdit || !document.canUndo },
        !hasUndoButtons() && { label: 'Redo', icon: icon('redo'), run: () => document.redo(), disabled: !canEdit || !document.canRedo },
        {
            label: isMonospace ? 'Use a proportional font' : 'Use a monospaced font', icon: icon('font'),
            run: () => set('font', isMonospace ? 'proportional' : 'monospace'),
        },
        { label: wraps ? 'Do not wrap lines' : 'Wrap lines', icon: icon('wrap'), run: () => set('wrap', !wraps) },
    ], button)
}

async function remove(app, name) {
    if (await deleteDocument(app, name)) app.go({ screen: 'documents' })
}
