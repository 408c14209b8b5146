// Links to documents: the sheet that makes and ends them, and the tabs that use them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { until } from '../CaretPageTests/support.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { expectAccessible, lowContrasts, smallControls } from './accessibility.mjs'
import { unrelatedToCuts } from './browsers.mjs'
import { makeSite, startJoinedSite } from './joined-site.mjs'
import { click, goOffline, inSituation, insert, showsText } from './page-editor.mjs'
import { press, pressOn, reloads, shows, type } from './page-support.mjs'
import { setWindow, startPages, windows } from './pages.mjs'

const options = ['--require-tokens', '--share-links']

export async function testPageShare(programs) {
    const pages = await startPages(programs, options)
    const site = await startJoinedSite(programs, pages.server.port, {})
    const token = await pages.addToken('ann', '--write', '')
    const ann = await pages.connectAs({ token })
    const all = { ...pages, site, token, ann }
    await testSheet(all)
    await testRights(all)
    await testSignedIn(all)
    await testOffers(programs, all)
    await testTokenPath(programs)
}

/** Creates a document of ann, and returns it. */
async function create({ ann }, name, text) {
    const document = ann.open(name, { create: true })
    await document.opened()
    document.replaceText(text)
    await document.saved()
    return document
}

/** A new link to a document, as its address without the origin. */
async function linkTo({ ann }, name, rights = 'read') {
    const { number, token } = await ann.addLink(name, { rights, seconds: 3_600 })
    return { number, token, path: `/d/${name}#link=${token}` }
}

/** Opens the sheet from the menu of the document. */
async function openShare(page) {
    await click(page, '.editor .name')
    await pressOn(page, 'Share')
    await page.waitFor(() => document.querySelector('.share [aria-busy]') === null && document.querySelector('.share'), 'the sheet')
}

const recordCopies = (page) => page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text } })
const copied = (page) => page.evaluate(() => window.copied)
const newLink = (page) => page.waitFor(() => document.querySelector('.new-link input')?.value, 'the new link')
const menuOf = async (page) => {
    await click(page, '.editor .name')
    await page.waitFor(() => document.querySelector('dialog menu'), 'the menu')
    const labels = await page.evaluate(() => [...document.querySelectorAll('dialog menu button')].map((one) => one.textContent))
    await press(page, 'Escape')
    return labels
}
const linkRows = (page) => page.evaluate(() => [...document.querySelectorAll('.share li')].map((row) => row.innerText.replace(/\s+/g, ' ')))
const rowNames = (page) => page.evaluate(() => [...document.querySelectorAll('.rows .entry b')].map((one) => one.textContent))
const stored = (page) => page.evaluate(() => [
    sessionStorage.getItem('caret.link'), sessionStorage.getItem('caret.token'), localStorage.getItem('caret.token')])
/** Shows the list of documents in place of the editor. */
const openList = async (page) => {
    await page.waitFor(() => document.querySelector('.documents'), 'all parts of the page')
    await click(page, 'a.back')
}
const hasEnded = (page) => shows(page, '.sign-in form', /^This link has ended Ask for another one\. /)
const isReadOnly = (page) => page.evaluate(() => document.querySelector('.text').readOnly)

