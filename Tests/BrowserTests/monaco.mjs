// The adapter for Monaco, in a real browser with a real server.
import assert from 'node:assert/strict'
import { until } from '../CaretPageTests/support.mjs'
import { testSurface } from './surface-tests.mjs'

export { engines } from './browsers.mjs'

/** Where Monaco has a textarea for its input, it loses these letters, also in an editor that is not bound. */
const lost = ['a letter in place of a backward selection']

export async function testMonaco(programs, engine) {
    await testHistory(await testSurface(programs, engine, '/monaco.html', engine === 'chromium' ? [] : lost))
}

async function testHistory({ testTabs }) {
    await testTabs('commands of the editor undo only what the user has typed', async ({ tab, other }) => {
        await tab.replace(3, 3, '!')
        await until(() => other.text === 'abc!', 'the text of the user')
        other.edit([{ range: [0, 0], text: 'x' }])
        await tab.shows('xabc!')
        await tab.evaluate(() => editor.trigger('test', 'undo'))
        await tab.shows('xabc')
        await tab.evaluate(() => editor.trigger('test', 'redo'))
        await tab.shows('xabc!')
    }, 'abc')

    await testTabs('an editor that is released has no history of what was typed before', async ({ tab, other }) => {
        await tab.replace(1, 1, '!')
        await until(() => other.text === 'a!b', 'the text of the user')
        other.edit([{ range: [0, 0], text: 'x' }])
        await tab.shows('xa!b')
        await tab.select(1, 2)
        await tab.evaluate(() => {
            editing.release()
            editor.trigger('test', 'undo')
        })
        assert.deepEqual([await tab.text(), await tab.selection()], ['xa!b', [1, 2]])
    }, 'ab')
}
