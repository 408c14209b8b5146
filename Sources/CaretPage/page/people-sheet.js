// The sheet that lists the people who have a document open.
import { peerName } from '../../../Clients/javascript/peer-look.js'
import { avatar, element, fill, icon } from './dom.js'
import { lineNumber } from './people-state.js'
import { openSheet } from './sheet.js'
import { count } from './words.js'

/** A longer list helps nobody, and takes long to build. */
const mostRows = 100

/**
 * Shows the people of a PeopleState until the user closes the sheet. `self` is the user. `text()` is the text of the
 * document, and `goTo` scrolls to an offset of it.
 */
export async function showPeople(state, { self, text, goTo }) {
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
        element('span', { class: 'who' }, element('b', { dir: 'auto' }, self.name ? peerName(self) : 'You'),
            self.name && element('span', { class: 'quiet-text' }, 'You'))))
    update()
    const timer = setInterval(update, 500)
    await openSheet('People', (closeSheet) => {
        close = closeSheet
        return [list, rest, alone]
    })
    clearInterval(timer)
}

function byName(left, right) { return peerName(left.peer).localeCompare(peerName(right.peer)) }

/** Others see a color that the server's id decides, if the user has chosen none. */
function selfFace(self) {
    if (self.color) return avatar(self, { label: false })
    const face = avatar({ name: self.name || 'You', color: '#5f6167' }, { label: false })
    face.classList.add('neutral')
    return face
}

/** The node of a person. It stays the same while they are here, so that it keeps the focus. */
function rowOf(rows, { peer, isTyping, offset, idle }, { text, go }) {
    const key = JSON.stringify([peer.session, peer.name, peer.user, peer.color, peer.verified])
    let row = rows.get(key)
    if (!row) {
        const [where, button] = [element('span', { class: 'quiet-text' }), element('button', { type: 'button', class: 'person' })]
        row = { where, button, node: element('li', {}, button), offset }
        fill(button, avatar(peer, { label: false }),
            element('span', { class: 'who' },
                element('span', { class: 'name' }, element('b', { dir: 'auto' }, peerName(peer)), peer.verified && verifiedMark()), where))
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

/** The mark of a name that comes from the token of the user. */
function verifiedMark() {
    const title = 'This name comes from the account of the user.'
    return element('span', { class: 'verified', role: 'img', 'aria-label': 'verified', title }, icon('tick'))
}

/** Puts nodes into a list. Those that are at their place already are not moved, which would take the focus away. */
function placeNodes(list, nodes) {
    const wanted = new Set(nodes)
    for (const node of [...list.children]) if (!wanted.has(node)) node.remove()
    for (const [index, node] of nodes.entries()) {
        if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null)
    }
}
