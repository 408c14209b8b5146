// Tests that need a real browser.
//
//     node Tests/BrowserTests/run.mjs .build/release [PART]
//
// With PART, runs only this part: driver, guard, textarea, overlay,
// page-documents or page-sign-in.
// Ends with 'N passed, N failed'.
import { runSuite } from '../NodeSupport/suite.mjs'
import { testDriver } from './driver.mjs'
import { testGuard } from './guard.mjs'
import { testOverlay } from './overlay.mjs'
import { testPageDocuments } from './page-documents.mjs'
import { testPageSignIn } from './page-sign-in.mjs'
import { testTextarea } from './textarea.mjs'

const [programs, part] = process.argv.slice(2)
const parts = {
    driver: testDriver, guard: function guard() { return testGuard(programs) },
    textarea: function textarea() { return testTextarea(programs) },
    overlay: function overlay() { return testOverlay(programs) },
    'page-documents': function pageDocuments() { return testPageDocuments(programs) },
    'page-sign-in': function pageSignIn() { return testPageSignIn(programs) },
}
await runSuite(...(part ? [parts[part]] : Object.values(parts)))
