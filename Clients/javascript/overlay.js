// Shows the carets and selections of others over a textarea. A layer cannot be inside a textarea, so it is above it,
// and an invisible copy of the text says where everything is.
import { mostPeers, peerColor, peerName, textColorOn } from './peer-look.js'

/** Longer texts have no overlay, because the browser would lay out every change twice. */
const longestText = 300 * 1024
/** How long a name stays after its caret has moved, in milliseconds. */
const labelTime = 3_000
/** After a paint that took some time, the next one waits this many times as long, and at most so many milliseconds. */
const [restFactor, longestRest] = [8, 100]
/** How near to a caret the pointer must be to show its name, in pixels. */
const reach = 5

const sheet = `
    .layer { position: absolute; left: 0; top: 0; }
    .layer > * { position: absolute; }
    .selection { opacity: 0.25; }
    .caret { width: 2px; margin-left: -1px; }
    .label {
        left: 0; padding: 0 4px; border-radius: 2px; font: 11px/16px system-ui, sans-serif; white-space: nowrap;
        max-width: 20em; overflow: hidden; text-overflow: ellipsis; visibility: hidden;
    }
    .named > .label { visibility: visible; }
    .caret > .label { position: absolute; bottom: 100%; }
    .caret.low > .label { bottom: auto; top: 100%; }
    .caret.right > .label { left: auto; right: 0; }
`

/** Carets of others over a textarea. `remove` ends this. */
export class Overlay {
    #document
    #field
    #mirror
    #core
    #hasLabels
    #layer = null
    #listeners = new AbortController()
    #resizes
    #frame = null
    #timer = null
    /** Waits until the next paint may begin; null if nothing waits. */
    #rest = null
    /** The next paint must not begin before this moment. */
    #paintsAt = 0
    /** For each session, where its caret was last, and until when its name is shown. */
    #heads = new Map()
    #place = { left: 0, top: 0 }

    constructor(document, field, { mirror, core, labels }) {
        this.#document = document
        this.#field = field
        this.#mirror = mirror
        this.#core = core
        this.#hasLabels = labels
        const { signal } = this.#listeners
        const schedule = () => this.#schedule()
        document.addEventListener('change', (event) => this.#changed(event), { signal })
        document.addEventListener('peers', schedule, { signal })
        field.addEventListener('scroll', () => this.#scrolled(), { signal, passive: true })
        field.addEventListener('pointermove', (event) => this.#pointed(event), { signal, passive: true })
        field.ownerDocument.fonts.addEventListener('loadingdone', schedule, { signal })
        field.ownerDocument.defaultView.addEventListener('resize', schedule, { signal })
        this.#resizes = new ResizeObserver(schedule)
        this.#resizes.observe(field)
        schedule()
    }

    remove() {
        this.#listeners.abort()
        this.#resizes.disconnect()
        cancelAnimationFrame(this.#frame)
        clearTimeout(this.#timer)
        clearTimeout(this.#rest)
        this.#layer?.remove()
    }

    /** Paints with the next frame. If many people type, the frames in between have time for their text. */
    #schedule() {
        if (this.#frame !== null || this.#rest !== null) return
        const wait = this.#paintsAt - performance.now()
        if (wait <= 0) return this.#paintWithFrame()
        this.#rest = setTimeout(() => {
            this.#rest = null
            this.#paintWithFrame()
        }, wait)
    }

    #paintWithFrame() {
        this.#frame = requestAnimationFrame(() => {
            this.#frame = null
            const start = performance.now()
            this.#paint()
            const end = performance.now()
            this.#paintsAt = end + Math.min(longestRest, restFactor * (end - start))
        })
    }

    // The user's own typing moves the carets of others, but they have not moved themselves.
    #changed({ edits, own }) {
        if (own) for (const seen of this.#heads.values()) seen.head = this.#core.mapCaret(seen.head, edits)
        this.#schedule()
    }

    #scrolled() {
        this.#moveLayer()
        // Carets that were outside of the view may be inside it now.
        this.#schedule()
    }

