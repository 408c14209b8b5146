// The people who have a document open: the sheet that lists them, and the news for screen readers.
import { avatar, element, fill } from './dom.js'
import { lineNumber, nameWords, PeopleState } from './people-state.js'
import { openSheet } from './sheet.js'
import { count } from './words.js'

/** A longer list helps nobody, and takes long to build. */
const mostRows = 100

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
        const { settings, caret: { user } } = this.#app
        const name = settings.get('name') || (user === 'anonymous' ? '' : user)
        return showPeople(this.#state, { ...this.#place, self: { name, color: settings.get('color') } })
    }
}

/** Shows the people until the user closes the sheet. */
async function showPeople(state, { self, text, goTo }) {
    const list = element('ul', { class: 'people-list' })
    const rest = element('p', { class: 'quiet-text' })
    const alone = element('p', { class: 'quiet-text' }, 'Nobody else is here. Send somebody the link of this page.')
    const rows = new Map()
    let close = () => {}
    const update = () => {
        const current = state.rows(Date.now()).sort(byName)
        const shown = current.slice(0, mostRows)
        const nodes = shown.map((row) => rowOf(rows, row, { text, go: (offset) => (close(), goTo(offset)) }))
        placeNodes(list, [selfNode, ...nodes])
        rest.hidden = current.length <= mostRows
        rest.textContent = `And ${count(current.length - shown.length, 'other')}.`
        alone.hidden = current.length > 0
    }
    const selfNode = element('li', {}, element('div', { class: 'person' }, selfFace(self),
        element('span', { class: 'who' }, element('b', { dir: 'auto' }, self.name ? nameWords(self) : 'You'),
            self.name && element('span', { class: 'quiet-text' }, 'You'))))
    update()
    const timer = setInterval(update, 500)
    await openSheet('People', (closeSheet) => {
        close = closeSheet
        return [list, rest, alone]
    })
    clearInterval(timer)
}

function byName(left, right) { return nameWords(left.peer).localeCompare(nameWords(right.peer)) }

/** Others see a color that the server's id decides, if the user has chosen none. */
function selfFace(self) {
    if (self.color) return avatar(self, { label: false })
    const face = avatar({ name: self.name || 'You', color: '#5f6167' }, { label: false })
    face.classList.add('neutral')
    return face
}

/** The node of a person. It stays the same while they are here, so that it keeps the focus. */
function rowOf(rows, { peer, isTyping, offset, idle }, { text, go }) {
    const key = JSON.stringify([peer.session, peer.name, peer.user, peer.color])
    let row = rows.get(key)
    if (!row) {
        const [where, button] = [element('span', { class: 'quiet-text' }), element('button', { type: 'button', class: 'row person' })]
        row = { where, button, node: element('li', {}, button), offset }
        fill(button, avatar(peer, { label: false }),
            element('span', { class: 'who' }, element('b', { dir: 'auto' }, nameWords(peer)), where))
        button.addEventListener('click', () => row.offset !== null && go(row.offset))
        rows.set(key, row)
    }
    row.offset = offset
    row.button.disabled = offset === null
    const place = offset === null ? 'Reading' : `Line ${lineNumber(text(), offset)}`
    row.where.textContent = isTyping ? `${place}, typing\u2026` : idle ? `${place}, active ${idle}` : place
    row.node.classList.toggle('typing', isTyping)
    return row.node
}

/** Puts nodes into a list. Those that are at their place already are not moved, which would take the focus away. */
function placeNodes(list, nodes) {
    const wanted = new Set(nodes)
    for (const node of [...list.children]) if (!wanted.has(node)) node.remove()
    for (const [index, node] of nodes.entries()) {
        if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null)
    }
}
