// Shows notes as bubbles. It keeps the nodes of notes that stay, so that screen readers say only new ones.
import { element, fill } from './dom.js'
import { arrange, beginningOf } from './notes-text.js'
import { cleanText } from './clean-text.js'
import { count } from './words.js'

/** How many notes are shown at first, and more at each press of 'Show earlier notes'. */
const step = 100

/** `markOf(note)` is the mark of an author, and `statusOf(note)` the nodes for the status of an unsaved note. */
export class NotesList {
    #markOf
    #statusOf
    #rows = new Map()
    #longest = step
    #last = null
    #items = element('ol', { class: 'notes-list' })
    #earlier = element('button', { type: 'button', class: 'plain-button notes-earlier', hidden: true, onclick: () => this.#showEarlier() })
    #empty = element('p', { class: 'empty', hidden: true })
    node = element('div', { class: 'notes-scroll', tabindex: '-1' }, this.#earlier,
        element('div', { role: 'log', 'aria-label': 'Notes' }, this.#items), this.#empty)

    constructor({ markOf, statusOf }) {
        this.#markOf = markOf
        this.#statusOf = statusOf
        // The newest notes stay in view when the panel becomes smaller, for example by a keyboard.
        new ResizeObserver(() => this.#isAtEnd && this.scrollToEnd()).observe(this.node)
        this.node.addEventListener('scroll', () => {
            const { scrollHeight, scrollTop, clientHeight } = this.node
            this.#isAtEnd = scrollHeight - scrollTop - clientHeight < 40
        }, { passive: true })
    }

    #isAtEnd = true

    show(notes, { isOwn, isLooking, isOnline }) {
        this.#last = [notes, { isOwn, isLooking, isOnline }]
        const wasAtEnd = this.#isAtEnd
        const earlier = Math.max(0, notes.length - this.#longest)
        this.#earlier.hidden = earlier === 0
        fill(this.#earlier, `Show earlier notes (${count(earlier, 'note')})`)
        this.#showEmpty(notes.length === 0, { isLooking, isOnline })
        this.#setRows(arrange(notes.slice(earlier), { isOwn, now: new Date() }))
        if (wasAtEnd) this.scrollToEnd()
    }

    scrollToEnd() {
        this.node.scrollTop = this.node.scrollHeight
        this.#isAtEnd = true
    }

    clear() {
        this.#rows.clear()
        fill(this.#items)
        this.#longest = step
    }

    #showEmpty(isEmpty, { isLooking, isOnline }) {
        this.#empty.hidden = !isEmpty
        this.#items.hidden = isEmpty
        const words = !isLooking ? 'No notes yet. Say something about this text.' : isOnline ? 'Looking for notes\u2026'
            : 'Offline. Notes appear when there is a connection.'
        if (this.#empty.textContent !== words) fill(this.#empty, words)
    }

    #showEarlier() {
        const height = this.node.scrollHeight
        this.#longest += step
        this.#isAtEnd = false
        this.show(...this.#last)
        this.node.scrollTop += this.node.scrollHeight - height
    }

    #setRows(rows) {
        const next = new Map()
        for (const row of rows) {
            let key = keyOf(row)
            // The same note may be there twice.
            while (next.has(key)) key += '+'
            next.set(key, this.#rows.get(key) ?? this.#makeRow(row))
        }
        for (const [key, node] of this.#rows) if (next.get(key) !== node) node.remove()
        let index = 0
        for (const node of next.values()) {
            if (this.#items.children[index] !== node) this.#items.insertBefore(node, this.#items.children[index] ?? null)
            index++
        }
        this.#rows = next
    }

    #makeRow({ day, note, isOwn, isFirst }) {
        if (!note) return element('li', { class: 'notes-day' }, day)
        const kind = note.time === null ? 'bare' : isOwn ? 'own' : 'other'
        return element('li', { class: `note ${kind} ${isFirst ? 'first' : ''} ${note.status ?? ''}` },
            kind === 'other' && (isFirst ? this.#markOf(note) : element('span', { class: 'notes-gap' })),
            element('div', { class: 'note-body' },
                kind === 'bare' ? false : this.#makeHeading(note, { isOwn, isFirst }),
                this.#makeBubble(note.text),
                note.status && element('p', { class: 'note-status' }, this.#statusOf(note))))
    }

    #makeHeading({ author, time }, { isOwn, isFirst }) {
        const clock = time.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })
        return element('p', { class: isFirst ? 'note-heading' : 'spoken' },
            element('b', { class: isOwn ? 'spoken' : '', dir: 'auto' }, isOwn ? 'You' : cleanText(author)),
            element('time', { datetime: time.toISOString(), title: time.toLocaleString() }, clock))
    }

    #makeBubble(text) {
        const beginning = beginningOf(text)
        const words = element('p', { dir: 'auto' }, cleanLines(beginning ?? text))
        if (beginning === null) return element('div', { class: 'bubble' }, words)
        const button = element('button', {
            type: 'button', class: 'plain-button', onclick: () => {
                fill(words, cleanLines(text))
                button.remove()
            },
        }, 'Show all')
        return element('div', { class: 'bubble' }, words, button)
    }
}

/** Two rows with the same key look the same. */
function keyOf({ day, note, isOwn, isFirst }) {
    if (!note) return `day ${day}`
    return [note.status, note.time?.getTime(), note.author, isOwn, isFirst, note.text].join('\u0000')
}

function cleanLines(text) {
    return text.split('\n').map(cleanText).join('\n')
}
