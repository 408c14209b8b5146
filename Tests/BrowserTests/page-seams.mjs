// What a user does across several screens of the page, and what must not be lost on the way.
import assert from 'node:assert/strict'
import { until } from '../CaretPageTests/support.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { click, asksBeforeLeaving, goOffline, inSituation, insert, showsText, words } from './page-editor.mjs'
import { box, connectsNow, hasPageOffline, pressOn, reloads, shows, trapAtInsert, trapsOnDemand, type } from './page-support.mjs'
import { startPages, windows } from './pages.mjs'
import { startRelay } from './relay.mjs'
import { compared } from './screen-checks.mjs'

export async function testPageSeams(programs) {
    const pages = await startPages(programs)
    await testCreating(pages)
    await testFaults(pages)
    await testComparing(pages)
    await testKept(pages)
    await testOtherUsers(programs)
}

async function testCreating({ testPage, caret }) {
    await testPage('a document that was not found is created from the list', '/d/later', async (page) => {
        await inSituation(page, 'missing')
        await pressOn(page, 'New document')
        await page.waitFor(() => document.activeElement.matches('dialog input'), 'the field with the focus')
        await type(page, 'later')
        await pressOn(page, 'Create')
        await inSituation(page, 'saved')
        await insert(page, 'Now')
        const later = caret.open('later')
        await until(() => later.text === 'Now', 'the typed text')
        await shows(page, '.words', 'Saved')
    })

    await testPage('the editor and the list delete in the same way', '/d/later', async (page) => {
        await inSituation(page, 'saved')
        const question = /You can bring it back for a while\./
        await pressOn(page, 'More about later')
        await pressOn(page, 'Delete')
        await shows(page, '.sheet-body', question)
        await pressOn(page, 'Cancel')
        await page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
        await click(page, '.editor .name')
        await pressOn(page, 'Delete')
        await shows(page, 'dialog:last-of-type .sheet-body', question)
        await click(page, 'dialog[open] .danger', 'Delete')
        await page.waitFor(() => location.pathname === '/', 'the documents')
        await assert.rejects(caret.read('later'), { code: 'not_found' })
    })
}

async function testFaults({ testPage, put, openPage, origin }) {
    await put('plain/text', 'Only to read\n')
    await test('a browser without WebAssembly shows the text', async () => {
        const page = await openPage('/')
        await page.send('Page.addScriptToEvaluateOnNewDocument', { source: 'delete globalThis.WebAssembly' })
        await page.goTo(`${origin}/d/plain/text`)
        await page.waitFor(() => document.querySelector('.to-copy')?.value === 'Only to read\n', 'the text')
        assert.equal(await page.evaluate(() => document.querySelector('.to-copy').readOnly), true)
        assert.match(await words(page, '.plain'), /This browser has no WebAssembly/)
        await page.goTo(`${origin}/d/missing`)
        await page.waitFor(() => /there is no such document/.test(document.querySelector('.plain')?.textContent), 'the reason')
        await page.close()
    })

    await put('fragile', 'Some words\n')
    await testPage('after a fault, going back asks before the text is lost', '/', async (page) => {
        await trapsOnDemand(page)
        await page.goTo(`${origin}/`)
        await click(page, '.entry a', 'fragile')
        await inSituation(page, 'saved')
        await insert(page, 'one ')
        await shows(page, '.words', 'Saved')
        await trapAtInsert(page, 'two ')
        await inSituation(page, 'trapped')
        for (const [leave, answer] of [[() => history.back(), 'Cancel'], [() => document.querySelector('.entry a').click(), 'Cancel'], [() => history.back(), 'Leave']]) {
            await page.evaluate(leave)
            await shows(page, '.sheet-body', /^The text that you see is only on this page\./)
            assert.match(await page.evaluate(() => document.querySelector('.to-copy').value), /two /)
            assert.equal(await page.evaluate(() => location.pathname), '/d/fragile')
            if (answer === 'Leave') await reloads(page, () => pressOn(page, answer))
            else await pressOn(page, answer)
            await page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
        }
        assert.equal(await page.evaluate(() => location.pathname), '/')
        assert.deepEqual(page.problems.splice(0).filter((problem) => !problem.includes('has a fault')), [])
    })
}

