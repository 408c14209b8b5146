// The adapter for CodeMirror 6, in a real browser with a real server.
import assert from 'node:assert/strict'
import { until } from '../CaretPageTests/support.mjs'
import { testSurface } from './surface-tests.mjs'

export { engines } from './browsers.mjs'

export async function testCodemirror(programs, engine) {
    await testExtensions(await testSurface(programs, engine, '/codemirror.html'))
}

/** Other extensions of the app. */
async function testExtensions({ testTabs }) {
    await testTabs('line ends of the state do not matter', async ({ tab, other }) => {
        await tab.evaluate(async () => {
            const { EditorState, StateEffect } = await import('/editors/codemirror/index.js')
            view.dispatch({ effects: StateEffect.appendConfig.of(EditorState.lineSeparator.of('\r\n')) })
        })
        other.append('c\nd')
        await tab.shows('a\nbc\nd')
        assert.equal(await tab.evaluate(() => view.state.doc.lines), 3)
        await tab.focus()
        await tab.select(6, 6)
        await tab.press('Enter')
        await tab.typeKeys('e')
        await until(() => other.text === 'a\nbc\nd\ne', 'the typed text')
    }, 'a\nb')

    await testTabs('filters of the app do not stop edits of others, which are marked as remote', async ({ tab, other }) => {
        await tab.evaluate(async () => {
            const { EditorState, EditorView, StateEffect, Transaction } = await import('/editors/codemirror/index.js')
            globalThis.marks = []
            view.dispatch({ effects: StateEffect.appendConfig.of([
                EditorState.changeFilter.of(() => false),
                EditorView.updateListener.of(({ docChanged, transactions: [one] }) => {
                    if (docChanged) marks.push([one.annotation(Transaction.remote), one.annotation(Transaction.addToHistory)])
                }),
            ]) })
        })
        other.append('c')
        await tab.shows('abc')
        assert.deepEqual(await tab.evaluate(() => marks), [[true, false]])
        await tab.replace(0, 1, '')
        assert.equal(await tab.text(), 'abc')
    }, 'ab')

    await testTabs('a listener of the app may correct what others write', async ({ tab, other }) => {
        await tab.evaluate(async () => {
            const { EditorView, StateEffect } = await import('/editors/codemirror/index.js')
            view.dispatch({ effects: StateEffect.appendConfig.of(EditorView.updateListener.of(() => {
                const from = view.state.doc.toString().indexOf('teh')
                if (from >= 0) view.dispatch({ changes: { from, to: from + 3, insert: 'the' } })
            })) })
        })
        other.append('teh end')
        await until(() => other.text === 'the end', 'the corrected text')
        await tab.shows('the end')
    })
}
