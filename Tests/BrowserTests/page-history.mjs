// The history of a document, on the page in Chromium.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { press, pressOn, replace, shows, type } from './page-support.mjs'
import { setWindow, startPages, windows } from './pages.mjs'
import { atRevision, compared, settled, testWindows, text } from './screen-checks.mjs'

export async function testPageHistory(programs) {
    const pages = await startPages(programs)
    await pages.server.caret(['put', 'notes', '--create'], 'One two three\n')
    const notes = pages.caret.open('notes')
    await notes.opened()
    for (const word of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']) {
        notes.append(word)
        await notes.saved()
    }
    notes.replaceText(notes.text.replace('two', '<b>2</b>'))
    await notes.saved()
    notes.select([[0, 0]])
    await testPlaces(pages)
    await testBeginnings(pages)
    await testPlaying(pages, notes)
    await testAuthors(pages)
    await testRestoring(pages)
    await testTags(pages)
    await testLife(pages)
    await testWindows(pages, '?rev=1', settled)
    await testReader(programs)
    await testOffline(pages)
}

async function testPlaces({ testPage }) {
    await testPage('the newest revision shows what it changed, and by whom', '/d/notes?rev=', async (page) => {
        await atRevision(page, 14)
        await page.waitFor(() => document.querySelector('.history-author b').textContent === 'Bob', 'the name of the author')
        const marks = await page.evaluate(() => ['ins', 'del'].map((tag) => [...document.querySelectorAll(`.history-text ${tag}`)].map((one) => one.textContent)))
        assert.deepEqual(marks, [['<b>2</b>'], ['two']])
        const color = await page.evaluate(() => getComputedStyle(document.querySelector('ins')).textDecorationColor)
        assert.equal(color, 'rgb(187, 84, 15)')
        assert.equal(await page.evaluate(() => document.title), 'History of notes \u00b7 Caret')
    })

    await testPage('arrow keys step by one revision, and by ten with shift', '/d/notes?rev=12', async (page) => {
        await atRevision(page, 12)
        await press(page, 'ArrowLeft')
        await atRevision(page, 11)
        assert.equal(await text(page), 'One two three\nabcdefghij')
        await press(page, 'ArrowLeft', { shift: true })
        await atRevision(page, 1)
        await press(page, 'ArrowRight', { shift: true })
        await page.evaluate(() => document.querySelector('.history-slider input').focus())
        await press(page, 'ArrowUp')
        await atRevision(page, 12)
        await press(page, 'Home')
        await page.waitFor(() => document.querySelector('.history-text .empty'), 'the empty text')
        await press(page, 'End')
        await atRevision(page, 14)
    })

    await testPage('the slider says its place to screen readers', '/d/notes?rev=3', async (page) => {
        await atRevision(page, 3)
        await page.waitFor(() => document.querySelector('.history-author b').textContent === 'Bob', 'the name of the author')
        const slider = await page.evaluate(() => {
            const { min, max, value } = document.querySelector('.history-slider input')
            return { min, max, value, words: document.querySelector('.history-slider input').getAttribute('aria-valuetext') }
        })
        assert.deepEqual([slider.min, slider.max, slider.value], ['0', '14', '3'])
        assert.match(slider.words, /^Revision 3 of 14, by Bob, \d+ \w+ \d{4}, \d\d:\d\d:\d\d, added 1\scharacter$/)
        const unnamed = await page.evaluate(() => [...document.querySelectorAll('main .screen :is(button, a, input, [tabindex])')]
            .filter((one) => !one.getAttribute('aria-label') && !one.textContent.trim()).map((one) => one.outerHTML))
        assert.deepEqual(unnamed, [])
    })

    await testPage('the address follows the place, and the browser goes back', '/d/notes?rev=9', async (page) => {
        await atRevision(page, 9)
        const entries = await page.evaluate(() => history.length)
        await pressOn(page, 'Previous change')
        await page.waitFor(() => location.search === '?rev=8', 'the address')
        assert.equal(await page.evaluate(() => history.length), entries)
        await pressOn(page, 'Compare with now')
        await compared(page)
        assert.equal(await page.evaluate(() => location.search), '?from=8')
        await page.evaluate(() => history.back())
        await atRevision(page, 8)
    })
}