async function testSheet(all) {
    const { openPage, origin, token, ann } = all
    await test('a link that can read is made in the sheet, and shows the text in another browser', async () => {
        const agenda = await create(all, 'agenda', 'Milk\n')
        await create(all, 'secret', 'Tea\n')
        const page = await openPage(`/d/agenda#token=${token}`)
        await inSituation(page, 'saved')
        await openShare(page)
        await shows(page, '.share .sheet-body', /^Anyone with the link can read this document,.* Renaming or deleting the document ends all its links\./)
        await pressOn(page, 'Create link')
        const link = await newLink(page)
        assert.match(link, new RegExp(`^${origin}/d/agenda#link=caret_\\d+_\\w+$`))
        const selected = () => page.evaluate(() => {
            const { activeElement: field } = document
            return field.readOnly && field.value.slice(field.selectionStart, field.selectionEnd)
        })
        assert.equal(await selected(), link)
        await recordCopies(page)
        await pressOn(page, 'Copy')
        await shows(page, '.share [role=status]', 'The link is copied.')
        assert.equal(await copied(page), link)
        await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden')) })
        await pressOn(page, 'Copy')
        await shows(page, '.share [role=status]', /^The link is selected\./)
        assert.match((await linkRows(page)).join(), /^Can read Ends \d+ \w+, \d\d:\d\d · not used yet End$/)

        const reader = await openPage(link.slice(origin.length))
        await inSituation(reader, 'reading')
        await showsText(reader, 'Milk\n')
        assert.equal(await reader.evaluate(() => location.href), `${origin}/d/agenda`)
        assert.equal(await isReadOnly(reader), true)
        agenda.append('Bread\n')
        await showsText(reader, 'Milk\nBread\n')
        await click(reader, 'a.back')
        await shows(reader, '.incomplete', 'This tab uses a link, which opens only this document.')
        assert.deepEqual(await rowNames(reader), ['agenda'])
        await reloads(reader, () => reader.send('Page.reload'))
        await reader.waitFor(() => document.querySelector('.rows .entry b'), 'the document')
        assert.deepEqual(await rowNames(reader), ['agenda'])
        assert.deepEqual([page.problems, reader.problems], [[], []])
        await reader.close()
        await page.close()
    })

    await test('a link that can edit is chosen, used and ended with the keyboard', async () => {
        const page = await openPage(`/d/agenda#token=${token}`)
        await inSituation(page, 'saved')
        await openShare(page)
        await pressOn(page, 'Can read')
        await press(page, 'ArrowRight')
        await shows(page, '.share .sheet-body', /^Anyone with the link can edit this document/)
        await press(page, 'Tab')
        await press(page, 'ArrowRight')
        await press(page, 'Enter')
        const link = await newLink(page)
        const writer = await openPage(link.slice(origin.length))
        await inSituation(writer, 'saved')
        await insert(writer, 'Oats\n')
        await page.waitFor(() => document.querySelector('.text').value.includes('Oats'), 'the text of the other')
        const [{ user, expires, created }] = await linksOf(ann)
        assert.deepEqual([user.slice(0, 5), expires - created], ['link/', 30 * 86_400_000])
        assert.deepEqual(await menuOf(writer), ['Copy the link', 'Copy the text', 'Download as text', 'Print'])
        await recordCopies(writer)
        await click(writer, '.editor .name')
        await pressOn(writer, 'Copy the link')
        await shows(writer, '.notices', 'The link is copied.')
        assert.equal(await copied(writer), link)
        await pressOn(page, 'Close')
        await page.evaluate(() => document.querySelector('.text').focus())
        await type(page, 'Figs\n')
        await writer.waitFor(() => document.querySelector('.text').value.includes('Figs'), 'the text of ann')
        await page.waitFor(() => document.querySelector('.faces').title === 'People: Somebody', 'the other')
        await openShare(page)
        const focusOn = (name) => page.evaluate((name) => document.querySelector(`.share [aria-label^="${name}"]`).focus(), name)
        await focusOn('End the link: Can edit')
        await press(page, 'Enter')
        await shows(page, 'dialog:last-of-type .sheet-body', /^Everybody who uses it is disconnected/)
        await pressOn(page, 'End')
        await shows(page, '.share [role=status]', 'The link has ended.')
        await hasEnded(writer)
        assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^End the link: Can read/)
        await press(page, 'Enter')
        await shows(page, 'dialog:last-of-type .sheet-body', /^Everybody who uses it is disconnected/)
        await pressOn(page, 'End')
        await shows(page, '.share .sheet-body', /Links to this document There are none\.$/)
        assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Create link')
        assert.deepEqual([page.problems, writer.problems], [[], []])
        await writer.close()
        await page.close()
    })

    await test('the sheet and the end of a link can be used by everybody, in every window', async () => {
        const pictures = process.env.CARET_PICTURES
        const page = await openPage(`/d/agenda#token=${token}`, windows.phone)
        const reader = await openPage((await linkTo(all, 'agenda')).path, windows.phone)
        await linkTo(all, 'agenda', 'write')
        await inSituation(page, 'saved')
        await inSituation(reader, 'reading')
        await openShare(page)
        await pressOn(page, 'Create link')
        await newLink(page)
        await expectAccessible(page, { isPhone: true })
        const ended = reader.waitFor(() => document.querySelector('.sign-in'), 'the end')
        for await (const { number } of ann.links('agenda')) await ann.endLink('agenda', number)
        await ended
        for (const name of ['phone', 'landscape', 'small', 'desktop']) {
            for (const scheme of ['light', 'dark']) {
                for (const [one, scope] of [[page, 'dialog'], [reader, '.sign-in']]) {
                    await setWindow(one, windows[name], scheme)
                    assert.deepEqual(await lowContrasts(one, scope), [])
                    if (name !== 'desktop') assert.deepEqual(await smallControls(one, scope), [])
                    assert.ok(await one.evaluate((scope) => {
                        const node = document.querySelector(scope)
                        return node.querySelector('.sheet-body')?.scrollWidth ?? node.scrollWidth <= innerWidth
                    }, scope))
                    if (pictures) await one.screenshot(join(pictures, `share-${scope.replace('.', '')}-${name}-${scheme}.png`))
                }
            }
        }
        await reader.close()
        await page.close()
    })
}

