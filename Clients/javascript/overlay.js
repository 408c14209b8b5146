// Shows the carets and selections of others over a textarea. A layer cannot be inside a textarea, so it is above it,
// and an invisible copy of the text says where everything is.
import { endsOf } from './field-text.js'
import { mostPeers, peerColor, peerName, textColorOn } from './peer-look.js'

/** Longer texts have no overlay, because the browser would lay out every change twice. */
const longestText = 300 * 1024
/** How long a name stays after its caret has moved, in milliseconds. */
const labelTime = 3_000
/** If more carets than this are in the view, only those who type have a name. */
const mostNamed = 8
/** How high a name is, in pixels. */
const labelHeight = 16
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
    /** For each session, where its caret was last, and until when its name is shown: after it has moved, and after typing. */
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
        // The user has gone to another line, which no name may cover.
        field.ownerDocument.addEventListener('selectionchange', () => {
            if (this.#layer?.querySelector('.named')) schedule()
        }, { signal })
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
        else this.#noteTyping(new Set(endsOf(edits)))
        this.#schedule()
    }

    #noteTyping(ends) {
        const until = performance.now() + labelTime
        for (const { session, selections } of this.#document.peers) {
            const seen = this.#heads.get(session)
            if (seen && selections.some(([, head]) => ends.has(head))) seen.typedUntil = until
        }
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
        const isCrowded = peers.filter(({ selections: [[, head]] }) => head >= view[0] && head <= view[1]).length > mostNamed
        const own = this.#ownLine()
        this.#layer.replaceChildren(...peers.flatMap((peer) => this.#marks(peer, view, { now, isCrowded, own })))
        this.#forget(peers, now)
    }

    /** The line with the user's caret; null if the user is elsewhere. */
    #ownLine() {
        const { selectionStart, selectionEnd, selectionDirection } = this.#field
        if (!this.#field.matches(':focus')) return null
        return this.#mirror.caretAt(selectionDirection === 'backward' ? selectionStart : selectionEnd)
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

    #marks(peer, [first, last], { now, isCrowded, own }) {
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
        const isNamed = isCrowded ? now < (this.#heads.get(peer.session).typedUntil ?? 0) : hasMoved
        if (head >= first && head <= last) marks.push(this.#caret(peer, this.#mirror.caretAt(head), color, { isNamed, own }))
        return marks
    }

    #caret(peer, rect, color, { isNamed, own }) {
        const caret = this.#box('caret', { ...rect, width: 2 }, color)
        if (!this.#hasLabels) return caret
        const label = this.#element('label')
        label.textContent = peerName(peer)
        label.style.setProperty('background-color', color)
        label.style.setProperty('color', textColorOn(color))
        caret.append(label)
        const { scrollTop, scrollLeft, clientWidth } = this.#field
        const coversOwn = (top) => own !== null && top < own.top + own.height && top + labelHeight > own.top
        // Above the caret, a name could be outside of the field.
        const isLow = rect.top - scrollTop < labelHeight || coversOwn(rect.top - labelHeight)
        const hasRoom = !isLow || !coversOwn(rect.top + rect.height)
        caret.classList.toggle('low', isLow)
        caret.classList.toggle('right', rect.left - scrollLeft > clientWidth / 2)
        caret.classList.toggle('moved', isNamed && hasRoom)
        caret.classList.toggle('named', isNamed && hasRoom)
        return caret
    }

    /** Whether a peer has moved its caret within the last seconds. */
    #hasMoved(session, head, now) {
        const seen = this.#heads.get(session)
        if (seen?.head === head) return now < seen.until
        this.#heads.set(session, { ...seen, head, until: now + labelTime })
        return true
    }

    /** Forgets who has left, and paints again when the next name must go. */
    #forget(peers, now) {
        const sessions = new Set(peers.map(({ session }) => session))
        for (const session of [...this.#heads.keys()]) if (!sessions.has(session)) this.#heads.delete(session)
        const ends = [...this.#heads.values()].flatMap(({ until, typedUntil = 0 }) => [until - now, typedUntil - now]).filter((delay) => delay > 0)
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