async function testBeginnings({ testPage, put, putTrimmed }) {
    await putTrimmed()
    await testPage('a history that was trimmed says where it begins', '/d/trimmed?rev=2', async (page) => {
        await settled(page)
        const said = await page.evaluate(() => [document.querySelector('.history-author').textContent, document.querySelector('.history-slider input').min])
        assert.match(said[0], /^History begins at revision 5/)
        assert.equal(said[1], '5')
        assert.equal(await text(page), 'Kept\n0\n1\n2\n3\n')
        await press(page, 'ArrowRight')
        await atRevision(page, 6)
        assert.equal(await page.evaluate(() => document.querySelector('ins').textContent), '4\n')
    })

    await put('new')
    await testPage('a document without changes says so', '/d/new?rev=', async (page) => {
        await settled(page)
        assert.match(await page.evaluate(() => document.querySelector('.history-author').textContent), /^No changes yet/)
        assert.equal(await page.evaluate(() => document.querySelector('.history-keys').checkVisibility()), false)
    })

    await testPage('a document that does not exist says so', '/d/nothing?rev=3', async (page) => {
        await page.waitFor(() => document.querySelector('[role="alert"] h2')?.textContent === 'No such document', 'the error')
        assert.ok(await page.evaluate(() => document.querySelector('[role="alert"] a[href="/"]')))
    })
}

async function testPlaying({ testPage }, notes) {
    await testPage('play shows each step to the end, and pause stops', '/d/notes?rev=0', async (page) => {
        await settled(page)
        await pressOn(page, 'Play')
        await page.waitFor(() => document.querySelector('.play').getAttribute('aria-label') === 'Play'
            && document.querySelector('.history-slider input').value === '14', 'the end')
        assert.match(await text(page), /<b>2<\/b>/)
        const stopped = await page.evaluate(async () => {
            const [play, slider] = [document.querySelector('.play'), document.querySelector('.history-slider input')]
            // Each step ends with a timer. `timers` end when these have fired.
            const timers = []
            const { setTimeout } = window
            window.setTimeout = (run, delay) => void timers.push(new Promise((fired) => setTimeout(() => fired(run()), delay)))
            play.click()
            while (timers.length === 0) await new Promise(requestAnimationFrame)
            const during = play.getAttribute('aria-label')
            window.setTimeout = setTimeout
            play.click()
            const place = slider.value
            await Promise.all(timers)
            // Without the pause, the next step would be shown by now.
            await new Promise(requestAnimationFrame)
            return { during, after: play.getAttribute('aria-label'), hasMoved: slider.value !== place, place }
        })
        assert.deepEqual(stopped, { during: 'Pause', after: 'Play', hasMoved: false, place: stopped.place })
        assert.notEqual(stopped.place, '14')
    })

    await testPage('when the head moves, the slider grows and the place stays', '/d/notes?rev=5', async (page) => {
        await atRevision(page, 5)
        const before = notes.revision
        notes.append('more')
        await notes.saved()
        await page.waitFor((head) => Number(document.querySelector('.history-slider input').max) === head, 'the new head', before + 1)
        await atRevision(page, 5)
        await page.evaluate(() => document.querySelector('.history-slider input').focus())
        await press(page, 'End')
        await page.waitFor(() => document.querySelector('ins')?.textContent === 'more', 'the new change')
    })
}

async function testAuthors({ testPage, server, caret }) {
    await server.caret(['put', 'shared', '--create'], 'Written by somebody else\n')
    const shared = caret.open('shared')
    await shared.opened()
    for (const line of ['b\n', 'c\n']) {
        shared.append(line)
        await shared.saved()
    }
    shared.select([[0, 0]])
    await testPage('only the changes by one person can be shown', '/d/shared?rev=1', async (page) => {
        await atRevision(page, 1)
        await page.waitFor(() => !document.querySelector('[aria-label="Show changes by one person"]').disabled, 'the button')
        // The names of people who are there arrive after the history.
        await page.waitFor(async () => {
            document.querySelector('[aria-label="Show changes by one person"]').click()
            const found = [...document.querySelectorAll('dialog menu button')].find((one) => one.textContent.includes('Bob \u00b7'))
            if (found) found.click()
            else document.querySelector('dialog')?.close()
            return found
        }, 'Bob in the list')
        await page.waitFor(() => document.querySelector('.history-banners').textContent.includes('Only changes by Bob'), 'the filter')
        await atRevision(page, 2)
        await pressOn(page, 'Previous change')
        await press(page, 'ArrowRight')
        await atRevision(page, 3)
        await pressOn(page, 'Show all')
        await page.waitFor(() => !document.querySelector('.history-banners').textContent, 'no filter')
    })
}

async function testRestoring({ testPage, put, caret }) {
    const plan = await put('plan', 'First\n')
    plan.replaceText('Second\n')
    await plan.saved()
    await testPage('an old text is restored after a question', '/d/plan?rev=1', async (page) => {
        await atRevision(page, 1)
        await pressOn(page, 'Restore this')
        await page.waitFor(() => document.querySelector('dialog')?.textContent.includes('revision 1'), 'the question')
        assert.equal(plan.text, 'Second\n')
        await pressOn(page, 'Restore')
        await page.waitFor(() => document.body.dataset.screen === 'editor', 'the editor')
        assert.equal((await caret.read('plan')).text, 'First\n')
    })

    await testPage('the newest text cannot be restored', '/d/plan?rev=', async (page) => {
        await settled(page)
        assert.deepEqual(await page.evaluate(() => [document.querySelector('.restore').disabled, document.querySelector('.restore').title]), [true, 'This is the newest text'])
    })
}

