// The pages of the folder Examples, in two tabs each. They come from another site than the server, as their README says.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blocks } from '../NodeSupport/page.mjs'
import { freePort, run, start, startServer, temporaryFolder } from '../NodeSupport/programs.mjs'
import { atEnd, skip, test } from '../NodeSupport/suite.mjs'
import { startBrowser, testIn } from './browsers.mjs'
import { setWindow, windows } from './pages.mjs'

export { engines } from './browsers.mjs'

const folder = fileURLToPath(new URL('../../Examples', import.meta.url))
/** Where Debian's package libjs-codemirror has its files. */
const codeMirror = '/usr/share/javascript/codemirror'

export async function testExamples(programs, engine) {
    const site = await startSite()
    const server = await startServer(programs, ['--web-origins', site.origin])
    site.port = server.port
    const browser = await startBrowser(engine)

    /** Runs a test with two tabs of an example. */
    const testExample = (name, title, body) => test(`${name}: ${title}`, async () => {
        const tabs = []
        try {
            for (let count = 0; count < 2; count++) {
                tabs.push(await browser.open(`${site.origin}/${name}/`))
                await tabs[count].waitFor(() => document.querySelector('#status').textContent.startsWith('Saved.'), 'an open document')
            }
            await body(...tabs)
            for (const tab of tabs) assert.deepEqual(tab.problems, [])
        } finally {
            // Otherwise, the next test would find their carets.
            for (const tab of tabs) await tab.close()
        }
    })
    await testForm(testExample)
    await testMarkdown(testExample)
    await testCodeEditor(testExample, browser)
    await testLooks({ browser, site })
    await testWithoutServer({ browser, site })
    await testSignIn({ browser, programs })
}

const type = async (tab, text) => { for (const character of text) await tab.insert(character) }

async function testForm(testExample) {
    await testExample('form', 'both fields are live, and a caret stays at its words', async (ann, bob) => {
        for (const [id, text] of [['subject', 'Dinner'], ['message', 'Dear all,']]) {
            const shows = (text) => bob.waitFor((id, text) => document.getElementById(id).value === text, text, id, text)
            await ann.evaluate((id) => document.getElementById(id).focus(), id)
            await type(ann, text)
            await shows(text)
            await bob.evaluate((id) => {
                document.getElementById(id).focus()
                document.getElementById(id).setSelectionRange(0, 0)
            }, id)
            await type(bob, '> ')
            await ann.waitFor((id, text) => document.getElementById(id).value === text, 'both texts', id, `> ${text}`)
            await type(ann, '!')
            await shows(`> ${text}!`)
            assert.deepEqual(await bob.evaluate((id) => document.getElementById(id).selectionStart, id), 2)
        }
        await ann.waitFor(() => document.querySelector('#status').textContent === 'Saved. One other is here.', 'the status')
    })

    await testExample('form', 'Enter in the subject goes to the message', async (ann) => {
        await ann.evaluate(() => document.querySelector('#subject').focus())
        await ann.press('Enter')
        assert.equal(await ann.evaluate(() => document.activeElement.id), 'message')
    })
}

/** Markdown, and the HTML of its preview. */
const previews = [
    ['# Title\n\nSome *soft* and **strong _words_**\nin two lines', '<h1>Title</h1><p>Some <em>soft</em> and <strong>strong <em>words</em></strong>\nin two lines</p>'],
    ['- one\n- two\n  - three\n\n3. four', '<ul><li>one</li><li><p>two</p><ul><li>three</li></ul></li></ul><ol start="3"><li>four</li></ol>'],
    ['> quoted\n> `code` and snake_case_name\n\n---', '<blockquote><p>quoted\n<code>code</code> and snake_case_name</p></blockquote><hr>'],
    ['```js\n# <b>\n```\n\\*plain\\*', '<pre><code># &lt;b&gt;</code></pre><p>*plain*</p>'],
]

/** What must be shown as plain text, because it could run or load something. */
const hostile = [
    '<img src=x onerror="document.title = \'evil\'">', '<script>document.title = "evil"</script>',
    '<svg onload="document.title=\'evil\'">', '<iframe srcdoc="<script>top.document.title=\'evil\'</script>">',
    '[a](javascript:document.title="evil")', '[a](JaVaScRiPt:document.title="evil")', '[a](java\tscript:alert)',
    '[a](data:text/html,<script>1</script>)', '[a](vbscript:1)', '[a](//evil.test)', '![a](x.png)',
    '`<style>*{display:none}</style>`', '**<base href=//evil.test>**',
]

