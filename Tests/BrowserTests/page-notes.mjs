// The notes of a document, in a screen that has only a text and the notes.
import assert from 'node:assert/strict'
import { test } from '../NodeSupport/suite.mjs'
import { setWindow, startPages, windows } from './pages.mjs'

/** Shows a small screen with the notes of a document. */
export async function showNotes(page, name, { author = 'Ann', token } = {}) {
    await page.evaluate(async (name, author, token) => {
        const [{ Caret }, { Notes }, { element, fill }] = await Promise.all(
            ['/caret/caret.js', '/page/notes.js', '/page/dom.js'].map((path) => import(path)))
        const caret = await Caret.connect(location.origin, { name: author, token: token ?? undefined })
        const show = () => {
            const notes = new Notes({ caret, settings: { get: (key) => (key === 'name' ? author : '') } }, name)
            const text = '# Agenda\n\nMonday, 10:00. Bring the plans for the greenhouse,\nand last year\u2019s list of what grew and what did not.\n'
            const field = element('textarea', { class: 'stub-text', 'aria-label': 'Text' })
            field.value = text
            Object.assign(field.style, { border: 0, padding: '20px', background: 'var(--sheet)', resize: 'none', outlineOffset: '-2px' })
            const screen = element('div', { class: 'screen' },
                element('header', { class: 'bar above' }, element('h1', {}, name)), field, notes.node)
            fill(document.querySelector('main#screen') ?? document.body, screen)
            document.body.dataset.screen = 'editor'
            globalThis.stub = { notes, caret, show }
        }
        show()
    }, name, author, token)
    await page.waitFor(() => document.querySelector('.notes-bar'), 'the notes')
}

export async function press(page, key, { modifiers = 0, text } = {}) {
    const code = { Enter: 13, Tab: 9, Escape: 27 }[key]
    const params = { key, code: key, windowsVirtualKeyCode: code, modifiers }
    await page.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...params })
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...params })
}

export async function type(page, text) {
    await page.evaluate(() => document.querySelector('.notes-field').focus())
    await page.send('Input.insertText', { text })
}