async function linksOf(ann) {
    const links = []
    for await (const link of ann.links('agenda')) links.unshift(link)
    return links
}

async function testRights(all) {
    const { openPage, ann } = all
    await test('a link ends if the document is renamed', async () => {
        await create(all, 'old name', 'Milk\n')
        const reader = await openPage((await linkTo(all, 'old name')).path.replace(' ', '%20'))
        await inSituation(reader, 'reading')
        await ann.rename('old name', 'new name')
        await hasEnded(reader)
        await reader.evaluate(() => { window.isOld = true })
        await pressOn(reader, 'Continue without the link')
        await reader.waitFor(() => !window.isOld && location.pathname === '/' && document.querySelector('.sign-in h1')?.textContent === 'Sign in',
            'the sign-in')
        assert.deepEqual(await stored(reader), [null, null, null])
        assert.deepEqual(reader.problems, [])
        await reader.close()
    })
}

async function testSignedIn(all) {
    const { browser, site, token, ann } = all
    /** Opens tabs of one browser. */
    const openTabs = async () => {
        const { browserContextId } = await browser.send('Target.createBrowserContext')
        atEnd(() => browser.send('Target.disposeBrowserContext', { browserContextId }).catch(() => {}))
        return (path) => browser.open(`${site.origin}${path}`, { browserContextId })
    }
    const signIn = async (page) => {
        await page.waitFor(() => document.querySelector('.sign-in'), 'the sheet')
        await page.evaluate((token) => localStorage.setItem('caret.token', token), token)
    }

    await test('a link signs nobody out, and holds for its own tab until the user leaves it', async () => {
        const agenda = await create(all, 'agenda', 'Milk\n')
        const open = await openTabs()
        const page = await open('/')
        await signIn(page)
        const link = await linkTo(all, 'agenda')
        await page.goTo(site.origin + link.path)
        await inSituation(page, 'reading')
        assert.deepEqual(await stored(page), [link.token, null, token])
        await reloads(page, () => page.send('Page.reload'))
        await inSituation(page, 'reading')
        const other = await open('/d/agenda')
        await inSituation(other, 'saved')
        assert.deepEqual(await stored(other), [null, null, token])
        await openList(page)
        await pressOn(page, 'Settings')
        await shows(page, '.account', 'This tab uses a link to a document. Leave the link')
        await reloads(page, () => pressOn(page, 'Leave the link'))
        await page.waitFor(() => document.querySelectorAll('.rows .entry b').length > 1, 'the documents of ann')
        assert.deepEqual(await stored(page), [null, null, token])
        await pressOn(page, 'Settings')
        await shows(page, '.account p', 'Signed in as ann')
        await press(page, 'Escape')
        // A link that is pasted into the address of an open document loads nothing by itself.
        await reloads(other, () => other.evaluate((hash) => { location.hash = hash }, `link=${link.token}`))
        await inSituation(other, 'reading')
        assert.deepEqual([await other.evaluate(() => location.hash), ...await stored(other)], ['', link.token, null, token])
        assert.deepEqual([page.problems, other.problems], [[], []])
        agenda.close()
    })

    await test('a tab with a link neither shows nor loses what the user has not saved', async () => {
        const agenda = await create(all, 'agenda', 'Milk\n')
        const open = await openTabs()
        const page = await open('/')
        await signIn(page)
        await page.goTo(`${site.origin}/d/agenda`)
        await inSituation(page, 'saved')
        await goOffline(page, site)
        await insert(page, 'Unsaved ')
        await shows(page, '.banner', /Kept on this device/)
        const { path } = await linkTo(all, 'agenda')
        // While the tab of ann has her text, no other tab can send it.
        const other = await open(path)
        await openList(other)
        await shows(other, '.incomplete', /^Offline\./)
        assert.deepEqual(await rowNames(other), [])
        // The same in the tab that had her text, with a note that is not sent.
        const note = { time: Date.now(), author: 'Ann', text: 'A secret note' }
        await page.evaluate((note) => sessionStorage.setItem('caret.notes.agenda', JSON.stringify({ draft: '', outbox: [note] })), note)
        await page.goTo(site.origin + path)
        await openList(page)
        site.goOnline()
        for (const tab of [page, other]) {
            await shows(tab, '.incomplete', /^This tab uses a link/)
            assert.deepEqual([await rowNames(tab), await tab.evaluate(() => document.querySelector('.rows .kept:not([hidden])'))], [['agenda'], null])
            await click(tab, '.entry a', 'agenda')
            await showsText(tab, 'Milk\n')
            await inSituation(tab, 'reading')
            assert.equal(await tab.evaluate(() => document.querySelector('.notes')?.checkVisibility() ?? false), false)
        }
        assert.equal(agenda.text, 'Milk\n')
        await openList(page)
        await pressOn(page, 'Settings')
        assert.deepEqual(await page.evaluate(() => [document.querySelector('.kept-texts'), document.querySelectorAll('.account button').length]), [null, 1])
        await reloads(page, () => pressOn(page, 'Leave the link'))
        await until(() => agenda.text === 'Unsaved Milk\n', 'the text of ann')
        await until(() => ann.read('agenda.notes').then(({ text }) => text.includes('A secret note'), () => false), 'the note of ann')
        assert.deepEqual(unrelatedToCuts([...page.problems, ...other.problems]), [])
    })

    await test('if a link ends before a text is saved, the tab says so and keeps the text', async () => {
        const agenda = await create(all, 'agenda', 'Milk\n')
        const open = await openTabs()
        const page = await open('/')
        await signIn(page)
        const { path, number } = await linkTo(all, 'agenda', 'write')
        await page.goTo(site.origin + path)
        await inSituation(page, 'saved')
        await goOffline(page, site)
        await insert(page, 'Unsaved ')
        await shows(page, '.banner', /Kept on this device/)
        await ann.endLink('agenda', number)
        site.goOnline()
        const hasText = async () => {
            await hasEnded(page)
            await shows(page, '.sign-in aside p', 'Your last changes of “agenda” are not saved. This link can no longer save them. Copy the text.')
            assert.equal(await page.evaluate(() => document.querySelector('.sign-in aside textarea').value), 'Unsaved Milk\n')
        }
        await hasText()
        await reloads(page, () => page.send('Page.reload'))
        await hasText()
        await pressOn(page, 'Continue without the link')
        await shows(page, 'dialog:last-of-type .sheet-body', /^This link can no longer save your last changes\. Copy the text first\./)
        await pressOn(page, 'Cancel')
        await hasText()
        await pressOn(page, 'Continue without the link')
        await page.evaluate(() => { window.isOld = true })
        await pressOn(page, 'Continue')
        await page.waitFor(() => !window.isOld && location.pathname === '/' && document.querySelectorAll('.rows .entry b').length > 1, 'the documents of ann')
        await pressOn(page, 'Settings')
        await shows(page, '.kept-texts li', /^agenda From .*\. It was typed with a link\. Open the same link again to save or copy it\. Remove$/)
        await page.goTo(site.origin + path)
        await hasText()
        assert.equal(agenda.text, 'Milk\n')
        assert.deepEqual(unrelatedToCuts(page.problems), [])
    })
}

