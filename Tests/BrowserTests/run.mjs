// Tests that need a real browser.
//
//     node Tests/BrowserTests/run.mjs .build/release [PART]
//
// With PART, runs only this part: driver, guard, textarea, overlay, page-editor,
// page-editor-links or page-editor-layout.
// Ends with 'N passed, N failed'.
import { runSuite } from '../NodeSupport/suite.mjs'
import { testDriver } from './driver.mjs'
import { testGuard } from './guard.mjs'
import { testOverlay } from './overlay.mjs'
import { testPageEditor } from './page-editor.mjs'
import { testEditorLayout } from './page-editor-layout.mjs'
import { testEditorLinks } from './page-editor-links.mjs'
import { testTextarea } from './textarea.mjs'

const [programs, part] = process.argv.slice(2)
const parts = {
    driver: testDriver, guard: function guard() { return testGuard(programs) },
    textarea: function textarea() { return testTextarea(programs) },
    overlay: function overlay() { return testOverlay(programs) },
    'page-editor': function pageEditor() { return testPageEditor(programs) },
    'page-editor-links': function editorLinks() { return testEditorLinks(programs) },
    'page-editor-layout': function editorLayout() { return testEditorLayout(programs) },
}
await runSuite(...(part ? [parts[part]] : Object.values(parts)))
