// The rows of a comparison: below each other on a narrow window, old and new beside each other on a wide one.
import { element, fill, icon } from './dom.js'
import { pairsOf, sizeOf } from './difference.js'
import { count } from './words.js'

/** How many lines are drawn at once. More of them would stop the page for a moment. */
const batch = 500

export class CompareView {
    node = element('div', { class: 'compare-text', tabindex: 0, role: 'region', 'aria-label': 'Differences' })
    #difference = null
    #rows = null
    /** How many rows of the difference are drawn. */
    #drawn = 0
    #current = -1
    #wide = matchMedia('(min-width: 900px)')
    #redraw = () => this.#drawAgain()

    constructor() { this.#wide.addEventListener('change', this.#redraw) }

    close() { this.#wide.removeEventListener('change', this.#redraw) }

    show(difference) {
        this.#difference = difference
        this.#current = -1
        this.#drawn = 0
        this.#drawAgain()
        this.node.scrollTop = 0
    }

    /** Shows something else than a difference. */
    showInstead(...nodes) {
        this.#difference = null
        fill(this.node, ...nodes)
    }

    /** Goes to the next change, or with -1 to the previous one, so that screen readers read it. Returns its index. */
    step(amount) {
        const last = this.#difference.counts.changes - 1
        this.#current = Math.min(Math.max(this.#current + amount, 0), last)
        while (!this.#hunks[this.#current]) this.#drawMore()
        const hunk = this.#hunks[this.#current]
        for (const other of this.#hunks) other.classList.toggle('current', other === hunk)
        const [inner, outer] = [hunk.getBoundingClientRect(), this.node.getBoundingClientRect()]
        this.node.scrollTop += inner.top - outer.top - Math.max(24, (outer.height - inner.height) / 3)
        hunk.focus({ preventScroll: true })
        return this.#current
    }

    get #hunks() { return this.#rows.querySelectorAll('.hunk') }

    /** Draws again as many rows as before, because the width or a fold has changed. */
    #drawAgain() {
        if (!this.#difference) return
        const digits = Math.max(2, String(this.#difference.lineCount).length)
        const wanted = this.#drawn
        const top = this.node.scrollTop
        this.#rows = element('div', { class: this.#wide.matches ? 'compare-rows wide' : 'compare-rows', style: { '--digits': digits } })
        fill(this.node, this.#rows)
        this.#drawn = 0
        do this.#drawMore()
        while (this.#drawn < Math.min(wanted, this.#difference.rows.length))
        this.#hunks[this.#current]?.classList.add('current')
        this.node.scrollTop = top
    }

    #drawMore() {
        const { rows } = this.#difference
        const nodes = []
        for (let room = batch; room > 0 && this.#drawn < rows.length; this.#drawn++) {
            nodes.push(this.#rowNode(rows[this.#drawn]))
            room -= sizeOf(rows[this.#drawn])
        }
        this.#rows.querySelector('.show-more')?.remove()
        const hasMore = this.#drawn < rows.length
        this.#rows.append(...nodes, ...(hasMore ? [element('button', { type: 'button', class: 'plain-button fold show-more', onclick: () => this.#showMore() }, icon('down'), 'Show more')] : []))
    }

    #showMore() {
        this.#drawMore()
        // The button with the focus may be gone.
        this.node.focus({ preventScroll: true })
    }

    #rowNode(row) {
        const isWide = this.#wide.matches
        switch (row.kind) {
        case 'fold': return this.#foldNode(row)
        case 'same': return element('div', { class: 'same' }, this.#difference.linesOf(row).map((line) => (isWide
            ? pairNode(line.old, plain(line.text), line.new, plain(line.text))
            : lineNode(line.new, '', plain(line.text)))))
        default: return hunkNode(row, isWide ? wideLines : narrowLines)
        }
    }

    #foldNode(row) {
        const lines = Math.min(row.count, batch)
        return element('button', {
            type: 'button', class: 'plain-button fold',
            onclick: () => {
                this.#difference.unfold(row, lines)
                this.#drawAgain()
                this.node.focus({ preventScroll: true })
            },
        }, icon('down'), `Show ${count(lines, 'equal line')}`)
    }
}

/** A change. Of a very long one, the first lines are drawn, until the user asks for the others. */
function hunkNode(row, linesOf) {
    const label = [row.removed.length > 0 && `${count(row.removed.length, 'line')} removed`, row.added.length > 0 && `${count(row.added.length, 'line')} added`]
    const node = element('div', { class: 'hunk', tabindex: -1, role: 'group', 'aria-label': label.filter(Boolean).join(', ') })
    const lines = linesOf(row)
    const drawMore = (first) => {
        node.append(...lines.slice(first, first + batch).map((draw) => draw()))
        const rest = lines.length - first - batch
        if (rest <= 0) return
        const button = element('button', {
            type: 'button', class: 'plain-button fold',
            onclick: () => {
                button.remove()
                drawMore(first + batch)
                node.focus({ preventScroll: true })
            },
        }, icon('down'), `Show ${count(Math.min(rest, batch), 'more line', 'more lines')}`)
        node.append(button)
    }
    drawMore(0)
    return node
}

/** The lines of a change below each other: a function each, which makes the node. */
function narrowLines(row) {
    return [
        ...row.removed.map((line) => () => lineNode(line.number, 'removed', changed(line, 'del'))),
        ...row.added.map((line) => () => lineNode(line.number, 'added', changed(line, 'ins'))),
    ]
}

/** The lines of a change beside each other. */
function wideLines(row) {
    return pairsOf(row).map(([removed, added]) => () => pairNode(
        removed?.number, removed && changed(removed, 'del'), added?.number, added && changed(added, 'ins'), removed && 'removed', added && 'added'))
}

const signs = { removed: '\u2212', added: '+' }

/** A line below the others. `kind` is 'removed', 'added' or ''. */
function lineNode(number, kind, text) {
    return element('div', { class: `line ${kind}` }, cells(number, kind, text))
}

/** Two lines beside each other. */
function pairNode(oldNumber, oldText, newNumber, newText, oldKind = '', newKind = '') {
    return element('div', { class: 'pair' },
        element('div', { class: `line ${oldText ? oldKind : 'none'}` }, oldText && cells(oldNumber, oldKind, oldText)),
        // An equal line is read only once.
        element('div', { class: `line ${newText ? newKind : 'none'}`, 'aria-hidden': newText && !newKind && 'true' }, newText && cells(newNumber, newKind, newText)))
}

function cells(number, kind, text) {
    return [
        element('span', { class: 'line-number', 'aria-hidden': 'true' }, String(number)),
        element('span', { class: 'sign', 'aria-hidden': 'true' }, signs[kind] ?? ''), text,
    ]
}

function plain(text) { return element('span', { class: 'line-text', dir: 'auto' }, text) }

function changed({ pieces, isUnended }, tag) {
    return element(tag, { class: 'line-text', dir: 'auto' },
        pieces.map(({ text, isChanged }) => (isChanged ? element('mark', {}, text) : text)),
        isUnended && element('small', {}, ' (no line break at the end)'))
}