async function testComparing({ testPage, putTrimmed }) {
    await putTrimmed()
    await testPage('the editor compares from the first revision that is kept', '/d/trimmed', async (page) => {
        await inSituation(page, 'saved')
        await click(page, '.editor .more')
        await click(page, 'dialog[open] button', 'Compare revisions')
        await compared(page)
        assert.match(await words(page, '.picker'), /Revision 5/)
        assert.match(await words(page, '.counts'), /^1\u00a0change\+5\u22120$/)
    })
}

async function testKept({ put, openPage, server, origin }) {
    await test('text that is only on this device is marked, and there after a reload without a server', async () => {
        for (let number = 1; number <= 20; number++) await put(`a list ${number}`)
        const [trip, relay] = [await put('trip', 'Pack\n'), await startRelay(server.port)]
        const page = await openPage('/d/trip', undefined, 'light', `http://127.0.0.1:${relay.port}`)
        await inSituation(page, 'saved')
        await hasPageOffline(page)
        await goOffline(page, relay)
        await page.evaluate(() => document.querySelector('.text').setSelectionRange(5, 5))
        await insert(page, 'Boots\n')
        await shows(page, '.banner', /Kept on this device/)
        await shows(page, '[href="/d/trip"] .about', /^Not saved · \d+ characters/)
        assert.equal(await asksBeforeLeaving(page), false)
        await reloads(page, () => page.send('Page.reload'))
        await showsText(page, 'Pack\nBoots\n')
        await inSituation(page, 'offline')
        await shows(page, '[href="/d/trip"] .about', /^Not saved · Only on this device/)
        assert.equal(await page.evaluate(() => document.querySelector('.text').readOnly), false)
        await insert(page, '! ')
        relay.goOnline()
        await connectsNow(page)
        await inSituation(page, 'saved')
        await until(() => trip.text.includes('Boots') && trip.text.includes('! '), 'the typed text')
        await shows(page, '[href="/d/trip"] .about', /^1\d characters/)
        await page.waitFor(() => document.querySelector('.documents [aria-current]').getBoundingClientRect().bottom
            < document.querySelector('.documents .below').getBoundingClientRect().top, 'the row of the open document in the view')
        await page.close()
    })

    await test('without a server, the list and the history say that there is more', async () => {
        const [own, relay] = [await put('own', 'Pack\n'), await startRelay(server.port)]
        const site = `http://127.0.0.1:${relay.port}`
        const page = await openPage('/d/own', windows.phone, 'light', site)
        await inSituation(page, 'saved')
        await hasPageOffline(page)
        await goOffline(page, relay)
        await insert(page, 'Boots\n')
        await shows(page, '.banner', /Kept on this device/)
        await page.goTo(`${site}/`)
        await shows(page, '.rows', /^own Not saved/)
        await shows(page, '.incomplete', 'Offline. The other documents appear as soon as there is a connection.')
        const [sentence, bar] = [await box(page, '.incomplete'), await box(page, '.documents .below')]
        assert.ok(sentence.height > 0 && sentence.bottom <= bar.top, 'the words are not behind the bar')
        assert.equal(await page.evaluate(() => document.querySelector('.create').checkVisibility()), true)
        await page.goTo(`${site}/d/own?rev=`)
        await shows(page, '.banner', 'Offline. The history appears as soon as there is a connection.')
        await shows(page, '.history-author', /^Offline/)
        await page.goTo(`${site}/d/own?from=`)
        await shows(page, '.banner', 'Offline. The comparison appears as soon as there is a connection.')
        await page.goTo(`${site}/`)
        await shows(page, '.incomplete', /^Offline/)
        relay.goOnline()
        await connectsNow(page)
        await page.waitFor(() => document.querySelectorAll('.entry').length > 1, 'all documents')
        assert.equal(await words(page, '.incomplete'), '')
        await until(() => own.text.includes('Boots'), 'the typed text')
        await page.close()
    })

    await test('after a redaction, no storage of the page has the passage any more', async () => {
        const [letter, relay] = [await put('letter', 'The password is swordfish.\n'), await startRelay(server.port)]
        const page = await openPage('/d/letter', undefined, 'light', `http://127.0.0.1:${relay.port}`)
        await inSituation(page, 'saved')
        await goOffline(page, relay)
        await insert(page, 'Ann ')
        await shows(page, '.banner', /Kept on this device/)
        assert.match(await page.evaluate(storedText), /swordfish/)
        await server.caret(['redact', 'letter', '--yes'], 'swordfish\n')
        relay.goOnline()
        await connectsNow(page)
        await inSituation(page, 'saved')
        await until(() => letter.text.includes('Ann ') && letter.text.includes('*********'), 'the new text')
        await page.waitFor(`async () => !/swordfish/.test(await (${storedText})())`, 'storages without the passage')
        assert.doesNotMatch(await page.evaluate(() => document.querySelector('.text').value), /swordfish/)
        await page.close()
    })

    await test('a device that is forgotten keeps no unsaved text', async () => {
        const [diary, relay] = [await put('diary', ''), await startRelay(server.port)]
        const page = await openPage('/d/diary', undefined, 'light', `http://127.0.0.1:${relay.port}`)
        await inSituation(page, 'saved')
        await goOffline(page, relay)
        await insert(page, 'Secret')
        await shows(page, '.banner', /Kept on this device/)
        await pressOn(page, 'Settings')
        await pressOn(page, 'Forget this device')
        await shows(page, 'dialog:last-of-type .sheet-body', /1 text has changes that are only on this device/)
        relay.goOnline()
        await reloads(page, () => pressOn(page, 'Forget'))
        await page.waitFor(() => document.querySelector('.text')?.value === '' && document.querySelector('.editor').dataset.situation === 'saved', 'an empty text')
        assert.equal(diary.text, '')
        await page.close()
    })
}

