// What rest.js loads.
import './more-icons.js'
// The page uses it in `kept`, also while it is offline.
import '../../../Clients/javascript/kept-list.js'
// The history, the deleted documents and the links need it.
import '../../../Clients/javascript/listings.js'
// It is needed for long texts, also while the page is offline.
import '../../../Clients/javascript/long-texts.js'

import { Compare } from './compare.js'
import { Documents } from './documents.js'
import { History } from './history.js'
import { keepNotes } from './notes.js'
import { keepPageOffline } from './offline.js'
import { followPastedLinks } from './pasted-link.js'

export { copyText, showEarlierText } from './copy.js'
export { showUnsaved } from './difference-sheet.js'
export { canCreate } from './document-sheets.js'
export { statePage } from './editor-banner.js'
export { EditorParts } from './editor-parts.js'
export { openEditorMenu, openNameMenu } from './editor-menu.js'
export { reveal } from './reveal.js'
export { mayLeave, mayReload } from './questions.js'
export { notSaved, pageFor } from './saving-words.js'
export { confirm } from './sheet.js'
export { showSignIn } from './sign-in.js'
export { bringBackLast } from './trash.js'

/** The screens besides the editor, by the names of their routes. */
export const screens = { history: History, compare: Compare }

/** Begins what the page does besides showing a text. Returns the list of documents. */
export function addRest(app) {
    keepNotes(app)
    keepPageOffline()
    followPastedLinks(app)
    return new Documents(app)
}
