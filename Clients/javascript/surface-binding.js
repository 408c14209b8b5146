// Connects a document with an editor that has an adapter: what the user types goes into the document, and what others
// type appears in the editor. binding.js does this for a textarea.
//
// Law: while no task of the page runs, the editor shows the text of the replica. So messages of the server wait until the
// next frame. What the user types is entered by a microtask, because a listener may edit while a change is reported,
// when the replica already has later changes.
import { applyEdits, clampOffset, endsWithHalf, findOwnEdit, replaceLoneSurrogates } from './field-text.js'
import { longestComposition, mostHeld, NextFrame } from './next-frame.js'
import { mostPeers, peerColor, peerName, textColorOn } from './peer-look.js'
import { closedReason, readOnlyReason } from './rights.js'

/** Firefox enters an emoji of a keyboard in two events, one for each half. How long the first waits, in ms. */
const halfTimeout = 100

/** An editor that shows a document. `release` ends this. */
export class SurfaceBinding {
    surface
    #document
    #messages
    #core
    #options
    #listeners = new AbortController()
    /** What the document calls. */
    #holder = { messagesWait: (size) => this.#messagesWait(size), close: () => this.#close() }
    /** The text of the editor, as of its last event. */
    #shown
    /** What the user has typed and the document does not have; null if nothing. It refers to the document's text. */
    #own = null
    /** The edits that the binding enters. The event with them reports nothing new. */
    #entered = null
    #isApplying = false
    /** The first text has not arrived yet. It must not push the caret to its end. */
    #awaitsText
    /** Why the user may not write; undefined if they may. */
    #reason
    #isReleased = false
    #isComposing = false
    #composedAt = 0
    #compositionTimer = null
    /** Set while the editor has the first half of a surrogate pair, and the event with the second has not arrived. */
    #halfTimer = null
    #heldSize = 0
    #frame = new NextFrame(globalThis.document, () => this.#handleMessages())
    #painting = new NextFrame(globalThis.document, () => this.#paint())
    #hasPainted = false

