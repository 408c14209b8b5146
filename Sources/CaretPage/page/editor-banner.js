// What the editor shows if something needs the user: a banner over the text, or a page in place of the text.
import { element, fill, icon } from './dom.js'
import { actionLabels } from './saving-words.js'

export class Banner {
    /** Screen readers say each new sentence, but not each second of a countdown. */
    node = element('div', { class: 'banner-box', 'aria-live': 'polite' })
    #run
    #key = 'null'
    #sentence = element('p')
    #detail = element('p', { class: 'detail', 'aria-live': 'off' })
    #actions = element('div', { class: 'banner-actions' })

    /** `run(action)` is called with a key of `actionLabels`. */
    constructor(run) { this.#run = run }

    /** Shows a banner of `SavingDisplay`, or none. Buttons stay while only the words change. */
    show(banner) {
        const key = JSON.stringify(banner && [banner.tone, banner.actions])
        if (key !== this.#key) this.#build(banner)
        this.#key = key
        if (!banner) return
        if (this.#sentence.textContent !== banner.sentence) this.#sentence.textContent = banner.sentence
        this.#detail.textContent = banner.detail
        this.#detail.hidden = banner.detail === ''
    }

    #build(banner) {
        if (!banner) return fill(this.node)
        fill(this.#actions, banner.actions.map((action) => actionButton(action, this.#run)))
        this.#sentence.textContent = ''
        fill(this.node, element('section', { class: `banner ${banner.tone}`, 'aria-label': 'State of the document' },
            element('div', { class: 'banner-words' }, this.#sentence, this.#detail), this.#actions))
    }
}

function actionButton(action, run, kind = 'primary') {
    return element('button', { type: 'button', class: kind, onclick: () => run(action) }, actionLabels[action])
}

const pictures = { missing: 'text', damagedPage: 'alert', failed: 'alert', trapped: 'alert' }

/** A page of `SavingDisplay`. `text` is what the user may copy, if the page has a text. */
export function statePage(situation, { title, sentence, actions, hasText }, { name, text, run }) {
    const field = hasText && element('textarea', { class: 'to-copy', readonly: true, rows: 8, 'aria-label': 'Your text' })
    if (field) field.value = text
    return element('section', { class: 'state-page' },
        element('span', { class: 'picture' }, icon(pictures[situation])),
        element('h2', {}, title), element('p', { class: 'which' }, name), element('p', {}, sentence), field,
        element('div', { class: 'actions' },
            actions.map((action, index) => actionButton(action, run, index < actions.length - 1 ? 'quiet' : 'primary')),
            // After a fault, no other screen works either.
            situation !== 'trapped' && element('a', { class: 'quiet', href: '/' }, 'Back')))
}
