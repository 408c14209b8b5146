// Textareas that are bound to a document, in a real browser with a real server. A client in Node is the other user.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from '../../Clients/javascript/caret-node.js'
import { makeRandom, makeScalars, until } from '../CaretPageTests/support.mjs'
import { block } from '../NodeSupport/page.mjs'
import { startServer } from '../NodeSupport/programs.mjs'
import { atEnd, test } from '../NodeSupport/suite.mjs'
import { unrelatedToCuts } from './browsers.mjs'
import { runCarets, runComposition, runTable } from './editing-table.mjs'
import { type } from './page-support.mjs'
import { startRelay } from './relay.mjs'
import { isSame, startTabs } from './tabs.mjs'

export { engines } from './browsers.mjs'

const lines = Array.from({ length: 200 }, (_, index) => `Line ${index} ${'word '.repeat((index * 7) % 31)}`).join('\n')

export async function testTextarea(programs, engine) {
    const tabs = await startTabs(programs, engine)
    await testSelections(tabs)
    await testTyping(tabs)
    await testCompositions(tabs)
    await testFrames(tabs)
    await testScrolling(tabs)
    await testConvergence(tabs)
    await testPage(tabs)
    await testRights(tabs)
    await testGuide(tabs)
}

/** The selection of the user while others type. */
async function testSelections({ testTabs }) {
    await testTabs('what a user does has the results that the table of editing says', (users) => runTable(users))
    await testTabs('a caret and a selection move as the table of carets says', runCarets)

    await testTabs('a backward selection keeps its direction', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(12, 6)
        await until(() => isSame(other.peers[0]?.selections[0], [12, 6]), 'the selection')
        other.edit([{ range: [6, 6], text: 'the ' }])
        await tab.shows('Watch the Bugger attack')
        assert.deepEqual(await tab.selection(), [16, 10])
        await until(() => isSame(other.peers[0].selections[0], [16, 10]), 'the moved selection')
    }, 'Watch Bugger attack')

    await testTabs('a field without the focus keeps its last selection', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(2, 4)
        await until(() => isSame(other.peers[0]?.selections[0], [2, 4]), 'the selection')
        await tab.evaluate(() => document.querySelector('#other').focus())
        other.edit([{ range: [0, 0], text: '__' }])
        await tab.shows('__abcdef')
        assert.deepEqual(await tab.selection(), [4, 6])
        assert.deepEqual(other.peers[0].selections, [[4, 6]])
        assert.equal(await tab.evaluate(() => document.activeElement.id), 'other')
    }, 'abcdef')
}

