// Tests of the drivers themselves. If they pass, a failure of another test is not a fault of this driver.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../CaretPageTests/support.mjs'
import { freePort, temporaryFolder } from '../NodeSupport/programs.mjs'
import { startBrowser, testIn } from './browsers.mjs'

export { engines } from './browsers.mjs'

export async function testDriver(programs, engine) {
    const browser = await startBrowser(engine)
    const test = (name, body, ...needs) => testIn(browser, name, needs, body)
    const open = (body) => browser.open(`data:text/html,${encodeURIComponent(body)}`)

    await test('a page runs a function and waits for its promise', async () => {
        const page = await open('<p>Hello')
        assert.equal(await page.evaluate(async (a, b) => a + b + document.body.textContent, 1, '2'), '12Hello')
        await assert.rejects(page.evaluate(() => missing), /ReferenceError: (missing is not defined|Can't find variable: missing)/)
        assert.deepEqual(page.problems, [])
    })

    await test('a page waits for a change', async () => {
        const page = await open('<p>Hello<script>setTimeout(() => { document.title = "later" }, 50)</script>')
        assert.equal(await page.waitFor((title) => document.title === title && title, 'the title', 'later'), 'later')
    })

    await test('errors of a page are reported as its problems', async () => {
        const page = await open('<p>Hello')
        const image = `http://127.0.0.1:${await freePort()}/`
        await page.evaluate((src) => {
            console.log('fine')
            console.error('bad', 7)
            setTimeout(() => { throw new Error('worse') })
            document.body.append(Object.assign(new Image(), { src }))
        }, image)
        const expected = [/^console\.error: bad 7$/, /^(Error: worse|Script error\.)/, new RegExp(`${image}$`)]
        const isComplete = () => expected.every((one) => page.problems.some((problem) => one.test(problem)))
        await until(async () => (await page.evaluate(() => true)) && isComplete(), 'all problems').catch(() => {})
        assert.equal(page.problems.length, 3, String(page.problems))
        assert.ok(isComplete(), String(page.problems))
    })

    await test('what a page logs while it is loaded is reported too', async () => {
        const page = await open("<script>console.error('early')</script>")
        assert.deepEqual(page.problems, ['console.error: early'])
    }, 'earlyProblems')

    await test('a keyboard, a mouse and the size of the window are those of a user', async () => {
        const page = await open('<textarea></textarea><button>Press</button>')
        await page.setWindow({ width: 812, height: 375, scale: 1, insets: {} }, 'light')
        assert.deepEqual(await page.evaluate(() => [innerWidth, innerHeight]), [812, 375])
        await page.evaluate(() => {
            globalThis.field = document.querySelector('textarea')
            globalThis.events = []
            for (const type of ['input', 'keydown']) field.addEventListener(type, (event) => events.push([type, event.isTrusted, event.key]))
            document.querySelector('button').addEventListener('pointermove', () => { globalThis.isPointedAt = true })
            field.focus()
        })
        for (const key of ['a', 'Enter', '\u{1f600}', 'ArrowLeft', 'b']) await page.press(key)
        await page.press('ArrowLeft', { shift: true })
        await page.waitFor(() => field.selectionStart === 2, 'the selection')
        assert.deepEqual(await page.evaluate(() => [field.value, field.selectionEnd, field.selectionDirection]), ['a\nb\u{1f600}', 3, 'backward'])
        assert.ok(await page.evaluate(() => events.every(([, isTrusted]) => isTrusted)))
        await page.press('z', { ctrl: true })
        await page.waitFor(() => events.some(([type, , key]) => type === 'keydown' && key === 'z'), 'the key with Control')
        const { left, top } = await page.evaluate(() => document.querySelector('button').getBoundingClientRect().toJSON())
        await page.movePointer(left + 5, top + 5)
        await page.waitFor(() => globalThis.isPointedAt, 'the mouse')
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