    #moveLayer() {
        const { scrollLeft, scrollTop } = this.#field
        this.#layer?.style.setProperty('transform', `translate(${-scrollLeft}px, ${-scrollTop}px)`)
    }

    /** Shows the name of the caret near the pointer. */
    #pointed({ clientX, clientY }) {
        for (const caret of this.#layer?.querySelectorAll('.caret') ?? []) {
            const { left, right, top, bottom } = caret.getBoundingClientRect()
            const isNear = clientX > left - reach && clientX < right + reach && clientY > top && clientY < bottom
            caret.classList.toggle('named', isNear || caret.classList.contains('moved'))
        }
    }

    #paint() {
        const { isConnected, textLength } = this.#field
        const peers = this.#document.peers.filter(({ selections }) => selections.length > 0).slice(0, mostPeers)
        if (peers.length === 0) return this.#layer?.replaceChildren()
        const { text } = this.#document
        // A value that the page has set gets its carets when the document has it too.
        if (textLength > longestText || !isConnected || this.#field.value !== text) {
            return this.#layer?.replaceChildren()
        }
        this.#mirror.show(text)
        this.#cover()
        const { scrollTop, clientHeight } = this.#field
        const view = this.#mirror.offsetsBetween(scrollTop, scrollTop + clientHeight)
        const now = performance.now()
        this.#layer.replaceChildren(...peers.flatMap((peer) => this.#marks(peer, view, now)))
        this.#forget(peers, now)
    }

    /** Puts the layer exactly over the part of the field that shows text. */
    #cover() {
        const { host } = this.#mirror
        if (this.#layer?.getRootNode() !== host.shadowRoot) this.#addLayer(host.shadowRoot)
        const field = this.#field.getBoundingClientRect()
        const { left, top } = host.getBoundingClientRect()
        this.#place.left += field.left + this.#field.clientLeft - left
        this.#place.top += field.top + this.#field.clientTop - top
        const { clientWidth: width, clientHeight: height } = this.#field
        for (const [name, pixels] of Object.entries({ ...this.#place, width, height })) {
            host.style.setProperty(`--caret-${name}`, `${pixels}px`)
        }
        this.#moveLayer()
    }

    #addLayer(root) {
        const view = this.#field.ownerDocument.defaultView
        const styles = new view.CSSStyleSheet()
        styles.replaceSync(sheet)
        root.adoptedStyleSheets = [...root.adoptedStyleSheets, styles]
        this.#layer = this.#element('layer')
        this.#place = { left: 0, top: 0 }
        root.append(this.#layer)
    }

    #marks(peer, [first, last], now) {
        const color = peerColor(peer)
        const marks = []
        for (const [anchor, head] of peer.selections) {
            const [start, end] = [Math.max(first, Math.min(anchor, head)), Math.min(last, Math.max(anchor, head))]
            if (start < end) {
                for (const rect of this.#mirror.rectanglesOf(start, end)) marks.push(this.#box('selection', rect, color))
            }
        }
        const [, head] = peer.selections[0]
        const hasMoved = this.#hasMoved(peer.session, head, now)
        if (head >= first && head <= last) marks.push(this.#caret(peer, this.#mirror.caretAt(head), color, hasMoved))
        return marks
    }

    #caret(peer, rect, color, hasMoved) {
        const caret = this.#box('caret', { ...rect, width: 2 }, color)
        if (!this.#hasLabels) return caret
        const label = this.#element('label')
        label.textContent = peerName(peer)
        label.style.setProperty('background-color', color)
        label.style.setProperty('color', textColorOn(color))
        caret.append(label)
        const { scrollTop, scrollLeft, clientWidth } = this.#field
        // Above the caret, a name could be outside of the field.
        caret.classList.toggle('low', rect.top - scrollTop < 16)
        caret.classList.toggle('right', rect.left - scrollLeft > clientWidth / 2)
        caret.classList.toggle('moved', hasMoved)
        caret.classList.toggle('named', hasMoved)
        return caret
    }

    /** Whether a peer has moved its caret within the last seconds. */
    #hasMoved(session, head, now) {
        const seen = this.#heads.get(session)
        if (seen?.head === head) return now < seen.until
        this.#heads.set(session, { head, until: now + labelTime })
        return true
    }

    /** Forgets who has left, and paints again when the next name must go. */
    #forget(peers, now) {
        const sessions = new Set(peers.map(({ session }) => session))
        for (const session of [...this.#heads.keys()]) if (!sessions.has(session)) this.#heads.delete(session)
        const ends = [...this.#heads.values()].map(({ until }) => until - now).filter((delay) => delay > 0)
        clearTimeout(this.#timer)
        if (ends.length > 0) this.#timer = setTimeout(() => this.#schedule(), Math.min(...ends) + 1)
    }

    #box(className, { left, top, width, height }, color) {
        const box = this.#element(className)
        for (const [name, pixels] of Object.entries({ left, top, width, height })) box.style.setProperty(name, `${pixels}px`)
        box.style.setProperty('background-color', color)
        return box
    }

    #element(className) {
        const element = this.#field.ownerDocument.createElement('div')
        element.className = className
        return element
    }
}