async function testOtherUsers(programs) {
    const { server, openPage, addToken } = await startPages(programs, ['--require-tokens'])
    const [ann, bob] = [await addToken('ann', '--write', ''), await addToken('bob', '--write', '')]
    await server.caret(['put', 'agenda', '--create'], 'text')
    await test('unsaved text of another user is not lost, and the settings say whose it is', async () => {
        const relay = await startRelay(server.port)
        const site = `http://127.0.0.1:${relay.port}`
        const page = await openPage(`/d/agenda#token=${ann}`, undefined, 'light', site)
        await inSituation(page, 'saved')
        await goOffline(page, relay)
        await insert(page, 'Words of Ann ')
        await shows(page, '.banner', /Kept on this device/)
        // The page of Ann must be over before the relay passes connections again. It would save the text.
        await page.evaluate(() => sessionStorage.clear())
        await page.goTo('about:blank')
        relay.goOnline()
        await page.goTo(`${site}/#token=${bob}`)
        await shows(page, '.rows .entry b', 'agenda')
        await pressOn(page, 'Settings')
        await shows(page, '.kept-texts', /agenda From just now\. It belongs to \u201cann\u201d\. Sign in as this user to save it\. Remove/)
        await pressOn(page, 'Remove agenda')
        await pressOn(page, 'Remove')
        await page.waitFor(() => document.querySelector('.kept-texts')?.childElementCount === 0, 'no text')
        await page.close()
    })
}

/** Runs in the page: all that its storages have, as one text. */
async function storedText() {
    const opened = await new Promise((resolve) => { indexedDB.open('caret').onsuccess = ({ target }) => resolve(target.result) })
    const all = await new Promise((resolve) => {
        opened.transaction('keepsakes').objectStore('keepsakes').getAll().onsuccess = ({ target }) => resolve(target.result)
    })
    opened.close()
    const bytes = all.map((one) => new TextDecoder().decode(one.bytes) + (one.earlier ?? ''))
    return [...bytes, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })].join('\n')
}