async function testLife({ testPage, put, caret, server }) {
    const draft = await put('draft', 'A text that somebody needs\n')
    draft.append('More\n')
    await draft.saved()
    await testPage('after a rename, the history is that of the new name', '/d/draft?rev=1', async (page) => {
        await atRevision(page, 1)
        await caret.rename('draft', 'drafts/final')
        await page.waitFor(() => location.pathname === '/d/drafts/final', 'the new address')
        await atRevision(page, 1)
        assert.equal(await text(page), 'A text that somebody needs\n')
    })

    await testPage('the text of a deleted document stays, until the user leaves it', '/d/drafts/final?rev=1', async (page) => {
        await atRevision(page, 1)
        await caret.delete('drafts/final')
        await page.waitFor(() => document.querySelector('.banner')?.textContent.startsWith('The document was deleted'), 'the banner')
        await press(page, 'ArrowRight')
        await atRevision(page, 2)
        assert.equal(await page.evaluate(() => document.querySelector('.restore').title), 'The document was deleted')
        await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text } })
        await pressOn(page, 'Copy this text')
        await page.waitFor(() => document.querySelector('.notices')?.textContent.includes('is copied'), 'the notice')
        assert.equal(await page.evaluate(() => window.copied), 'A text that somebody needs\nMore\n')
        await server.caret(['put', 'drafts/final', '--create'], 'Another text\n')
        await page.waitFor(() => document.querySelector('.banner')?.textContent.startsWith('The document was deleted and created again.'), 'the other banner')
        assert.equal(await text(page), 'A text that somebody needs\nMore\n')
        await pressOn(page, 'Show the new one')
        await page.waitFor(() => document.querySelector('.history-text').textContent === 'Another text\n' && !document.querySelector('.banner'), 'the new document')
    })

    const hostile = await put('hostile', '<img src=x onerror=alert(1)>\n\u202egnp.exe\n')
    hostile.append('<script>document.title = "gone"</script>\n'.repeat(3) + 'w'.repeat(3000))
    await hostile.saved()
    await testPage('a hostile text is only text, and stays in its box', '/d/hostile?rev=2', async (page) => {
        await setWindow(page, windows.small)
        await atRevision(page, 2)
        const found = await page.evaluate(() => [
            document.querySelectorAll('main :is(img, script)').length, document.documentElement.scrollWidth,
            document.querySelector('.history-text').scrollWidth,
        ])
        assert.deepEqual(found.slice(0, 2), [0, 320])
        assert.ok(found[2] <= 320)
        await page.evaluate(() => [...document.querySelectorAll('a')].find((one) => one.getAttribute('aria-label') === 'Compare with now').click())
        await compared(page)
        assert.deepEqual(await page.evaluate(() => [document.querySelectorAll('main :is(img, script)').length, document.documentElement.scrollWidth]), [0, 320])
    })
}

