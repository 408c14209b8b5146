// Tests of chromium.mjs itself. If they pass, a failure of another test is not a fault of this driver.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { startChromium } from './chromium.mjs'

export async function testDriver() {
    const browser = await startChromium()
    const open = (body) => browser.open(`data:text/html,${encodeURIComponent(body)}`)

    await test('a page runs a function and waits for its promise', async () => {
        const page = await open('<p>Hello')
        assert.equal(await page.evaluate(async (a, b) => a + b + document.body.textContent, 1, '2'), '12Hello')
        await assert.rejects(page.evaluate(() => missing), /ReferenceError: missing is not defined/)
        assert.deepEqual(page.problems, [])
    })

    await test('a page waits for a change', async () => {
        const page = await open('<p>Hello<script>setTimeout(() => { document.title = "later" }, 50)</script>')
        assert.equal(await page.waitFor((title) => document.title === title && title, 'the title', 'later'), 'later')
    })

    await test('errors of a page are reported as its problems', async () => {
        const page = await open(`<script>console.log('fine'); console.error('bad', 7)</script>
            <script>throw new Error('worse')</script><img src="http://127.0.0.1:9/">`)
        await page.waitFor(() => document.images[0].complete, 'the end of loading')
        // Messages of the network may arrive before those of scripts.
        const [exception, request, error] = page.problems.sort()
        assert.equal(error, 'console.error: bad 7')
        assert.match(exception, /^Error: worse/)
        assert.match(request, /^Failed to load resource: .* http:\/\/127\.0\.0\.1:9\/$/)
        assert.equal(page.problems.length, 3)
    })

    await test('a picture shows the page', async () => {
        const page = await open('<body style="background: red">')
        const path = join(temporaryFolder(), 'picture.png')
        await page.screenshot(path)
        assert.equal(readFileSync(path).subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n')
        await page.close()
    })

    await browser.close()
}