/** What the user types. */
async function testTyping({ testTabs }) {
    await testTabs('what the user types arrives, and edits of others appear', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(4, 4)
        await tab.type(' and bread')
        await until(() => other.text === 'Milk and bread\n', 'the typed text')
        await until(() => isSame(other.peers[0].selections[0], [14, 14]), 'the caret after the typed text')
        other.edit([{ range: [0, 4], text: 'Oat milk' }])
        await tab.shows('Oat milk and bread\n')
        assert.deepEqual(await tab.selection(), [18, 18])
        await tab.type('!')
        await until(() => other.text === 'Oat milk and bread!\n', 'the second typed text')
    }, 'Milk\n')

    await testTabs('undo and redo change only what the user has typed', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(3, 3)
        await tab.type('!')
        await until(() => other.text === 'abc!', 'the typed text')
        other.edit([{ range: [0, 0], text: 'x' }])
        await tab.shows('xabc!')
        await tab.press('z', { ctrl: true })
        await tab.shows('xabc')
        await tab.press('z', { ctrl: true })
        await tab.press('z', { ctrl: true, shift: true })
        await tab.shows('xabc!')
        // The commands of the browser, as in its menus.
        await tab.type('?')
        await tab.command('undo')
        await tab.shows('xabc!')
        await tab.evaluate(() => shared.undo())
        await until(() => other.text === 'xabc', 'the text after undo')
    }, 'abc')

    await testTabs('emoji are replaced as a whole', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(1, 3)
        await tab.insert('😁')
        await until(() => other.text === 'a😁b', 'another emoji with the same first half')
        await tab.press('Backspace')
        await until(() => other.text === 'ab', 'the text without the emoji')
        await tab.evaluate(() => {
            field.setRangeText('\ud83d', 1, 1, 'end')
            field.dispatchEvent(new InputEvent('input'))
        })
        await until(() => other.text === 'a\ufffdb', 'U+FFFD')
        assert.deepEqual([await tab.text(), await tab.selection()], ['a\ufffdb', [2, 2]])
    }, 'a😀b')

    await testTabs('the halves of an emoji may arrive one after the other', async ({ tab, other }) => {
        await tab.focus()
        const enter = (text) => tab.evaluate((text) => {
            field.dispatchEvent(new InputEvent('beforeinput'))
            field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
            field.dispatchEvent(new InputEvent('input'))
        }, text)
        await tab.select(1, 1)
        // Messages that arrive between the halves do not separate them.
        await tab.evaluate(() => {
            field.setRangeText('\ud83d', 1, 1, 'end')
            field.dispatchEvent(new InputEvent('input'))
        })
        other.append('c')
        await enter('\ude00')
        await tab.shows('a😀bc')
        await until(() => other.text === 'a😀bc', 'the emoji')
        assert.deepEqual(await tab.selection(), [3, 3])
        await enter('!')
        await until(() => other.text === 'a😀!bc', 'the text after the emoji')
    }, 'ab')

    await testTabs('line ends of a pasted text become line feeds', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(1, 1)
        await tab.paste('1\r\n2\r3\n')
        await until(() => other.text === 'a1\n2\n3\nb', 'the pasted text')
        assert.equal(await tab.text(), 'a1\n2\n3\nb')
    }, 'ab')
}

/** Input methods, which compose a text in the field before they enter it. */
async function testCompositions({ testTabs }) {
    await testTabs('a composition is not disturbed by edits of others', runComposition, 'abc', 'compositions')

    await testTabs('a composition ends if too much waits for it', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(3, 3)
        await tab.compose('に')
        await until(() => other.text === 'abcに', 'the composition')
        const long = 'x'.repeat(300_000)
        other.edit([{ range: [0, 0], text: long }])
        await tab.shows(`${long}abcに`)
        assert.equal(await tab.evaluate(() => document.activeElement.id), 'field')
        await tab.insert('ほん')
        await until(() => other.text === `${long}abcにほん`, 'the text after the composition')
    }, 'abc', 'compositions')

    await testTabs('a composition that stops is ended after 5 s, if a message waits', async ({ tab, other }) => {
        await tab.focus()
        await tab.select(3, 3)
        await tab.compose('に')
        await until(() => other.text === 'abcに', 'the composition')
        const start = performance.now()
        other.edit([{ range: [0, 0], text: 'x' }])
        await tab.shows('xabcに')
        assert.ok(performance.now() - start > 4_000)
        assert.deepEqual(await tab.selection(), [5, 5])
    }, 'abc', 'compositions')
}

/** When edits of others appear. */
async function testFrames({ testTabs }) {
    await testTabs('a hidden page gets no frames, and shows edits of others at once', async ({ tab, other }) => {
        await tab.evaluate(() => {
            Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
            globalThis.requestAnimationFrame = () => 1
        })
        other.append('d')
        await tab.shows('abcd')
    }, 'abc')

    await testTabs('all messages of a frame are handled together', async ({ tab, other }) => {
        await tab.focus()
        // The browser itself would keep another selection than this caret in text that is replaced.
        await tab.select(1, 1)
        // The server sends this caret with its next tick.
        await until(() => isSame(other.peers[0]?.selections[0], [1, 1]), 'the caret')
        await tab.evaluate(() => {
            globalThis.frames = []
            globalThis.requestAnimationFrame = (frame) => frames.push(frame)
            globalThis.selections = 0
            const { setSelectionRange } = field
            field.setSelectionRange = (...range) => (selections++, setSelectionRange.apply(field, range))
        })
        for (const letter of 'xyz') {
            other.edit([{ range: [0, 2], text: letter + letter }])
            await other.saved()
        }
        // The answer to a request comes after the messages, and does not wait for the frame.
        await tab.evaluate(() => caret.list())
        assert.deepEqual(await tab.evaluate(() => {
            const before = [field.value, shared.text]
            // The carets of others may be among what waits for a frame.
            for (const frame of frames.splice(0)) frame()
            return [...before, field.value, shared.text, selections]
        }), ['abc', 'abc', 'zzc', 'zzc', 1])
        assert.deepEqual(await tab.selection(), other.peers[0].selections[0])
    }, 'abc')
}