async function testMarkdown(testExample) {
    await testExample('markdown', 'the preview follows what both type', async (ann, bob) => {
        for (const [text, html] of previews) {
            await set(ann, text)
            await bob.waitFor((html) => document.querySelector('#preview').innerHTML === html, `the preview ${html}`, html)
        }
        await set(ann, '[the site](https://caret.test/a) and mailto:x, https://caret.test/b_c.')
        await bob.waitFor(() => document.querySelectorAll('#preview a').length === 2, 'two links')
        assert.deepEqual(await bob.evaluate(() => [...document.querySelectorAll('#preview a')].map((a) => [a.textContent, a.href, a.rel])), [
            ['the site', 'https://caret.test/a', 'noopener noreferrer nofollow'],
            ['https://caret.test/b_c', 'https://caret.test/b_c', 'noopener noreferrer nofollow'],
        ])
        await set(ann, '')
    })

    await testExample('markdown', 'a hostile text runs nothing and loads nothing', async (ann, bob) => {
        const text = hostile.join('\n\n')
        await set(ann, text)
        await bob.waitFor((count) => document.querySelectorAll('#preview > p').length === count, 'all paragraphs', hostile.length)
        const found = await bob.evaluate(() => {
            const nodes = [...document.querySelectorAll('#preview *')]
            return [document.title, [...new Set(nodes.map(({ localName }) => localName))].sort(), nodes.flatMap((one) => [...one.attributes].map(({ name }) => name))]
        })
        assert.deepEqual(found, ['Markdown with a live preview', ['code', 'p', 'strong'], []])
        const shown = await bob.evaluate(() => document.querySelector('#preview').textContent)
        for (const part of ['<img src=x onerror=', '<svg onload=', '(JaVaScRiPt:', '(data:text/html', '<base']) assert.ok(shown.includes(part), part)
        await set(ann, '')
    })

    await testExample('markdown', 'endless marks and nesting are shown, and the page goes on', async (ann, bob) => {
        for (const unit of ['>', '- ', '**a', '*a ', '_', '[', '[a](', '`a', '> - ', '\\']) {
            await set(ann, unit.repeat(20_000 / unit.length))
            await bob.waitFor(() => document.querySelector('#preview').textContent.length > 1000, `a preview of ${unit}`)
            await set(ann, 'short')
            await bob.waitFor(() => document.querySelector('#preview').textContent === 'short', 'the next preview')
        }
        await set(ann, 'x'.repeat(200_001))
        await bob.waitFor(() => document.querySelector('#preview').textContent.includes('too long'), 'no preview')
        await set(ann, '')
    })
}

/** Replaces the text of the Markdown page. */
async function set(tab, text) {
    await tab.evaluate((text) => {
        const field = document.querySelector('#text')
        field.focus()
        field.value = text
        field.dispatchEvent(new InputEvent('input'))
    }, text)
}

