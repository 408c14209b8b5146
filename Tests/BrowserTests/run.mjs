// Tests that need a real browser.
//
//     node Tests/BrowserTests/run.mjs .build/release
//
// Ends with 'N passed, N failed'.
import { runSuite } from '../NodeSupport/suite.mjs'
import { testDriver } from './driver.mjs'
import { testGuard } from './guard.mjs'

const [programs] = process.argv.slice(2)
await runSuite(testDriver, function guard() { return testGuard(programs) })
