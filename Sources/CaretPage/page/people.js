// The people who have a document open, and the news about them for screen readers.
import { element } from './dom.js'
import { ownLook } from './own-look.js'
import { showPeople } from './people-sheet.js'
import { PeopleState } from './people-state.js'

export class People {
    /** Says who comes and goes. Only screen readers show it. */
    news = element('p', { class: 'spoken', role: 'status' })
    #app
    #place
    #state = new PeopleState()
    #timer = null

    /** `place` has `text()`, the text, and `goTo`, which scrolls to an offset of it. */
    constructor(app, place) {
        this.#app = app
        this.#place = place
    }

    get peers() { return this.#state.peers }

    close() { clearTimeout(this.#timer) }

    /** Somebody else has changed the text. */
    changed(edits, peers) { this.#state.changed(edits, peers, Date.now()) }

    /** Others have come, gone or moved their carets. */
    update(peers, { isOnline }) {
        this.#state.update(peers, Date.now(), { isOnline })
        clearTimeout(this.#timer)
        const { newsAt } = this.#state
        if (newsAt !== null) this.#timer = setTimeout(() => this.#tellNews(), Math.max(0, newsAt - Date.now()) + 5)
    }

    #tellNews() {
        const sentence = this.#state.takeNews(Date.now())
        if (sentence) this.news.textContent = sentence
    }

    open() {
        return showPeople(this.#state, { ...this.#place, self: ownLook(this.#app) })
    }
}
