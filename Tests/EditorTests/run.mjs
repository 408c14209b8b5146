// Tests the extension for VS Code.
//
//     node Tests/EditorTests/run.mjs
//
// CARET_BIN names the folder with caretd and caret; .build/debug if it is not set. CARET_FULL makes random typing
// longer. Ends with 'N passed, N failed'.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runSuite } from '../NodeSupport/suite.mjs'
import { testPackage } from './package.mjs'
import { testSession } from './session.mjs'
import { testVSCode } from './vscode.mjs'

const programs = resolve(process.env.CARET_BIN ?? fileURLToPath(new URL('../../.build/debug', import.meta.url)))
// Variables named CARET_… would configure the programs.
for (const name of Object.keys(process.env)) if (/^CARET_(?!FULL$)/.test(name)) delete process.env[name]

await runSuite(testSession, testPackage, function vscode() { return testVSCode(programs) })