async function testCodeEditor(testExample, browser) {
    const name = 'code-editor'
    if (!existsSync(join(codeMirror, 'lib/codemirror.js'))) {
        return skip(`${name}: all tests`, `Debian's package libjs-codemirror is not installed in ${codeMirror}`)
    }
    const text = (tab) => tab.evaluate(() => document.querySelector('.CodeMirror').CodeMirror.getValue())
    const shows = (tab, text) => tab.waitFor((text) => document.querySelector('.CodeMirror').CodeMirror.getValue() === text, text.slice(0, 40), text)
    const select = (tab, ...ranges) => tab.evaluate((ranges) => {
        const editor = document.querySelector('.CodeMirror').CodeMirror
        editor.focus()
        editor.setSelections(ranges.map(([anchor, head]) => ({ anchor: editor.posFromIndex(anchor), head: editor.posFromIndex(head) })))
    }, ranges)
    const selections = (tab) => tab.evaluate(() => {
        const editor = document.querySelector('.CodeMirror').CodeMirror
        return editor.listSelections().map(({ anchor, head }) => [editor.indexFromPos(anchor), editor.indexFromPos(head)])
    })
    const replace = (tab, text) => tab.evaluate((text) => document.querySelector('.CodeMirror').CodeMirror.setValue(text), text)

    await testExample(name, 'what one types appears in the other, and a selection stays', async (ann, bob) => {
        await select(ann, [0, 0])
        await type(ann, 'let x = 1\nx++')
        await shows(bob, 'let x = 1\nx++')
        await select(bob, [13, 10])
        await ann.waitFor(() => document.querySelectorAll('.other-caret').length === 1, 'the caret of the other')
        assert.match(await ann.evaluate(() => document.querySelector('.other-caret').dataset.name), /^Guest \d+$/)
        await select(ann, [4, 5])
        await type(ann, 'count')
        await shows(bob, 'let count = 1\nx++')
        assert.deepEqual(await selections(bob), [[17, 14]])
        await replace(ann, '')
        await shows(bob, '')
    })

    await testExample(name, 'several carets type at once', async (ann, bob) => {
        await replace(ann, 'a\nb\nc')
        await shows(bob, 'a\nb\nc')
        await select(bob, [5, 5])
        await select(ann, [0, 0], [2, 2], [4, 4])
        await type(ann, '- ')
        await shows(bob, '- a\n- b\n- c')
        assert.deepEqual(await selections(ann), [[2, 2], [6, 6], [10, 10]])
        assert.deepEqual(await selections(bob), [[11, 11]])
        await replace(ann, '')
        await shows(bob, '')
    })

    await testExample(name, 'undo and redo change only what the user has typed', async (ann, bob) => {
        await select(ann, [0, 0])
        await type(ann, 'abc')
        await shows(bob, 'abc')
        await select(bob, [0, 0])
        await type(bob, 'x')
        await shows(ann, 'xabc')
        await ann.press('z', { ctrl: true })
        await shows(ann, 'x')
        await ann.press('z', { ctrl: true, shift: true })
        await select(ann, [4, 4])
        await type(ann, '!')
        await shows(bob, 'xabc!')
        await ann.evaluate(() => document.querySelector('.CodeMirror').CodeMirror.undo())
        assert.equal(await text(ann), 'xabc!')
        await replace(ann, '')
        await shows(bob, '')
    })

    await testExample(name, 'the view stays at its line while others type above it', async (ann, bob) => {
        const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n')
        await replace(ann, lines)
        await shows(bob, lines)
        const top = () => bob.evaluate(() => {
            const editor = document.querySelector('.CodeMirror').CodeMirror
            return editor.getLine(editor.lineAtHeight(editor.getScrollInfo().top, 'local'))
        })
        await bob.evaluate(() => {
            const editor = document.querySelector('.CodeMirror').CodeMirror
            editor.scrollTo(null, editor.heightAtLine(100, 'local') + 3)
        })
        const before = await top()
        await select(ann, [0, 0])
        await type(ann, 'new\nnew\n')
        await shows(bob, `new\nnew\n${lines}`)
        assert.equal(await top(), before)
        await replace(ann, '')
        await shows(bob, '')
    })

    if (browser.lacks.compositions) return
    await testExample(name, 'an input method is not disturbed', async (ann, bob) => {
        await select(ann, [0, 0])
        await ann.compose('に')
        await shows(bob, 'に')
        // No keyboard is used, because a browser ends a composition when another of its windows gets the focus.
        await bob.evaluate(() => document.querySelector('.CodeMirror').CodeMirror.replaceRange('x', { line: 0, ch: 0 }))
        await ann.compose('にほん')
        await ann.commit('日本')
        await shows(ann, 'x日本')
        await shows(bob, 'x日本')
        await replace(ann, '')
        await shows(bob, '')
    })
}

async function testLooks({ browser, site }) {
    const names = ['form', 'markdown', ...(existsSync(codeMirror) ? ['code-editor'] : [])]
    for (const name of names) {
        for (const [size, scheme] of [['small', 'dark'], ['phone', 'light'], ['desktop', 'dark']]) {
            const needs = scheme === 'dark' ? ['colorSchemes'] : []
            await testIn(browser, `${name} fits its window: ${size}, ${scheme}`, needs, async () => {
                const tab = await browser.open('about:blank')
                await setWindow(tab, windows[size], scheme)
                await tab.goTo(`${site.origin}/${name}/`)
                await tab.waitFor(() => document.querySelector('#status').textContent.startsWith('Saved.'), 'an open document')
                const [isWide, luminance] = await tab.evaluate(() => [
                    document.documentElement.scrollWidth > innerWidth,
                    getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map(Number)[0],
                ])
                assert.equal(isWide, false)
                assert.ok(scheme === 'dark' ? luminance < 80 : luminance > 170, `${luminance}`)
                const { CARET_PICTURES: pictures } = process.env
                if (pictures) await tab.screenshot(join(pictures, `${name}-${size}-${scheme}.png`))
                assert.deepEqual(tab.problems, [])
                await tab.close()
            })
        }
    }
}

async function testWithoutServer({ browser, site }) {
    await test('an example without a server says what it waits for', async () => {
        const { port } = site
        // Nobody listens there.
        site.port = 9
        const tab = await browser.open(`${site.origin}/form/`)
        assert.match(await tab.evaluate(() => document.querySelector('#status').textContent), /^Waiting for the server at http:/)
        await tab.close()
        site.port = port
    })

    await test('the READMEs name the addresses that the examples use', () => {
        const [run, serve] = blocks('Examples/README.md', 'Run them', 'sh')
        assert.ok(run.includes('--web-origins http://127.0.0.1:8000'), run)
        assert.ok(serve.includes('8000 --bind 127.0.0.1 --directory Examples'), serve)
        assert.ok(blocks('Examples/code-editor/README.md', 'A code editor', 'sh')[0].includes(`${codeMirror} Examples/code-editor/codemirror`))
    })

    await test('the adapter in docs/client-js.md is that of the code editor', () => {
        const [page] = blocks('docs/client-js.md', 'Another editor', 'js')
        const adapter = readFileSync(join(folder, 'code-editor/code-mirror-surface.js'), 'utf8')
        for (const line of page.split('\n').filter((line) => line.trim() !== '')) assert.ok(adapter.includes(line.trim()), line)
    })
}