async function testOffers(programs, all) {
    await test('only those who may write a document are offered to share it, if the server allows links', async () => {
        const { openPage, addToken } = all
        await create(all, 'agenda', 'Milk\n')
        const page = await openPage(`/d/agenda#token=${await addToken('bob', '--read', '')}`)
        await inSituation(page, 'reading')
        assert.ok(!(await menuOf(page)).includes('Share'))
        await page.close()
        const other = await startPages(programs, ['--require-tokens'])
        const writer = await other.openPage(`/#token=${await other.addToken('ann', '--write', '')}`)
        await pressOn(writer, 'New document')
        await type(writer, 'agenda')
        await press(writer, 'Enter')
        await inSituation(writer, 'saved')
        const menu = await menuOf(writer)
        assert.ok(menu.includes('Rename') && !menu.includes('Share'), `${menu}`)
        await pressOn(writer, 'More about agenda')
        const inList = await writer.evaluate(() => document.querySelector('dialog menu').innerText)
        assert.ok(inList.includes('Rename') && !inList.includes('Share'), inList)
        await writer.close()
    })

    await test('the list of documents offers to share each one', async () => {
        const { openPage, token } = all
        const page = await openPage(`/#token=${token}`)
        await pressOn(page, 'More about secret')
        await pressOn(page, 'Share')
        await shows(page, '.share h2', 'Share “secret”')
        await pressOn(page, 'Create link')
        assert.match(await newLink(page), /\/d\/secret#link=/)
        assert.deepEqual(page.problems, [])
        await page.close()
    })
}

async function testTokenPath(programs) {
    await test('a link needs no sign-in at the site that signs users in', async () => {
        const made = await makeSite()
        const pages = await startPages(programs, [...made.options, '--share-links'])
        const site = await startJoinedSite(programs, pages.server.port, made)
        const token = await pages.addToken('bob', '--write', '')
        const bob = { ann: await pages.connectAs({ token }) }
        await create(bob, 'agenda', 'Milk\n')
        const link = await linkTo(bob, 'agenda')
        const page = await pages.openPage(link.path, undefined, 'light', site.origin)
        await inSituation(page, 'reading')
        await reloads(page, () => page.send('Page.reload'))
        await inSituation(page, 'reading')
        assert.deepEqual([site.requests.length, ...await stored(page)], [0, link.token, null, null])
        await bob.ann.endLink('agenda', link.number)
        await hasEnded(page)
        await page.evaluate(() => fetch('/sign-in/ann').then(() => {}))
        await page.evaluate(() => { window.isOld = true })
        await pressOn(page, 'Continue without the link')
        await page.waitFor(() => !window.isOld && document.querySelector('.link')?.dataset.link === 'online', 'the documents of ann')
        await pressOn(page, 'Settings')
        await shows(page, '.account p', 'Signed in as ann')
        assert.deepEqual(page.problems, [])
        await page.close()
    })
}
