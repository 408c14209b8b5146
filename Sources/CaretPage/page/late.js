// What rest.js loads.
import './more-icons.js'
// The page uses it in `kept`, also while it is offline.
import '../../../Clients/javascript/kept-list.js'
// It is needed for long texts, also while the page is offline.
import '../../../Clients/javascript/long-texts.js'

export { Compare } from './compare.js'
export { copyText, showEarlierText } from './copy.js'
export { showUnsaved } from './difference-sheet.js'
export { canCreate } from './document-sheets.js'
export { Documents } from './documents.js'
export { Banner, statePage } from './editor-banner.js'
export { openEditorMenu, openNameMenu } from './editor-menu.js'
export { History } from './history.js'
export { keepNotes, Notes } from './notes.js'
export { keepPageOffline } from './offline.js'
export { People } from './people.js'
export { reveal } from './reveal.js'
export { mayLeave, mayReload } from './questions.js'
export { bannerFor, notSaved, pageFor } from './saving-words.js'
export { confirm } from './sheet.js'
export { showSignIn } from './sign-in.js'
export { UndoButtons } from './undo-buttons.js'
