// What every editor with an adapter must do, in a real browser with a real server. A client in Node is the other user.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { connect } from '../../Clients/javascript/caret-node.js'
import { makeRandom, until } from '../CaretPageTests/support.mjs'
import { startServer } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { runCarets, runComposition, runTable } from './editing-table.mjs'
import { EditorTab } from './editor-tab.mjs'
import { typeAtRandom, typeInTurn } from './random-keys.mjs'
import { startTabs } from './tabs.mjs'

const lines = Array.from({ length: 300 }, (_, index) => `line${index} ${'word '.repeat((index * 7) % 31)}`).join('\n')

/** Tests the editor of a page, such as '/codemirror.html'. `leftOut` are rows of the table that it gets wrong itself. */
export async function testSurface(programs, engine, path, leftOut = []) {
    if (!existsSync(new URL('../../.build/editors', import.meta.url))) {
        throw new Error('there are no editors in .build/editors: run scripts/install-editors')
    }
    const tabs = await startTabs(programs, engine, { path, Kind: EditorTab })
    await testTyping(tabs, leftOut)
    await testCompositions(tabs)
    await testView(tabs)
    await testPeople(tabs)
    await testEnds(tabs)
    await testRights(tabs)
    await testRandomKeys(tabs)
    return tabs
}

/** What the user types, selects and undoes. */
async function testTyping({ testTabs }, leftOut) {
    await testTabs('what a user does has the results that the table of editing says', (users) => runTable(users, leftOut))
    await testTabs('a caret and a selection move as the table of carets says', runCarets)

    await testTabs('several carets type at once, and move with edits of others', async ({ tab, other }) => {
        await tab.focus()
        await tab.selectAll([0, 0], [2, 2], [4, 4])
        await tab.typeKeys('- ')
        await until(() => other.text === '- a\n- b\n- c', 'the typed text')
        await until(() => `${other.peers[0]?.selections}` === '2,2,6,6,10,10', 'the carets')
        other.edit([{ range: [4, 4], text: 'x\n' }])
        await tab.shows('- a\nx\n- b\n- c')
        assert.deepEqual(await tab.selections(), [[2, 2], [8, 8], [12, 12]])
    }, 'a\nb\nc')

    await testTabs('the first text puts the caret at its start', async ({ tab }) => {
        assert.deepEqual(await tab.selections(), [[0, 0]])
    }, 'abc\n')

    await testTabs('a script of the page types like the user', async ({ tab, other }) => {
        await tab.replace(1, 2, 'x\ny')
        await until(() => other.text === 'ax\nyc', 'the text of the script')
        await tab.evaluate(() => shared.undo())
        await tab.shows('abc')
    }, 'abc')

    await testTabs('half an emoji becomes U+FFFD, in the editor too', async ({ tab, other }) => {
        await tab.replace(1, 1, '\ud83d')
        await until(() => other.text === 'a\ufffdb', 'the text of the other user')
        await tab.shows('a\ufffdb')
    }, 'ab')

    await testTabs('the menu of the browser undoes nothing of others', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(3, 3)
        await tab.typeKeys('!')
        await until(() => other.text === 'abc!', 'the typed text')
        other.edit([{ range: [0, 0], text: 'x' }])
        await tab.shows('xabc!')
        await tab.command('undo')
        await tab.frames(2)
        // The menu of Chromium has nothing to undo in Monaco.
        const text = await tab.text()
        assert.ok(['xabc', 'xabc!'].includes(text), text)
        await until(() => other.text === text, 'the same text')
    }, 'abc')

    await testTabs('line ends of a pasted text become line feeds', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(1, 1)
        await tab.paste('1\r\n2\r3\n')
        await until(() => other.text === 'a1\n2\n3\nb', 'the pasted text')
        await tab.shows('a1\n2\n3\nb')
    }, 'ab', 'clipboard')
}

/** Input methods, which compose a text in the editor before they enter it. */
async function testCompositions({ testTabs }) {
    await testTabs('a composition is not disturbed by edits of others', runComposition, 'abc', 'compositions')

    await testTabs('edits of others do not wait for ever for a composition', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(3, 3)
        await tab.compose('に')
        await until(() => other.text === 'abcに', 'the composition')
        const long = 'x'.repeat(300_000)
        other.edit([{ range: [0, 0], text: `${long}\n` }])
        await tab.shows(`${long}\nabcに`)
        await tab.commit('日')
        await until(() => other.text === `${long}\nabc日`, 'the text after the composition')
    }, 'abc', 'compositions')
}