/** The example with a site of its own. Its tokens end so soon that the clients get new ones during the test. */
async function testSignIn({ browser, programs }) {
    await test('sign-in: a right goes away and comes back with the next token, and nothing is closed', async () => {
        const { origin } = await startSigningSite(programs)
        const signIn = async (user) => {
            const tab = await browser.open(`${origin}/`)
            await tab.waitFor(() => !document.querySelector('#signed-out').hidden, 'the buttons')
            await tab.loads(() => tab.evaluate((user) => document.querySelector(`[formaction='/sign-in/${user}']`).click(), user))
            await tab.waitFor(() => document.querySelector('#status').textContent.startsWith('Saved.'), 'an open document')
            return tab
        }
        const [ann, bob] = [await signIn('ann'), await signIn('bob')]
        const waitForRight = (mayWrite) => bob.waitFor((mayWrite) => document.querySelector('#notes').readOnly !== mayWrite, `a right: ${mayWrite}`, mayWrite)
        const press = (tab, button) => tab.evaluate((button) => document.querySelector(button).click(), button)
        await ann.evaluate(() => document.querySelector('#notes').focus())
        await type(ann, 'Milk')
        await bob.waitFor(() => document.querySelector('#notes').value === 'Milk', 'the text')
        await waitForRight(true)
        await press(ann, '#writers')
        await waitForRight(false)
        await type(ann, '!')
        await bob.waitFor(() => document.querySelector('#notes').value === 'Milk!', 'the text of ann')
        await press(ann, '#writers')
        await waitForRight(true)
        await bob.loads(() => press(bob, '[formaction="/sign-out"]'))
        await bob.waitFor(() => document.querySelector('#status').textContent === 'Nobody is signed in.', 'the page without a user')
        for (const tab of [ann, bob]) {
            // Browsers also look for an icon.
            assert.deepEqual(tab.problems.filter((problem) => !problem.includes('/favicon.ico')), [])
            await tab.close()
        }
    })
}

/** A copy of the site for a new Caret server. */
async function startSigningSite(programs) {
    const here = temporaryFolder()
    const keys = 'openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out public.pem'
    assert.equal((await run('/bin/sh', ['-c', `cd ${here} && ${keys}`])).status, 0)
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const options = ['--require-tokens', '--token-keys', join(here, 'public.pem'), '--token-audience', 'notes.example.org']
    const server = await startServer(programs, ['--web-origins', origin, ...options])
    for (const name of ['sign-in', 'shared']) cpSync(join(folder, name), join(here, name), { recursive: true })
    for (const [name, from, to] of [
        ['site.mjs', 'tokenLife = 30', 'tokenLife = 12'], ['index.html', '22738', server.port], ['sign-in.js', '22738', server.port],
    ]) {
        const text = readFileSync(join(here, 'sign-in', name), 'utf8')
        assert.ok(text.includes(from), name)
        writeFileSync(join(here, 'sign-in', name), text.replaceAll(from, to))
    }
    const site = start('node', [join(here, 'sign-in/site.mjs'), join(here, 'key.pem'), String(port)])
    await site.line(/ is at http:/)
    return { origin }
}

/** A web server for the folder. It puts the port of the Caret server in place of the usual one. */
async function startSite() {
    const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' }
    const site = { port: 0 }
    const server = createServer((request, response) => {
        const { pathname } = new URL(request.url, 'http://127.0.0.1')
        const file = pathname.replace(/\/$/, '/index.html')
        const linked = '/code-editor/codemirror/'
        const path = file.startsWith(linked) ? join(codeMirror, file.slice(linked.length)) : join(folder, file)
        // Browsers also look for an icon.
        if (!types[extname(path)]) return response.writeHead(204).end()
        if (!existsSync(path)) return response.writeHead(404).end()
        response.setHeader('Content-Type', types[extname(path)])
        response.end(readFileSync(path, 'utf8').replaceAll('127.0.0.1:22738', `127.0.0.1:${site.port}`))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => { server.close(), server.closeAllConnections() })
    return Object.assign(site, { origin: `http://127.0.0.1:${server.address().port}` })
}