    /** Use `CaretDocument.bind`. `messages` and `core` are those of Binding. Calls `release` at the end. */
    constructor(document, surface, { messages, core, overlay = true, labels = true, release }) {
        this.surface = surface
        this.#document = document
        this.#messages = messages
        this.#core = core
        this.#options = { overlay, labels, release }
        this.#awaitsText = document.rights === 'none' && !document.isRestored
        this.#shown = surface.read()
        if (this.#shown !== document.text) this.#apply([replacement(this.#shown, document.text)], [[0, 0]])
        const { signal } = this.#listeners
        document.addEventListener('change', (event) => this.#changed(event), { signal })
        document.addEventListener('rights', () => this.#updateRights(), { signal, isInternal: true })
        document.addEventListener('saving', () => this.#updateRights(), { signal, isInternal: true })
        document.addEventListener('peers', () => this.#painting.schedule(), { signal })
        globalThis.document?.addEventListener('visibilitychange', () => this.#visibilityChanged(), { signal })
        this.#updateRights()
        messages.hold(this.#holder)
        this.#painting.schedule()
    }

    get #hasEnded() { return this.#listeners.signal.aborted }
    /** Whether the document is closed, so that another one may have the editor. */
    get isClosed() { return this.#reason === closedReason }

    /** Ends the connection between the editor and the document. The editor keeps its text. */
    release() {
        if (this.#isReleased) return
        this.#isReleased = true
        this.#end()
        if (this.#reason) this.surface.setReadOnly(null)
        this.#options.release()
    }

    /** The document is closed. The editor stays read-only until `release`, or until it is bound again. */
    #close() {
        this.#end()
        this.#reason = closedReason
        this.surface.setReadOnly(closedReason)
    }

    #end() {
        if (this.#hasEnded) return
        this.#endHalf()
        this.#enter()
        this.#listeners.abort()
        this.#painting.cancel()
        this.#frame.cancel()
        clearTimeout(this.#compositionTimer)
        this.#messages.release(this.#holder)
        if (this.#hasPainted) this.surface.paint([])
        this.surface.released()
    }

    // From the editor to the document.

    /** The user, or a script of the page, has changed the text of the editor. */
    edited(edits) {
        if (this.#isApplying) return
        const text = this.surface.read()
        if (this.#waitsForHalf(text)) return
        // An editor may report edits late, or edits by others. Only what it shows can be trusted.
        const isExact = edits && this.#fits(edits) && applyEdits(this.#shown, edits) === text
        const change = isExact ? edits : this.#compare(text)
        if (change.length === 0) return
        this.#shown = applyEdits(this.#shown, change)
        this.#own = this.#own ? this.#core.compose(this.#own, change) : change
        queueMicrotask(() => this.#enter())
    }

    selected() {
        // Some editors report a selection before the edit that has moved it.
        if (!this.#isApplying) queueMicrotask(() => this.#tellSelections())
    }

    /** Whether the user has typed half an emoji now, and the event with the other half may come. */
    #waitsForHalf(text) {
        const isFirst = this.#halfTimer === null
        clearTimeout(this.#halfTimer)
        this.#halfTimer = null
        const hasHalf = isFirst && this.surface.selections().some(([, head]) => endsWithHalf(text, head))
        // Until then, the editor shows what no document can contain, so messages must wait.
        if (hasHalf) this.#halfTimer = setTimeout(() => this.#endHalf(), halfTimeout)
        else if (!isFirst) this.#messagesWait(this.#heldSize)
        return hasHalf
    }

    /** Enters what the user has typed since the first half of a surrogate pair. */
    #endHalf() { if (this.#halfTimer !== null) this.edited() }

    runHistory(command) {
        this.#endHalf()
        this.#enter()
        if (this.#reason || this.#isComposing) return
        if (command === 'undo' ? this.#document.canUndo : this.#document.canRedo) this.#document[command]()
    }

    composing(isComposing) {
        this.#isComposing = isComposing
        this.#composedAt = performance.now()
        clearTimeout(this.#compositionTimer)
        this.#frame.cancel()
        this.#messagesWait(this.#heldSize)
        if (!isComposing) this.selected()
    }

    /** Whether edits can be entered as they are: between whole scalars, in order, and without lone surrogates. */
    #fits(edits) {
        let last = 0
        return edits.every(({ range: [start, end], text }) => {
            const isInOrder = start >= last && end >= start && end <= this.#shown.length
            last = end
            return isInOrder && [start, end].every((offset) => clampOffset(this.#shown, offset) === offset)
                && replaceLoneSurrogates(text) === text
        })
    }

    /** What has changed in the editor since its last event. */
    #compare(text) {
        const valid = replaceLoneSurrogates(text)
        if (valid !== text) this.#change([replacement(text, valid)], this.surface.selections())
        return this.#core.diff(this.#shown, valid)
    }

    #enter() {
        const edits = this.#own
        if (!edits || this.#hasEnded) return
        this.#own = null
        if (edits.length === 0) return
        if (this.#reason) return this.#restoreText()
        this.#entered = edits
        this.#document.edit(edits)
    }

    /** Takes back what a user has typed who may only read. */
    #restoreText() {
        const edits = this.#core.diff(this.#shown, this.#document.text)
        this.#apply(edits, this.#mapped(edits))
    }

    #tellSelections() {
        if (this.#hasEnded || this.#isComposing) return
        this.#enter()
        if (this.#reason) return
        const clamp = (offset) => clampOffset(this.#shown, offset)
        const selections = this.surface.selections().map(([anchor, head]) => [clamp(anchor), clamp(head)])
        if (`${selections}` !== `${this.#document.selections}`) this.#document.select(selections)
    }

    // From the server to the editor.

    #messagesWait(size) {
        this.#heldSize = size
        if (size === 0 || this.#halfTimer !== null) return
        if (!this.#isComposing) return this.#frame.schedule()
        const deadline = size > mostHeld ? 0 : this.#composedAt + longestComposition - performance.now()
        clearTimeout(this.#compositionTimer)
        this.#compositionTimer = setTimeout(() => this.#frame.run(), Math.max(0, deadline))
    }

    #handleMessages() {
        clearTimeout(this.#compositionTimer)
        if (this.#hasEnded || this.#halfTimer !== null) return
        this.#enter()
        this.#heldSize = 0
        this.#messages.handle()
    }

    #visibilityChanged() {
        // A hidden page gets no frames.
        for (const frame of [this.#frame, this.#painting]) if (frame.isScheduled) frame.run()
    }

    /** The document has changed. */
    #changed({ edits }) {
        this.#painting.schedule()
        this.#endHalf()
        if (edits === this.#entered) return void (this.#entered = null)
        const moved = this.#own ? this.#core.rebase(edits, this.#own, 'otherFirst') : edits
        if (this.#own) this.#own = this.#core.rebase(this.#own, edits, 'selfFirst')
        this.#apply(moved, this.#awaitsText ? [[0, 0]] : this.#mapped(moved))
    }

    #mapped(edits) { return this.surface.selections().map((selection) => this.#core.mapSelection(selection, edits)) }

    #apply(edits, selections) {
        this.#change(edits, selections)
        this.#shown = applyEdits(this.#shown, edits)
    }

    #change(edits, selections) {
        this.#isApplying = true
        try {
            this.surface.apply(edits, selections)
        } finally {
            this.#isApplying = false
        }
    }

    #paint() {
        // The change with the other half comes soon, and paints again.
        if (!this.#options.overlay || this.#hasEnded || this.#halfTimer !== null) return
        this.#enter()
        const peers = this.#document.peers.filter(({ selections }) => selections.length > 0).slice(0, mostPeers)
        if (peers.length === 0 && !this.#hasPainted) return
        this.#hasPainted = peers.length > 0
        this.surface.paint(peers.map((peer) => this.#describe(peer)))
    }

    #describe(peer) {
        const { session, selections } = peer
        const color = peerColor(peer)
        return { session, name: this.#options.labels ? peerName(peer) : '', color, textColor: textColorOn(color), selections }
    }

    // Rights.

    #updateRights() {
        if (this.#document.rights !== 'none') this.#awaitsText = false
        const reason = readOnlyReason(this.#document)
        if (reason === this.#reason) return
        this.#reason = reason
        // Others see the carets of those who may write.
        if (reason && this.#document.selections.length > 0) this.#document.select([])
        this.surface.setReadOnly(reason ?? null)
    }
}

/** One edit between two different texts. The first may have lone surrogates. */
function replacement(before, after) { return findOwnEdit(before, after, 0) }