/** What the user sees while others type. */
async function testScrolling({ testTabs }) {
    await testTabs('what is at the top of the view stays there', async ({ tab, other }) => {
        // Firefox scrolls to the selection that `bind` has set before the next frame.
        await tab.frames(3)
        await tab.evaluate(() => { field.scrollTop = 1234; field.scrollLeft = 0 })
        const before = await tab.topLine(lines)
        other.edit([
            { range: [0, 0], text: 'A new line\n'.repeat(7) },
            { range: [10, 10], text: `${'wrapped '.repeat(40)}` },
            { range: [lines.length, lines.length], text: '\nThe end' },
        ])
        await tab.shows(other.text)
        assert.deepEqual(await tab.topLine(other.text), before)
        other.edit([{ range: [0, 70], text: '' }])
        await tab.shows(other.text)
        assert.deepEqual(await tab.topLine(other.text), before)
        // An edit after the view does not scroll at all.
        const top = await tab.evaluate(() => field.scrollTop)
        other.append('\nAnother end')
        await tab.shows(other.text)
        assert.equal(await tab.evaluate(() => field.scrollTop), top)
    }, lines)

    await testTabs('edits of others do not scroll the page to the field', async ({ tab, other }) => {
        await tab.focus()
        // WebKit scrolls to a field with a new focus a little later.
        await tab.frames(3)
        await tab.evaluate(() => {
            document.body.style.setProperty('height', '5000px')
            scrollTo(0, 2000)
        })
        other.edit([{ range: [0, 0], text: 'x' }])
        await tab.shows(other.text)
        assert.equal(await tab.evaluate(() => scrollY), 2000)
    }, `${lines}\n`.repeat(3))

    await testTabs('in a long text that has the focus, selection and view stay', async ({ tab, other }) => {
        await tab.focus()
        await tab.evaluate(() => field.setSelectionRange(20_000, 20_010, 'backward'))
        // Firefox scrolls to the selection before the next frame.
        await tab.frames(3)
        await tab.evaluate(() => { field.scrollTop = 3000 })
        const before = await tab.topLine(other.text)
        other.edit([
            { range: [5, 5], text: 'one\ntwo\n' }, { range: [100, 104], text: '' }, { range: [30_000, 30_002], text: '😀' },
        ])
        await tab.shows(other.text)
        assert.deepEqual(await tab.selection(), [20_014, 20_004])
        assert.deepEqual(await tab.topLine(other.text), before)
        await tab.press('z', { ctrl: true })
        await tab.frames(2)
        assert.equal(await tab.text(), other.text)
    }, `${lines}\n`.repeat(3))
}

async function testConvergence({ testTabs, server, openTab, browser }) {
    // The second text is so long that the field is edited with another command of the browser.
    for (const [what, start] of [['a short text', ''], ['a long text', lines.slice(0, 20_100)]]) {
        await testTabs(`two tabs that type at random in ${what} with lost connections converge`, async ({ tab, name }) => {
            const tabs = []
            while (tabs.length < 2) {
                const relay = await startRelay(server.port)
                tabs.push(Object.assign(await openTab(name, relay.port), { relay }))
            }
            await typeAtRandom(tabs, { server, name, start, browser })
            await tab.shows(await server.caret(['cat', name]))
        }, start)
    }
}

