// The rows of the documents. Nodes are kept while their documents are listed, so that the focus and the place of
// scrolling stay when others change something.
import { visibleName } from './document-name.js'
import { element, icon, iconButton } from './dom.js'
import { addressOf } from './route.js'
import { count, timeAgo } from './words.js'

export class DocumentRows {
    node = element('div', { class: 'rows' })
    #actions
    #sections = new Map()
    #rows = new Map()
    #open
    #more
    #observer

    /**
     * `actions` has `toggle(folder)`, `menu(name)`, and `more()`, which is called when the end comes near. `scroller`
     * is the node that scrolls the rows.
     */
    constructor(actions, scroller) {
        this.#actions = actions
        this.#more = element('p', { class: 'more' },
            element('button', { type: 'button', class: 'plain-button', onclick: () => actions.more() }, 'Show more'))
        this.#observer = new IntersectionObserver((entries) => {
            if (entries.some((entry) => entry.isIntersecting)) actions.more()
        }, { root: scroller, rootMargin: '1500px 0px' })
        this.node.addEventListener('keydown', (event) => this.#moveFocus(event))
    }

    /** Shows what `DocumentList.shown` has returned. */
    draw({ sections, more }, now) {
        const rows = new Map()
        const kept = new Map()
        for (const section of sections) {
            kept.set(section.folder, this.#sections.get(section.folder) ?? this.#makeSection(section.folder))
            for (const row of section.rows) rows.set(row.name, this.#rows.get(row.name) ?? this.#makeRow(row, now))
        }
        this.#sections = kept
        this.#rows = rows
        for (const section of sections) {
            this.#updateSection(section)
            arrange(kept.get(section.folder).list, section.rows.map(({ name }) => rows.get(name).node))
            for (const row of section.rows) {
                const drawn = rows.get(row.name)
                // A document that was deleted and created again has another row.
                if (drawn.row === row) drawKept(drawn)
                else drawRow(Object.assign(drawn, { row }), now)
            }
        }
        arrange(this.node, [...[...kept.values()].map(({ node }) => node), ...(more > 0 ? [this.#more] : [])])
        // A new observation calls back at once, so more rows come if the end is still near.
        this.#observer.disconnect()
        if (more > 0) this.#observer.observe(this.#more)
    }

    /** Shows the current length and time of a row, if it is drawn. */
    update(row, now) {
        const drawn = this.#rows.get(row.name)
        if (drawn) drawRow(drawn, now)
    }

    updateTimes(now) {
        for (const { row, time } of this.#rows.values()) setText(time, timeAgo(row.updated, now))
    }

    /** Marks the row of the document that is open. */
    mark(name) {
        this.#rows.get(this.#open)?.link.removeAttribute('aria-current')
        this.#open = name
        this.#rows.get(name)?.link.setAttribute('aria-current', 'page')
    }

    /** Scrolls to the row of the document that is open. */
    reveal() { this.#rows.get(this.#open)?.node.scrollIntoView({ block: 'nearest' }) }

    focusFirst() { this.node.querySelector('a, h2 button')?.focus() }

    #makeSection(folder) {
        const list = element('ul')
        if (folder === '') return { node: element('section', { class: 'without-folder' }, list), list }
        const number = element('span', { class: 'number' })
        const button = element('button', {
            type: 'button', class: 'plain-button', onclick: () => this.#actions.toggle(folder),
        }, icon('down'), element('span', { class: 'name' }, element('bdi', {}, visibleName(folder))), number)
        return { node: element('section', {}, element('h2', {}, button), list), list, button, number }
    }

    #updateSection({ folder, count: amount, isCollapsed }) {
        const { button, number, list } = this.#sections.get(folder)
        if (!button) return
        button.setAttribute('aria-expanded', String(!isCollapsed))
        setText(number, isCollapsed ? count(amount, 'document') : '')
        list.hidden = isCollapsed
    }

    #makeRow(row, now) {
        const title = visibleName(row.title)
        const kept = element('span', { class: 'kept', hidden: true }, icon('alert'), 'Not saved', element('span', { class: 'dot' }, ' · '))
        const length = element('span')
        const time = element('time')
        const link = element('a', {
            class: 'document', href: addressOf({ screen: 'editor', name: row.name }),
            'aria-current': row.name === this.#open && 'page',
        }, element('b', {}, element('bdi', {}, title)), element('span', { class: 'about' }, kept, length, element('span', { class: 'dot' }, ' · '), time))
        const menu = iconButton('more', `More about ${title}`, () => this.#actions.menu(row.name))
        const drawn = { node: element('li', { class: 'entry' }, link, menu), link, kept, length, time, row }
        drawRow(drawn, now)
        return drawn
    }

    /** The arrow keys go from row to row. */
    #moveFocus(event) {
        const direction = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (!direction || event.altKey || event.ctrlKey || event.metaKey) return
        const stops = [...this.node.querySelectorAll('a, h2 button')]
        const current = stops.indexOf(event.target.closest('li')?.querySelector('a') ?? event.target)
        const next = stops[current + direction]
        if (current < 0 || !next) return
        event.preventDefault()
        next.focus()
    }
}

/** Makes `nodes` the children of a node. Those that are in order stay where they are, because moving loses the focus. */
function arrange(parent, nodes) {
    const wanted = new Set(nodes)
    for (const child of [...parent.children]) if (!wanted.has(child)) child.remove()
    let next = parent.firstChild
    for (const node of nodes) {
        if (node === next) next = next.nextSibling
        else parent.insertBefore(node, next)
    }
}

const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Whether the document has text that only this device has, and whether the server has named it. */
function drawKept({ row, kept, length }) {
    kept.hidden = !row.isKept
    setText(length, row.isOnlyHere ? 'Only on this device' : count(row.length, 'character'))
}

function drawRow(drawn, now) {
    const { row, time } = drawn
    drawKept(drawn)
    setText(time, timeAgo(row.updated, now))
    time.dateTime = row.updated.toISOString()
    time.title = exactTime.format(row.updated)
}

function setText(node, text) {
    if (node.textContent !== text) node.textContent = text
}