/** What the user sees while others type. */
async function testView({ testTabs }) {
    await testTabs('the view stays at its text while others type above and below it', async ({ tab, other }) => {
        await tab.evaluate(() => editing.scrollTo(2345))
        await tab.frames(3)
        const line = await tab.page.waitFor(() => lineInView(), 'a line in the view')
        const before = await tab.placeOf(line)
        other.edit([{ range: [0, 0], text: 'new\n'.repeat(30) }, { range: [lines.length, lines.length], text: '\nend' }])
        await tab.shows(other.text)
        await tab.frames(3)
        assert.deepEqual(rounded(await tab.placeOf(line)), rounded(before))
        other.edit([{ range: [0, 80], text: '' }])
        await tab.shows(other.text)
        await tab.frames(3)
        assert.deepEqual(rounded(await tab.placeOf(line)), rounded(before))
    }, lines)
}

const rounded = ({ left, top }) => [Math.round(left), Math.round(top)]
const near = (one, other, what) => assert.ok(Math.abs(one - other) <= 2, `${what}: ${one} and ${other}`)

/** The carets and selections of others. */
async function testPeople({ testTabs }) {
    await testTabs('a caret and a selection of another user are where the text is', async ({ tab, other }) => {
        other.select([[8, 11], [4, 4]])
        await tab.page.waitFor(() => document.querySelectorAll(editing.marks.caret).length === 2, 'two carets')
        const [two, three] = [await tab.placeOf('two'), await tab.placeOf('thr')]
        const [first, second] = (await tab.places('caret')).sort((one, other) => other.top - one.top)
        near(first.left, three.right, 'the caret at the end of the selection')
        near(second.left, two.left, 'the caret')
        for (const [caret, word] of [[first, three], [second, two]]) {
            assert.ok(caret.top <= word.top + 2 && caret.bottom >= word.bottom - 2, JSON.stringify([caret, word]))
        }
        const [selection] = await tab.places('selection')
        near(selection.left, three.left, 'the start of the selection')
        near(selection.right, three.right, 'the end of the selection')
        assert.deepEqual(await tab.names(), ['Bob'])

        // The carets move with the text.
        await tab.replace(0, 0, 'new ')
        await until(() => other.text === 'new one\ntwo\nthree', 'the typed text')
        await tab.replace(8, 8, '__')
        const moved = await tab.placeOf('two')
        await tab.page.waitFor((left) => [...document.querySelectorAll(editing.marks.caret)]
            .some((one) => Math.abs(one.getBoundingClientRect().left - left) <= 2), 'a caret that has moved', moved.left)

        other.select([])
        await tab.page.waitFor(() => !document.querySelector(editing.marks.caret), 'no caret')
        assert.deepEqual(await tab.places('selection'), [])
    }, 'one\ntwo\nthree')

    await testTabs('a name is shown after a move, and near the pointer', async ({ tab, other }) => {
        other.select([[4, 4]])
        await until(async () => `${await tab.names()}` === 'Bob', 'the name after a move')
        // Three seconds pass.
        await tab.evaluate(() => { for (const one of document.getAnimations()) one.finish() })
        await until(async () => (await tab.names()).length === 0, 'no name')
        const { left, top } = await tab.placeOf('two')
        await tab.page.movePointer(left + 1, top + 5)
        await until(async () => `${await tab.names()}` === 'Bob', 'the name near the pointer')
        await tab.page.movePointer(left + 100, top + 5)
        await until(async () => (await tab.names()).length === 0, 'no name far from the caret')
        other.select([[5, 5]])
        await until(async () => `${await tab.names()}` === 'Bob', 'the name after the second move')
    }, 'one\ntwo\nthree')
}