/** Expects that the tabs show the same text at the end, which has everything that was typed. */
async function typeAtRandom(tabs, { server, name, start, browser }) {
    const random = makeRandom(18)
    const scalar = makeScalars()
    const typed = [...start]
    for (const one of tabs) await one.focus()
    for (let step = 0; step < 120; step++) {
        const one = random.pick(tabs)
        const text = random.chance(10) ? '\n' : scalar() + (random.chance(30) ? scalar() : '')
        typed.push(...text)
        await one.evaluate((where) => {
            let offset = Math.floor(where * (field.value.length + 1) / 1000)
            if (/^[\udc00-\udfff]/.test(field.value.slice(offset))) offset--
            field.setSelectionRange(offset, offset)
        }, random.below(1000))
        if (text !== '\n' && random.chance(10) && !browser.lacks.compositions) {
            await one.compose(text)
            await one.commit(text)
        } else {
            await one.insert(text)
        }
        if (step % 25 === 12) one.relay.cut()
    }
    for (const one of tabs) {
        await one.evaluate(async () => {
            caret.reconnect()
            await shared.saved()
        })
    }
    const text = await server.caret(['cat', name])
    for (const one of tabs) await one.shows(text)
    assert.deepEqual([...text].sort(), typed.sort())
    for (const one of tabs) {
        // The cut connections are reported, and nothing else is.
        assert.deepEqual(unrelatedToCuts(one.page.problems), [])
        await one.page.close()
    }
}

/** What the script of the page does. */
async function testPage({ testTabs }) {
    await testTabs('a value that a script has set is found at the next event', async ({ tab, other }) => {
        await tab.evaluate(() => { field.value = 'Oat milk\n' })
        other.append('Bread\n')
        await tab.shows('Oat milk\nBread\n')
        await until(() => other.text === 'Oat milk\nBread\n', 'the value')
        await tab.evaluate(() => {
            field.value = 'Milk\nBread\n'
            shared.append('Tea\n')
        })
        await until(() => other.text === 'Milk\nBread\nTea\n', 'both changes')
        assert.equal(await tab.text(), 'Milk\nBread\nTea\n')
    }, 'Milk\n')

    await testTabs('a listener may change the field while it is told about a change', async ({ tab, other }) => {
        await tab.focus()
        await tab.evaluate(() => {
            shared.addEventListener('change', () => {
                field.setRangeText('_', 0, 0, 'end')
                field.dispatchEvent(new InputEvent('input'))
            }, { once: true })
            shared.append('c')
        })
        await until(() => other.text === '_abc', 'both changes')
        await tab.shows('_abc')
    }, 'ab')

    await testTabs('a released field is an ordinary field again', async ({ tab, other }) => {
        await tab.focus()
        await tab.evaluate(() => binding.release())
        await tab.insert('x')
        other.append('y')
        await tab.page.waitFor(() => shared.text === 'aby', 'the change of the other user')
        await tab.frames(2)
        assert.match(await tab.text(), /^(xab|abx)$/)
        assert.deepEqual(await tab.evaluate(() => [shared.text, field.readOnly]), ['aby', false])
    }, 'ab')

    await testTabs('a field whose document is closed keeps what was typed before, and is read-only from then on', async ({ tab, other }) => {
        const state = () => tab.evaluate(() => [field.value, field.readOnly, field.getAttribute('aria-description')])
        await tab.evaluate(() => {
            binding.release()
            field.setAttribute('aria-description', 'Write here')
            globalThis.binding = shared.bind(field)
        })
        await tab.focus()
        await tab.select(2, 2)
        await tab.insert('c')
        await tab.evaluate(() => {
            field.setRangeText('d', 3, 3)
            globalThis.closing = shared.close()
        })
        assert.deepEqual(await state(), ['abcd', true, 'The text is closed'])
        await tab.insert('x')
        await tab.evaluate(() => closing)
        await until(() => other.text === 'abcd', 'what was typed before')
        assert.deepEqual(await state(), ['abcd', true, 'The text is closed'])
        await tab.evaluate(async (name) => {
            globalThis.shared = caret.open(name)
            await shared.opened()
            globalThis.second = shared.bind(field)
        }, other.name)
        assert.deepEqual(await state(), ['abcd', false, 'Write here'])
        // The first binding does not end the second one.
        await tab.evaluate(() => binding.release())
        await tab.focus()
        await tab.select(4, 4)
        await tab.insert('e')
        await until(() => other.text === 'abcde', 'what was typed into the field that was bound again')
        await tab.evaluate(() => shared.close())
        await tab.evaluate(() => second.release())
        assert.deepEqual([await state(), tab.page.problems], [['abcde', false, 'Write here'], []])
    }, 'ab')
}

