// A slider over the revisions of a document, with a mark where each day begins, and one at each named revision.
import { element, fill } from './dom.js'
import { dayWords } from './history-words.js'
import { labelled } from './timeline.js'

/** How many pixels a label with a day needs. */
const labelWidth = 64
/** The width of the thumb, as in history.css. The middle of the thumb never comes nearer to an end than half of it. */
const thumb = 24

export class HistorySlider {
    input = element('input', { type: 'range', 'aria-label': 'Revision', step: 1, min: 0, max: 1, value: 0 })
    node = element('div', { class: 'history-slider' }, this.input)
    #marks = element('div', { class: 'marks', 'aria-hidden': 'true' })
    #days = []
    #tags = []
    #resizes = new ResizeObserver(() => this.#showMarks())

    /** `moved` is called with the revision that the user chose. */
    constructor(moved) {
        this.node.append(this.#marks)
        this.input.addEventListener('input', () => moved(Number(this.input.value)))
        this.#resizes.observe(this.node)
    }

    /** Shows a place between the first and the last revision, with what a screen reader says there. */
    show({ start, head }, place, words) {
        const { input } = this
        const hasMoved = Number(input.min) !== start || Number(input.max) !== head
        Object.assign(input, { min: start, max: head, value: place })
        input.setAttribute('aria-valuetext', words)
        input.style.setProperty('--share', head > start ? (place - start) / (head - start) : 1)
        if (hasMoved) this.#showMarks()
    }

    /** `days` are the first revisions of days: { revision, time }. */
    set days(days) {
        if (days.length === this.#days.length && days.every(({ revision }, at) => revision === this.#days[at].revision)) return
        this.#days = days
        this.#showMarks()
    }

    /** The named revisions, in ascending order. */
    set tags(tags) {
        if (tags.join() === this.#tags.join()) return
        this.#tags = tags
        this.#showMarks()
    }

    close() { this.#resizes.disconnect() }

    #showMarks() {
        const [start, end] = [Number(this.input.min), Number(this.input.max)]
        const room = this.node.clientWidth - thumb
        if (room <= 0 || end <= start) return fill(this.#marks)
        const shareOf = (revision) => (revision - start) / (end - start)
        const days = this.#days.filter(({ revision }) => revision <= end).map(({ revision, time }) => ({ share: shareOf(revision), time }))
        // There may be a thousand names. Marks in the same pixel look like one.
        const tags = new Set(this.#tags.filter((revision) => revision >= start && revision <= end)
            .map((revision) => Math.round(shareOf(revision) * room) / room))
        fill(this.#marks, ...labelled(days, labelWidth / room).map(({ share, time, hasLabel }) => element('span', {
            class: 'mark', style: { '--share': share, '--shift': `${-thumb / 2 - room * share}px` },
        }, hasLabel && element('span', {}, dayWords(time)))), ...[...tags].map((share) => element('span', { class: 'mark tag', style: { '--share': share } })))
    }
}
