// The rows of a comparison: below each other on a narrow window, old and new beside each other on a wide one.
import { element, fill, icon } from './dom.js'
import { pairsOf, sizeOf } from './difference.js'
import { count } from './words.js'

/** More lines than these are shown only when the user asks for them. */
const mostLines = 2000
/** How many lines of a fold are shown at once. */
const mostUnfolded = 500

export class CompareView {
    node = element('div', { class: 'compare-text', tabindex: 0, role: 'region', 'aria-label': 'Differences' })
    #difference = null
    #limit = mostLines
    #wide = matchMedia('(min-width: 900px)')
    #redraw = () => this.#draw()

    constructor() { this.#wide.addEventListener('change', this.#redraw) }

    close() { this.#wide.removeEventListener('change', this.#redraw) }

    show(difference) {
        this.#difference = difference
        this.#limit = mostLines
        this.#draw()
        this.node.scrollTop = 0
    }

    /** Shows something else than a difference. */
    showInstead(...nodes) {
        this.#difference = null
        fill(this.node, ...nodes)
    }

    /** The changes on the screen, in order. */
    get changes() { return [...this.node.querySelectorAll('.hunk')] }

    /** The index of the change at which the user is: the last one that began above the middle of the view. */
    get current() { return this.changes.findIndex((hunk) => hunk.classList.contains('current')) }

    /** Goes to a change, so that screen readers read it. */
    goTo(index) {
        const { changes } = this
        const hunk = changes[index]
        if (!hunk) return
        for (const other of changes) other.classList.toggle('current', other === hunk)
        const [inner, outer] = [hunk.getBoundingClientRect(), this.node.getBoundingClientRect()]
        this.node.scrollTop += inner.top - outer.top - Math.max(24, (outer.height - inner.height) / 3)
        hunk.focus({ preventScroll: true })
    }

    #draw() {
        if (!this.#difference) return
        const isWide = this.#wide.matches
        let room = this.#limit
        const nodes = []
        for (const row of this.#difference.rows) {
            if (room <= 0) break
            nodes.push(this.#rowNode(row, isWide, room))
            room -= sizeOf(row)
        }
        const rest = room <= 0 ? element('button', { type: 'button', class: 'plain-button fold', onclick: () => this.#showMore() }, 'Show more') : false
        const digits = Math.max(2, String(this.#difference.lineCount).length)
        fill(this.node, element('div', { class: isWide ? 'rows wide' : 'rows', style: { '--digits': digits } }, nodes, rest))
    }

    #showMore() {
        this.#limit += mostLines
        this.#draw()
    }

    #rowNode(row, isWide, room) {
        switch (row.kind) {
        case 'fold': return this.#foldNode(row)
        case 'same': return element('div', { class: 'same' }, this.#difference.linesOf(row).map((line) => (isWide
            ? pairNode(line.old, plain(line.text), line.new, plain(line.text))
            : lineNode(line.new, '', plain(line.text)))))
        default: return isWide ? wideHunk(row, room) : narrowHunk(row, room)
        }
    }

    #foldNode(row) {
        return element('button', {
            type: 'button', class: 'plain-button fold',
            onclick: () => {
                const top = this.node.scrollTop
                this.#difference.unfold(row, mostUnfolded)
                this.#limit += Math.min(row.count, mostUnfolded)
                this.#draw()
                this.node.scrollTop = top
                this.node.focus({ preventScroll: true })
            },
        }, icon('down'), `Show ${count(Math.min(row.count, mostUnfolded), 'equal line')}`)
    }
}

function hunkNode(row, children) {
    const label = [row.removed.length > 0 && `${count(row.removed.length, 'line')} removed`, row.added.length > 0 && `${count(row.added.length, 'line')} added`]
    return element('div', { class: 'hunk', tabindex: -1, role: 'group', 'aria-label': label.filter(Boolean).join(', ') }, children)
}

function narrowHunk(row, room) {
    return hunkNode(row, [
        ...row.removed.slice(0, room).map((line) => lineNode(line.number, 'removed', changed(line, 'del'))),
        ...row.added.slice(0, room).map((line) => lineNode(line.number, 'added', changed(line, 'ins'))),
    ])
}

function wideHunk(row, room) {
    return hunkNode(row, pairsOf(row).slice(0, room).map(([removed, added]) => pairNode(
        removed?.number, removed && changed(removed, 'del'), added?.number, added && changed(added, 'ins'), removed && 'removed', added && 'added')))
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

function plain(text) { return element('span', { class: 'content', dir: 'auto' }, text) }

function changed({ pieces, isUnended }, tag) {
    return element(tag, { class: 'content', dir: 'auto' },
        pieces.map(({ text, isChanged }) => (isChanged ? element('mark', {}, text) : text)),
        isUnended && element('small', {}, ' (no line break at the end)'))
}