/** Users who may not write. */
async function testRights({ testTabs, openTab, caret, site, programs, wasm }) {
    await test('a field is read-only while the user may only read', async () => {
        const locked = await startServer(programs, ['--require-tokens', '--web-origins', site.origin])
        const token = async (...grants) => (await locked.caret(['token', 'add', ...grants])).trim()
        const admin = await connect('127.0.0.1', locked.port, { wasm, token: await token('ann', '--write', '') })
        atEnd(() => admin.close())
        const text = admin.open('open/a', { create: true })
        text.append('abc')
        await text.saved()
        const tab = await openTab('open/a', locked.port, await token('bob', '--write', 'open/', '--read', 'locked/'))
        const state = () => tab.evaluate(() => [field.value, field.readOnly, field.getAttribute('aria-description')])
        await tab.shows('abc')
        assert.deepEqual(await state(), ['abc', false, null])
        await tab.focus()
        await tab.select(1, 1)
        await until(() => isSame(text.peers[0]?.selections[0], [1, 1]), 'the caret')
        await admin.rename('open/a', 'locked/a')
        await tab.page.waitFor(() => field.readOnly, 'a read-only field')
        assert.deepEqual(await state(), ['abc', true, 'You may only read this text'])
        await tab.insert('x')
        await tab.press('z', { ctrl: true })
        text.append('d')
        await tab.shows('abcd')
        assert.deepEqual(await tab.selection(), [1, 1])
        // A user who may only read does not show a caret.
        await until(() => text.peers.every((peer) => peer.selections.length === 0), 'no caret of the reader')
        await tab.evaluate(() => { field.value = 'changed' })
        text.append('e')
        await tab.shows('abcde')
        await admin.rename('locked/a', 'open/a')
        await tab.page.waitFor(() => !field.readOnly, 'a field for writing')
        await tab.insert('!')
        await until(() => text.text.includes('!'), 'the typed text')
        assert.deepEqual([await tab.evaluate(() => field.getAttribute('aria-description')), tab.page.problems], [null, []])
        await tab.page.close()
    })

    await testTabs('a document that is deleted makes the field read-only', async ({ tab, other, name }) => {
        await caret.delete(name)
        await tab.page.waitFor(() => field.readOnly, 'a read-only field')
        assert.deepEqual(await tab.evaluate(() => [field.value, field.getAttribute('aria-description')]),
            ['ab', 'This text does not exist'])
        other.discard()
    }, 'ab')
}

async function testGuide({ site, server, caret, browser }) {
    await test('the page of docs/client-js.md works as it is', async () => {
        site.guide = block('docs/client-js.md', 'A page without a build step', 'html', [
            ['22738', server.port],
            // Until then, the field is an ordinary one.
            ['</script>', "document.title = 'bound'\n</script>"],
        ])
        const pages = [await browser.open(`${site.origin}/guide/`), await browser.open(`${site.origin}/guide/`)]
        const agenda = caret.open('agenda')
        for (const page of pages) {
            await page.waitFor(() => document.title === 'bound' && !document.querySelector('textarea').readOnly, 'a field for writing')
            await page.evaluate(() => document.querySelector('textarea').focus())
            await type(page, 'Bring a pen.\n')
        }
        const twice = 'Bring a pen.\n'.repeat(2)
        for (const page of pages) {
            await page.waitFor((text) => document.querySelector('textarea').value === text, 'both lines', twice)
            assert.deepEqual(page.problems, [])
            await page.close()
        }
        await agenda.close()
    })
}