/** Editors that are destroyed, or show another document. */
async function testEnds({ testTabs, caret }) {
    await testTabs('an editor that is destroyed no longer changes the document', async ({ tab, other }) => {
        await tab.replace(0, 0, 'x')
        await tab.evaluate(() => editing.destroy())
        await until(() => other.text === 'xab', 'what was typed before')
        other.append('y')
        await tab.page.waitFor(() => shared.text === 'xaby', 'the change of the other user')
        // Monaco rejects promises of its own when it is disposed of.
        tab.page.problems = tab.page.problems.filter((problem) => !/^(Error: )?Canceled/.test(problem))
    }, 'ab')

    await testTabs('an editor can show another document', async ({ tab, other, name }) => {
        const second = caret.open(`${name}-second`, { create: true })
        second.append('second')
        await second.saved()
        await tab.evaluate(async (name) => {
            globalThis.first = shared
            globalThis.shared = caret.open(name)
            await shared.opened()
            editing.show(shared)
        }, second.name)
        await tab.shows('second')
        assert.deepEqual(await tab.access(), [false, null])
        await tab.replace(0, 0, 'the ')
        await until(() => second.text === 'the second', 'the text of the second document')
        other.append('!')
        await tab.page.waitFor(() => first.text === 'first!', 'the change of the first document')
        assert.equal(await tab.text(), 'the second')
        await second.close()
    }, 'first')

    await testTabs('a document that is closed makes the editor read-only', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(2, 2)
        await tab.typeKeys('c')
        await tab.evaluate(() => { globalThis.closing = shared.close() })
        assert.deepEqual(await tab.access(), [true, 'The text is closed'])
        await tab.typeKeys('x')
        await tab.evaluate(() => closing)
        await until(() => other.text === 'abc', 'what was typed before')
        assert.equal(await tab.text(), 'abc')
    }, 'ab')
}

/** Users who may not write. */
async function testRights({ testTabs, openTab, caret, site, programs, wasm }) {
    await test('an editor is read-only while the user may only read', async () => {
        const locked = await startServer(programs, ['--require-tokens', '--web-origins', site.origin])
        const token = async (...grants) => (await locked.caret(['token', 'add', ...grants])).trim()
        const admin = await connect('127.0.0.1', locked.port, { wasm, token: await token('ann', '--write', '') })
        atEnd(() => admin.close())
        const text = admin.open('open/a', { create: true })
        text.append('abc')
        await text.saved()
        const tab = await openTab('open/a', locked.port, await token('bob', '--write', 'open/', '--read', 'locked/'))
        await tab.shows('abc')
        assert.deepEqual(await tab.access(), [false, null])
        await tab.focus()
        await tab.select(1, 1)
        await until(() => `${text.peers[0]?.selections}` === '1,1', 'the caret')
        await admin.rename('open/a', 'locked/a')
        await tab.page.waitFor(() => editing.isReadOnly(), 'a read-only editor')
        assert.deepEqual(await tab.access(), [true, 'You may only read this text'])
        await tab.typeKeys('x')
        await tab.press('z', { ctrl: true })
        text.append('d')
        await tab.shows('abcd')
        assert.deepEqual(await tab.selection(), [1, 1])
        await until(() => text.peers.every((peer) => peer.selections.length === 0), 'no caret of the reader')
        await admin.rename('locked/a', 'open/a')
        await tab.page.waitFor(() => !editing.isReadOnly(), 'an editor for writing')
        await tab.typeKeys('!')
        await until(() => text.text.includes('!'), 'the typed text')
        assert.deepEqual([await tab.access(), tab.page.problems], [[false, null], []])
        await tab.page.close()
    })

    await testTabs('a document that is deleted makes the editor read-only', async ({ tab, other, name }) => {
        await caret.delete(name)
        await tab.page.waitFor(() => editing.isReadOnly(), 'a read-only editor')
        assert.deepEqual([await tab.text(), ...await tab.access()], ['ab', true, 'This text does not exist'])
        other.discard()
    }, 'ab')
}

async function testRandomKeys({ testTabs, browser }) {
    await testTabs('random typing beside another user loses nothing and doubles nothing', async ({ tab, other }) => {
        await typeInTurn({ tab, other, random: makeRandom(5), mayCompose: !browser.lacks.compositions })
    })
    await testTabs('random keys beside another user end in equal texts', async ({ tab, other }) => {
        await typeAtRandom({ tab, other, random: makeRandom(7) })
    }, 'one two three\nfour five\nsix\n')
}
