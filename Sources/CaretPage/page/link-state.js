// The state of the connection in words. While the client waits, it counts the seconds to the next attempt.
import { element, fill, icon } from './dom.js'
import { linkWords } from './words.js'

export class LinkState {
    node = element('div', { class: 'link' })
    #app
    #state = element('span', { class: 'state', 'aria-hidden': 'true' })
    #words = element('span')
    #action = element('button', { type: 'button', class: 'plain-button' })
    #spoken = element('span', { class: 'spoken', role: 'status' })
    #mark = null

    constructor(app) {
        this.#app = app
        this.node.append(this.#state, this.#action, this.#spoken)
        this.#action.addEventListener('click', () => this.#act())
        app.caret.addEventListener('link', () => this.#draw())
        setInterval(() => {
            if (app.caret.link.state === 'waiting') this.#draw()
        }, 250)
        this.#draw()
    }

    #act() {
        if (this.#app.caret.link.state === 'ended') this.#app.reload()
        else this.#app.caret.reconnect()
    }

    #draw() {
        const { link } = this.#app.caret
        const { mark, words } = linkWords(link, new Date())
        this.node.dataset.link = link.state
        this.#state.title = link.state === 'online' ? '' : link.reason ?? ''
        if (mark !== this.#mark) fill(this.#state, icon(mark), this.#words)
        this.#mark = mark
        this.#state.className = `state ${{ online: 'good', ended: 'bad' }[link.state] ?? 'warn'}`
        if (this.#words.textContent !== words) this.#words.textContent = words
        // Screen readers are told that the connection is lost, but not each second of waiting.
        const short = link.state === 'waiting' ? 'Offline' : words
        if (this.#spoken.textContent !== short) this.#spoken.textContent = short
        const action = { waiting: 'Now', ended: 'Reload' }[link.state]
        this.#action.hidden = !action
        this.#action.textContent = action ?? ''
        if (action === 'Now') this.#action.setAttribute('aria-label', 'Connect now')
        else this.#action.removeAttribute('aria-label')
    }
}
