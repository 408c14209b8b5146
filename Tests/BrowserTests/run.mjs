// Tests that need a real browser.
//
//     node Tests/BrowserTests/run.mjs .build/release [PART]
//
// With PART, runs only this part: driver, guard, textarea, overlay, pageHistory or pageCompare.
// Ends with 'N passed, N failed'.
import { runSuite } from '../NodeSupport/suite.mjs'
import { testDriver } from './driver.mjs'
import { testGuard } from './guard.mjs'
import { testOverlay } from './overlay.mjs'
import { testPageCompare } from './page-compare.mjs'
import { testPageHistory } from './page-history.mjs'
import { testTextarea } from './textarea.mjs'

const [programs, part] = process.argv.slice(2)
const parts = {
    driver: testDriver, guard: function guard() { return testGuard(programs) },
    textarea: function textarea() { return testTextarea(programs) },
    overlay: function overlay() { return testOverlay(programs) },
    pageHistory: function pageHistory() { return testPageHistory(programs) },
    pageCompare: function pageCompare() { return testPageCompare(programs) },
}
await runSuite(...(part ? [parts[part]] : Object.values(parts)))
