// The rows of the documents. Nodes are kept while their documents are listed, so that the focus and the place of
// scrolling stay when others change something.
import { visibleName } from './document-name.js'
import { element, icon, iconButton } from './dom.js'
import { FirstLines } from './first-lines.js'
import { addressOf } from './route.js'
import { count, timeAgo } from './words.js'

export class DocumentRows {
    node = element('div', { class: 'rows' })
    #actions
    #sections = new Map()
    #rows = new Map()
    #open
    /** The one row or folder that the Tab key reaches. The arrow keys go to the others. */
    #stop = null
    #more
    #observer
    #firstLines
    /** Observes which rows are in view. */
    #view

    /**
     * `actions` has `read` of the client, `toggle(folder)`, `menu(name, button)`, and `more()`, which is called when the end comes near. `scroller`
     * is the node that scrolls the rows.
     */
    constructor(actions, scroller) {
        this.#actions = actions
        this.#more = element('p', { class: 'more' },
            element('button', { type: 'button', class: 'plain-button', onclick: () => actions.more() }, 'Show more'))
        this.#observer = new IntersectionObserver((entries) => {
            if (entries.some((entry) => entry.isIntersecting)) actions.more()
        }, { root: scroller, rootMargin: '1500px 0px' })
        this.#firstLines = new FirstLines(actions.read, (name, words) => {
            const drawn = this.#rows.get(name)
            if (drawn) setText(drawn.first, words)
        })
        this.#view = new IntersectionObserver((entries) => {
            for (const { target, isIntersecting } of entries) {
                const drawn = this.#rows.get(nameOf.get(target))
                if (drawn && isIntersecting) this.#firstLines.entered(drawn.row)
                else this.#firstLines.left(nameOf.get(target))
            }
        }, { root: scroller, rootMargin: '100px 0px' })
        this.node.addEventListener('keydown', (event) => this.#keyDown(event))
        this.node.addEventListener('focusin', ({ target }) => this.#moveStop(target.closest('li')?.querySelector('a') ?? target))
    }

    /** Shows what `DocumentList.shown` has returned. */
    draw({ sections, more }, now) {
        const rows = new Map()
        const kept = new Map()
        for (const section of sections) {
            kept.set(section.folder, this.#sections.get(section.folder) ?? this.#makeSection(section.folder))
            for (const row of section.rows) rows.set(row.name, this.#rows.get(row.name) ?? this.#makeRow(row, now))
        }
        for (const [name, drawn] of this.#rows) if (rows.get(name) !== drawn) this.#forget(name, drawn)
        this.#sections = kept
        this.#rows = rows
        for (const section of sections) {
            this.#updateSection(section)
            arrange(kept.get(section.folder).list, section.rows.map(({ name }) => rows.get(name).node))
            for (const row of section.rows) {
                const drawn = rows.get(row.name)
                // A document that was deleted and created again has another row.
                if (drawn.row === row) {
                    drawKept(drawn)
                } else {
                    drawRow(Object.assign(drawn, { row }), now)
                    this.#firstLines.changed(row)
                }
            }
        }
        arrange(this.node, [...[...kept.values()].map(({ node }) => node), ...(more > 0 ? [this.#more] : [])])
        if (!this.#stop?.isConnected || this.#stop.closest('[hidden]')) this.#moveStop(this.#rows.get(this.#open)?.link ?? this.#stops[0])
        // A new observation calls back at once, so more rows come if the end is still near.
        this.#observer.disconnect()
        if (more > 0) this.#observer.observe(this.#more)
    }

    /** Shows the current length and time of a row, if it is drawn. */
    update(row, now) {
        const drawn = this.#rows.get(row.name)
        if (drawn) drawRow(drawn, now)
        this.#firstLines.changed(row)
    }

    #forget(name, { node }) {
        this.#view.unobserve(node)
        this.#firstLines.left(name)
    }

    updateTimes(now) {
        for (const { row, time } of this.#rows.values()) setText(time, timeAgo(row.updated, now))
    }

    /** Marks the row of the document that is open. */
    mark(name) {
        this.#rows.get(this.#open)?.link.removeAttribute('aria-current')
        this.#open = name
        const link = this.#rows.get(name)?.link
        link?.setAttribute('aria-current', 'page')
        if (link && !this.node.contains(document.activeElement)) this.#moveStop(link)
    }

    /** Scrolls to the row of the document that is open. */
    reveal() { this.#rows.get(this.#open)?.node.scrollIntoView({ block: 'nearest' }) }

    focusFirst() { this.#stops[0]?.focus() }

    /** The links of rows and the buttons of folders, in order. */
    get #stops() { return [...this.node.querySelectorAll('h2 button, ul:not([hidden]) > li > a')] }

    #moveStop(node) {
        if (!node?.matches('a, h2 button') || node === this.#stop) return
        if (this.#stop) this.#stop.tabIndex = -1
        this.#stop = node
        node.tabIndex = 0
    }

    #makeSection(folder) {
        const list = element('ul')
        if (folder === '') return { node: element('section', { class: 'without-folder' }, list), list }
        const number = element('span', { class: 'number' })
        const button = element('button', {
            type: 'button', class: 'plain-button', tabindex: -1, onclick: () => this.#actions.toggle(folder),
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
        const first = element('span', { class: 'first', dir: 'auto' }, this.#firstLines.words(row.name))
        const length = element('span')
        const time = element('time')
        const link = element('a', {
            class: 'document', tabindex: -1, href: addressOf({ screen: 'editor', name: row.name }),
            'aria-current': row.name === this.#open && 'page',
        }, element('b', {}, element('bdi', {}, title)), first, element('span', { class: 'about' },
            row.folder && element('span', { class: 'where' }, element('bdi', {}, visibleName(row.folder)), element('span', { class: 'dot' }, ' · ')), kept, length, element('span', { class: 'dot' }, ' · '), time))
        const menu = iconButton('more', `More about ${title}`, ({ currentTarget }) => this.#actions.menu(row.name, currentTarget), { tabindex: -1 })
        const drawn = { node: element('li', { class: 'entry' }, link, menu), link, first, kept, length, time, row }
        nameOf.set(drawn.node, row.name)
        this.#view.observe(drawn.node)
        drawRow(drawn, now)
        return drawn
    }

    /** The arrow keys go from row to row, and from a row to its menu. They open and close folders. */
    #keyDown(event) {
        if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
        const stops = this.#stops
        const { target } = event
        const [link, menu] = target.closest('li')?.querySelectorAll('a, .round') ?? []
        const current = stops.indexOf(link ?? target)
        if (current < 0) return
        const next = {
            ArrowDown: stops[current + 1], ArrowUp: stops[current - 1], Home: stops[0], End: stops.at(-1), ArrowRight: menu, ArrowLeft: link,
        }[event.key]
        const isToggled = !link && { ArrowRight: 'false', ArrowLeft: 'true' }[event.key] === target.getAttribute('aria-expanded')
        if (!next && !isToggled) return
        event.preventDefault()
        if (isToggled) target.click()
        else next.focus()
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

/** The names of the documents of rows. */
const nameOf = new WeakMap()

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
