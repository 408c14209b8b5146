// A page with an editor that shows a document by an adapter, such as codemirror.html, and what a user does in it.
import { Tab } from './tabs.mjs'

export class EditorTab extends Tab {
    text() { return this.evaluate(() => editing.text()) }
    focus() { return this.evaluate(() => editing.focus()) }

    async shows(text) {
        const holds = (text) => editing.text() === text && shared.text === text
        await this.page.waitFor(holds, `an editor that shows ${JSON.stringify(text.slice(0, 100))}`, text)
    }

    select(anchor, head) { return this.selectAll([anchor, head]) }
    selectAll(...selections) { return this.evaluate((selections) => editing.select(selections), selections) }
    async selection() { return (await this.selections())[0] }
    selections() { return this.evaluate(() => editing.selections()) }
    replace(...edit) { return this.evaluate((edit) => editing.replace(...edit), edit) }
    access() { return this.evaluate(() => [editing.isReadOnly(), editing.description()]) }

    async paste(text) {
        await this.evaluate(() => {
            const field = document.querySelector('#other')
            field.value = 'something to copy'
            field.select()
        })
        await this.copy(text)
        await this.focus()
        await this.command('paste')
    }

    /** Where something is in the window: { left, right, top, bottom } each. The marks have the names of `editing.marks`. */
    places(mark) {
        return this.evaluate((mark) => [...document.querySelectorAll(editing.marks[mark])].map((one) => {
            const { left, right, top, bottom } = one.getBoundingClientRect()
            return { left, right, top, bottom }
        }), mark)
    }

    /** The names that can be seen. */
    names() {
        return this.evaluate(() => [...document.querySelectorAll(editing.marks.name)]
            .filter((one) => getComputedStyle(one).visibility === 'visible' && one.getClientRects().length > 0)
            .map((one) => one.textContent))
    }

    /** Where the editor shows a word. */
    placeOf(word) { return this.page.waitFor((word) => rectangleOf(word), `the word ${word}`, word) }
}