async function testTags({ testPage, caret, put }) {
    const draft = await put('named', 'One\n')
    for (const word of ['Two\n', 'Three\n', 'Four\n']) {
        draft.append(word)
        await draft.saved()
    }
    const problem = (page, words) => shows(page, '.problem', words)
    await testPage('a revision gets a name, and others see it', '/d/named?rev=2', async (page) => {
        await atRevision(page, 2)
        await pressOn(page, 'Named revisions')
        await shows(page, '.tags', 'No revision has a name yet.')
        await type(page, 'two words')
        await problem(page, 'A name has no spaces. Write - between the words.')
        await replace(page, 'two-words')
        await press(page, 'Enter')
        await shows(page, '.tags', /^two-words Revision 2, \d+ \w+, \d\d:\d\d$/)
        assert.deepEqual((await caret.tags('named')).map(({ name, revision }) => [name, revision]), [['two-words', 2]])
        await press(page, 'Escape')
        await shows(page, '.names', 'two-words')
        const said = await page.evaluate(() => document.querySelector('.history-slider input').getAttribute('aria-valuetext'))
        assert.match(said, /^Revision 2 of 4, two-words, by /)
        const places = await page.evaluate(() => {
            const middle = (node) => { const { left, right } = node.getBoundingClientRect(); return (left + right) / 2 }
            const { left, width } = document.querySelector('.history-slider').getBoundingClientRect()
            return [middle(document.querySelector('.mark.tag')), left + width / 2]
        })
        assert.ok(Math.abs(places[0] - places[1]) < 1, places.join())
    })

    await testPage('a named revision is found, and loses its name', '/d/named?rev=', async (page) => {
        await atRevision(page, 4)
        await shows(page, '.names', '')
        await pressOn(page, 'Named revisions')
        await page.waitFor(() => document.querySelector('.tags b')?.textContent === 'two-words', 'the name')
        await page.evaluate(() => document.querySelector('.tags b').closest('button').click())
        await atRevision(page, 2)
        await pressOn(page, 'Named revisions')
        await type(page, 'draft')
        // Somebody else is faster.
        await caret.tag('named', 3, 'draft')
        await press(page, 'Enter')
        await problem(page, 'Another revision has this name. Somebody else has just used it.')
        await page.waitFor(() => document.querySelectorAll('.tags b').length === 2, 'the name by somebody else')
        await caret.untag('named', 'two-words')
        await pressOn(page, 'Remove the name two-words')
        await problem(page, 'Somebody else has already removed this name.')
        await pressOn(page, 'Remove the name draft')
        await shows(page, '.tags', 'No revision has a name yet.')
        assert.equal(await page.evaluate(() => document.activeElement.closest('dialog') !== null), true)
        assert.deepEqual(await caret.tags('named'), [])
    })

    await caret.tag('named', 2, 'a'.repeat(64))
    await caret.tag('named', 2, 'b'.repeat(64))
    for (const [name, window] of Object.entries(windows)) {
        await testPage(`long names fit a window of ${name}`, '/d/named?rev=2', async (page) => {
            await atRevision(page, 2)
            await shows(page, '.names', /^a{64}, b{64}$/)
            const high = () => page.evaluate(() => document.querySelector('.player').getBoundingClientRect().height)
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), window.width)
            // On a wide window, everything about the revision is in one row.
            const ends = await page.evaluate(() => ['time', '.names span', '.number'].map((selector) =>
                Math.round(document.querySelector(`.history-author ${selector}`).getBoundingClientRect().bottom)))
            if (window.width >= 700) assert.deepEqual(ends, Array(3).fill(ends[0]))
            const before = await high()
            await press(page, 'ArrowRight')
            await atRevision(page, 3)
            assert.equal(await high(), before)
            await pressOn(page, 'Named revisions')
            await page.waitFor(() => document.querySelectorAll('.tags b').length === 2, 'the names')
            const outside = await page.evaluate(() => {
                const sheet = document.querySelector('dialog').getBoundingClientRect()
                return [...document.querySelectorAll('dialog :is(button, input, b)')].map((one) => one.getBoundingClientRect())
                    .filter(({ left, right }) => left < sheet.left || right > sheet.right).length
            })
            assert.equal(outside, 0)
        }, window)
    }
}

async function testReader(programs) {
    const { server, openPage, addToken } = await startPages(programs, ['--require-tokens'])
    await server.caret(['put', 'rules', '--create'], 'One\n')
    await server.caret(['put', 'rules'], 'Two\n')
    const token = await addToken('eve', '--read', 'rules')
    await test('a user who may only read cannot restore an old text', async () => {
        const page = await openPage(`/d/rules?rev=1#token=${token}`)
        await atRevision(page, 1)
        await page.waitFor(() => document.querySelector('.restore').title === 'You may only read this document', 'the reason')
        assert.equal(await page.evaluate(() => document.querySelector('.restore').disabled), true)
        assert.deepEqual(page.problems, [])
        await page.close()
    })
    await test('a user who may only read sees names, and cannot change them', async () => {
        await server.caret(['tag', 'rules@1', 'first'])
        const page = await openPage(`/d/rules?rev=1#token=${token}`)
        await page.waitFor(() => document.querySelector('.restore')?.title === 'You may only read this document', 'the rights')
        await shows(page, '.names', 'first')
        await pressOn(page, 'Named revisions')
        await page.waitFor(() => document.querySelector('.tags b')?.textContent === 'first', 'the name')
        assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('dialog :is(form, [aria-label^=Remove])')].length), 0)
        assert.deepEqual(page.problems, [])
        await page.close()
    })
    await server.stop()
}

async function testOffline({ openPage, server }) {
    await test('without a connection, what is loaded can be played', async () => {
        const page = await openPage('/d/notes?rev=3')
        await atRevision(page, 3)
        await server.stop()
        await page.waitFor(() => document.querySelector('.banner')?.textContent === 'Offline. What is loaded can be played.', 'the banner')
        assert.deepEqual(await page.evaluate(() => [document.querySelector('.restore').disabled, document.querySelector('.restore').title]), [true, 'This needs a connection'])
        await pressOn(page, 'Play')
        await page.waitFor(() => document.querySelector('.history-slider input').value === document.querySelector('.history-slider input').max, 'the end')
        await page.close()
    })
}
