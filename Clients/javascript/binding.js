// Connects a document with a textarea: what the user types goes into the document, and what others type appears
// in the field, without moving the user's caret or the text that they read.
//
// Law: while no event is handled, the field shows the text of the replica. So messages of the server wait until
// the next frame, and while an input method composes, but edits never wait.
import { EarlyText } from './early-text.js'
import {
    applyEdits, endsWithHalf, findOwnEdit, fromSelection, historyKey, keptScroll, replaceLoneSurrogates, toSelection,
} from './field-text.js'
import { longestComposition, mostHeld, NextFrame } from './next-frame.js'
import { closedReason, readOnlyReason } from './rights.js'

/** From this length on, `execCommand` is faster than `setRangeText` in engines other than WebKit. */
const longText = 20_000
/** How long messages may wait for the layout of a field that is scrolled, in milliseconds. */
const longestLayoutWait = 1_000
/** Firefox enters an emoji of a keyboard in two events, one for each half. How long the first waits, in milliseconds. */
const halfTimeout = 100

/** What the pages had set before in fields whose documents are closed, until they are ordinary again. */
const closedFields = new WeakMap()

/** A field that shows a document. `release` ends this. */
export class Binding {
    /** The field. */
    surface
    #document
    #messages
    #core
    /** Whether to show the carets of others, with or without their names: { overlay, labels }. */
    #options
    /** Loads the two members below; null before it is called, and again after a failure. */
    #loading = null
    #hasPlannedLayout = false
    /** Without it, changes of others above the view move the text in the view. */
    #mirror = null
    #overlay = null
    /** The messages that wait for `#mirror`: 'no', 'wait' or 'over'. They wait only once, and not for long. */
    #layoutWait = 'no'
    #listeners = new AbortController()
    /** The text that the field and the replica have in common, as of the last event. */
    #shown
    /** What the page had set before. `release` sets it again. */
    #own
    /** The selection that the replica has, as this binding knows it. */
    #told = null
    /** The selection of the field, as [anchor, head]. */
    #selection = [0, 0]
    #direction = 'none'
    /** What the document calls. */
    #holder = { messagesWait: (size) => this.#messagesWait(size), close: () => this.#close() }
    #heldSize = 0
    /** The binding changes the field itself, so events of the field are no input. */
    #isApplying = false
    /** Messages are being handled, with one layout for all of them. */
    #isInFrame = false
    /** The first text has not arrived yet. It must not push the caret to its end. */
    #awaitsText
    /** What the user types before the first text arrives; null if they have typed nothing before `bind`. */
    #early
    /** Why the user may not write; undefined if they may. */
    #reason
    /** The edits that are being applied to the field: what it was like before them. Null in between. */
    #batch = null
    #isComposing = false
    #composedAt = 0
    /** When the messages are handled that wait. */
    #frame
    /** While a composition delays the messages: when it must end. */
    #compositionTimer = null
    /** While edits are being applied: whether the selection of the field was set. */
    #hasSelected = false
    #scrollFrame = null
    /** Set while the field has the first half of a surrogate pair, and the event with the second has not arrived. */
    #halfTimer = null

    /**
     * Use `CaretDocument.bind`. `messages` has the methods `hold`, `handle` and `release`. `core` has the rules for
     * edits.
     */
    constructor(document, field, { messages, core, overlay = true, labels = true }) {
        this.surface = field
        this.#frame = new NextFrame(field.ownerDocument, () => this.#handleMessages())
        this.#document = document
        this.#messages = messages
        this.#core = core
        this.#options = { overlay, labels }
        this.#own = closedFields.get(field) ?? { readOnly: field.readOnly, description: field.getAttribute('aria-description') }
        if (closedFields.delete(field)) this.#setReadOnly(this.#own)
        this.#shown = document.text
        this.#awaitsText = document.rights === 'none' && !document.isRestored
        this.#early = EarlyText.of(field, document.name)
        if (!this.#early) {
            field.value = this.#shown
            field.setSelectionRange(0, 0)
        }
        this.#listen()
        this.#updateRights()
        messages.hold(this.#holder)
        this.#enterEarly()
        this.#tellSelection()
    }

    /** Ends the connection between the field and the document. The field keeps its text. */
    release() {
        const wasClosed = closedFields.delete(this.surface)
        if (!this.#hasEnded) this.#end()
        else if (!wasClosed) return
        this.#setReadOnly(this.#own)
    }

    /** The document is closed. The field stays read-only until `release`, or until it is bound again. */
    #close() {
        if (this.#halfTimer !== null) this.#endHalf()
        try {
            this.#readValue()
        } catch {
            // After a fault of the module, the text is only in the field.
        }
        this.#end()
        closedFields.set(this.surface, this.#own)
        this.#setReadOnly({ readOnly: true, description: closedReason })
    }

    get #hasEnded() { return this.#listeners.signal.aborted }

    #end() {
        this.#listeners.abort()
        clearTimeout(this.#halfTimer)
        cancelAnimationFrame(this.#scrollFrame)
        this.#cancelFrame()
        this.#overlay?.remove()
        this.#mirror?.remove()
        this.#messages.release(this.#holder)
        EarlyText.released(this.surface, this.#document.name, this.#early)
    }

    #listen() {
        const { signal } = this.#listeners
        const on = (target, types, listener) => {
            for (const type of types.split(' ')) target.addEventListener(type, listener, { signal, isInternal: true })
        }
        const field = this.surface
        on(field, 'beforeinput', (event) => this.#beforeInput(event))
        on(field, 'input', () => { if (!this.#isApplying) this.#inputArrives() })
        on(field, 'keydown', (event) => this.#keyDown(event))
        on(field, 'focus', () => this.#tellSelection())
        on(field, 'compositionstart compositionupdate', () => this.#composes())
        on(field, 'compositionend', () => this.#compositionEnds())
        on(field.ownerDocument, 'selectionchange', () => this.#tellSelection())
        // A hidden page gets no frames.
        on(field.ownerDocument, 'visibilitychange', () => { if (this.#frame.isScheduled) this.#frame.run() })
        on(this.#document, 'change', (event) => this.#changed(event))
        on(this.#document, 'rights saving', () => this.#updateRights())
        on(this.#document, 'peers', () => { if (this.#document.peers.length > 0) this.#loadLayout() })
        on(field, 'scroll', () => this.#loadLayout())
    }

    /** Loads what needs the layout of the text, while the network still works. It must not delay the first text. */
    #loadLayoutSoon() {
        if (this.#hasPlannedLayout) return
        this.#hasPlannedLayout = true
        if (globalThis.requestIdleCallback) requestIdleCallback(() => this.#loadLayout(), { timeout: 1_000 })
        else setTimeout(() => this.#loadLayout())
    }

    /** Loads what needs the layout of the text. If this fails, the next change by others tries again. */
    async #loadLayout() {
        if (this.#awaitsText) return
        this.#loading ??= import('./field-layout.js').then((layout) => this.#addLayout(layout))
        await this.#loading.catch(() => { this.#loading = null })
    }

    #addLayout({ Mirror, Overlay }) {
        if (this.#hasEnded) return
        const { overlay, labels } = this.#options
        const [mirror, core] = [new Mirror(this.surface), this.#core]
        this.#mirror = mirror
        if (overlay) this.#overlay = new Overlay(this.#document, this.surface, { mirror, core, labels })
    }

    get #isFocused() { return this.surface.matches(':focus') }

    // From the field to the document.

    #beforeInput(event) {
        if (this.#isApplying || this.#early) return
        this.#readValue()
        if (event.inputType === 'historyUndo' || event.inputType === 'historyRedo') {
            event.preventDefault()
            this.#runHistory(event.inputType === 'historyUndo' ? 'undo' : 'redo')
        }
    }

    // After `setRangeText`, the browser has nothing to undo, and the keys cause no `beforeinput`.
    #keyDown(event) {
        const command = event.isComposing || this.#early ? null : historyKey(event, isApple())
        if (!command) return
        event.preventDefault()
        this.#readValue()
        this.#runHistory(command)
    }

    #runHistory(command) {
        if (this.surface.readOnly || this.#isComposing) return
        if (command === 'undo' ? this.#document.canUndo : this.#document.canRedo) this.#document[command]()
    }

    /** The user has changed the field. */
    #inputArrives() {
        if (this.#early) return
        const { value, selectionEnd } = this.surface
        if (this.#halfTimer !== null) return this.#endHalf()
        if (this.#reason || !endsWithHalf(value, selectionEnd)) return this.#readInput()
        // Until then, the field shows what no document can contain, so messages must wait.
        this.#halfTimer = setTimeout(() => this.#endHalf(), halfTimeout)
    }

    /** Enters the text that the user has typed since the first half of a surrogate pair. */
    #endHalf() {
        clearTimeout(this.#halfTimer)
        this.#halfTimer = null
        this.#readInput()
        this.#messagesWait(this.#heldSize)
    }

    #readInput() {
        if (this.#reason) return this.#restoreValue()
        const field = this.surface
        const edit = findOwnEdit(this.#shown, field.value, field.selectionEnd)
        if (edit) {
            const [start] = edit.range
            const text = replaceLoneSurrogates(edit.text)
            if (text !== edit.text) this.#overwrite(start, edit.text.length, text)
            this.#document.edit([{ ...edit, text }])
        }
        this.#tellSelection()
    }

    /** Finds a value that the page's own script has set. */
    #readValue() {
        const field = this.surface
        const { value } = field
        if (value === this.#shown || this.#halfTimer !== null || this.#early) return
        if (this.#reason) return this.#restoreValue()
        const text = replaceLoneSurrogates(value)
        if (text !== value) this.#overwrite(0, value.length, text)
        // The caret says nothing about where a script has changed the text, so the difference must be found.
        this.#document.replaceText(text)
    }

    #restoreValue() {
        this.surface.value = this.#shown
        this.#setSelection(this.#selection)
    }

    /** Enters what the user has typed before the first text arrived, where they have typed it. */
    #enterEarly() {
        if (!this.#early || this.#awaitsText) return
        this.#early.hide(this.#shown)
        const { edits, selection } = this.#early.over(this.#shown, this.#core)
        this.#early = null
        // The user may not write, as the field says now.
        if (this.#reason || edits.length === 0) return
        this.#document.edit(edits)
        this.#setSelection(selection)
    }

    #overwrite(start, length, text) {
        const { selectionStart, selectionEnd, selectionDirection } = this.surface
        this.surface.setRangeText(text, start, start + length, 'preserve')
        this.surface.setSelectionRange(selectionStart, selectionEnd, selectionDirection)
    }

    #readSelection() {
        const { selectionStart: start, selectionEnd: end, selectionDirection: direction } = this.surface
        this.#direction = direction
        this.#selection = toSelection(this.#shown, { start, end, direction })
    }

    /** Tells the others what the user has selected. A field that has lost the focus keeps its last selection. */
    #tellSelection() {
        if (this.#isApplying || this.#isComposing || !this.#isFocused || this.#reason || this.#early) return
        // The event of a new text comes first, and then this one.
        if (this.surface.value !== this.#shown) return
        this.#readSelection()
        if (isSame(this.#selection, this.#told)) return
        this.#told = this.#selection
        this.#document.select([this.#selection])
    }

    // Compositions of input methods. A change of the field would end them.

    #composes() {
        this.#isComposing = true
        this.#composedAt = performance.now()
        this.#cancelFrame()
        this.#messagesWait(this.#heldSize)
    }

    #compositionEnds() {
        this.#isComposing = false
        this.#cancelFrame()
        // Some engines report the composed text only after this event. The next frame is late enough.
        this.#messagesWait(this.#heldSize)
        this.#tellSelection()
    }

    #endComposition() {
        const { surface } = this
        const { selectionStart, selectionEnd, selectionDirection } = surface
        surface.blur()
        surface.focus({ preventScroll: true })
        surface.setSelectionRange(selectionStart, selectionEnd, selectionDirection)
        this.#isComposing = false
        this.#handleMessages()
    }

    // From the server to the field.

    #messagesWait(size) {
        this.#heldSize = size
        if (size === 0 || this.#halfTimer !== null) return
        if (this.#isComposing) return this.#waitForComposition(size)
        if (this.#mirror || this.#awaitsText || this.surface.scrollTop === 0 || this.#layoutWait === 'over') this.#frame.schedule()
        else this.#waitForLayout()
    }

    async #waitForLayout() {
        if (this.#layoutWait === 'wait') return
        this.#layoutWait = 'wait'
        const late = new Promise((resolve) => setTimeout(resolve, longestLayoutWait))
        await Promise.race([this.#loadLayout(), late])
        this.#layoutWait = 'over'
        this.#messagesWait(this.#heldSize)
    }

    #waitForComposition(size) {
        const deadline = size > mostHeld ? 0 : this.#composedAt + longestComposition - performance.now()
        clearTimeout(this.#compositionTimer)
        this.#compositionTimer = setTimeout(() => this.#endComposition(), Math.max(0, deadline))
    }

    #cancelFrame() {
        this.#frame.cancel()
        clearTimeout(this.#compositionTimer)
    }

    /** Handles the messages that wait, with one layout of the page for all of them. */
    #handleMessages() {
        this.#cancelFrame()
        if (this.#hasEnded || this.#halfTimer !== null) return
        this.#readValue()
        this.#tellSelection()
        this.#heldSize = 0
        this.#isInFrame = true
        this.#beginEdits()
        const wasTold = isSame(this.#selection, this.#told)
        try {
            this.#messages.handle()
        } finally {
            this.#isInFrame = false
            this.#endEdits(wasTold ? this.#document.selections[0] : undefined)
        }
    }

    /** The document has changed. */
    #changed({ edits, own }) {
        if (!own) this.#loadLayout()
        if (own && !this.#isInFrame) {
            const text = applyEdits(this.#shown, edits)
            // The change comes from the field, which has it already. It may come late, after changes that a listener has made.
            if (text === this.surface.value) return void (this.#shown = text)
        }
        if (!this.#isInFrame) this.#beginEdits()
        const { pageEdits } = this.#batch
        // The page has set a value meanwhile, which the document gets later.
        const moved = pageEdits ? this.#core.rebase(edits, pageEdits, 'otherFirst') : edits
        if (pageEdits) this.#batch.pageEdits = this.#core.rebase(pageEdits, edits, 'selfFirst')
        this.#applyToField(moved)
        this.#shown = applyEdits(this.#shown, edits)
        this.#batch.hasEdits = true
        this.#selection = this.#core.mapSelection(this.#selection, moved)
        if (this.#batch.line) this.#batch.line.offset = this.#core.mapCaret(this.#batch.line.offset, moved)
        if (!this.#isInFrame) this.#endEdits()
    }

    #beginEdits() {
        this.#early?.hide(this.#shown)
        const { value, scrollTop, scrollLeft } = this.surface
        this.#isApplying = true
        this.#hasSelected = false
        this.#readSelection()
        const pageEdits = value === this.#shown ? null : this.#core.diff(this.#shown, replaceLoneSurrogates(value))
        // The message with the first text also brings the rights, which end the waiting before the text is in the field.
        const isFirst = this.#awaitsText
        this.#batch = { hasEdits: false, isFirst, pageEdits, scrollTop, scrollLeft, line: this.#findTopLine(value) }
    }

    /** The line at the top of the view, if the field is scrolled: its offset, and where it is in pixels. */
    #findTopLine(value) {
        const { scrollTop, isConnected } = this.surface
        if (scrollTop === 0 || !isConnected || !this.#mirror) return null
        this.#mirror.show(value)
        const offset = this.#mirror.offsetAt(scrollTop)
        return { offset, top: this.#mirror.topOf(offset) }
    }

    /** Shows the selection, and scrolls so that the text in the view stays. */
    #endEdits(selection) {
        const { hasEdits, isFirst, pageEdits, line, scrollTop, scrollLeft } = this.#batch
        this.#batch = null
        if (hasEdits) {
            const { surface } = this
            // An editing command of the browser may do more than it was asked for.
            if (!pageEdits && surface.value !== this.#shown) surface.value = this.#shown
            if (isFirst) this.#selection = [0, 0]
            else if (selection && !pageEdits) this.#selection = selection
            this.#setSelection(this.#selection)
            if (line) this.#mirror.show(surface.value)
            const top = line ? keptScroll(scrollTop, line.top, this.#mirror.topOf(line.offset)) : scrollTop
            this.#scrollTo(top, scrollLeft)
            if (this.#hasSelected && isFirefox()) this.#scrollAgain(top, scrollLeft)
        }
        if (this.#awaitsText) this.#early?.show()
        this.#isApplying = false
        this.#told &&= this.#document.selections[0] ?? null
        // Not now, because the client may have more changes for this field.
        queueMicrotask(() => this.#readLater())
    }

    #scrollTo(top, left) {
        const { surface } = this
        if (surface.scrollTop !== top) surface.scrollTop = top
        if (surface.scrollLeft !== left) surface.scrollLeft = left
    }

    /** Firefox scrolls to a selection that a script has set, but only shortly before the next frame. */
    #scrollAgain(top, left) {
        cancelAnimationFrame(this.#scrollFrame)
        this.#scrollFrame = requestAnimationFrame(() => this.#scrollTo(top, left))
    }

    #readLater() {
        if (this.#hasEnded) return
        this.#enterEarly()
        this.#readValue()
        this.#tellSelection()
    }

    /** Applies edits from the last to the first, so that the offsets of the others stay valid. */
    #applyToField(edits) {
        const { surface } = this
        const hasCommand = this.#isFocused && !this.#isComposing && surface.textLength > longText
            && !surface.readOnly && surface.maxLength < 0 && !isWebKit()
        for (const { range: [start, end], text } of [...edits].reverse()) {
            if (!hasCommand || !this.#runCommand(start, end, text)) surface.setRangeText(text, start, end, 'preserve')
        }
    }

    #runCommand(start, end, text) {
        this.surface.setSelectionRange(start, end)
        this.#hasSelected = true
        return this.surface.ownerDocument.execCommand(text === '' ? 'delete' : 'insertText', false, text)
    }

    #setSelection(selection) {
        const { surface } = this
        const { start, end, direction } = fromSelection(selection, this.#direction)
        const { selectionStart, selectionEnd, selectionDirection } = surface
        const isSet = start === selectionStart && end === selectionEnd && direction === selectionDirection
        // Firefox scrolls to every selection that is set, even to the one that it has.
        if (isSet && isFirefox()) return
        surface.setSelectionRange(start, end, direction)
        this.#hasSelected = true
    }

    // Rights.

    #updateRights() {
        if (this.#document.rights !== 'none') this.#awaitsText = false
        if (!this.#awaitsText) this.#loadLayoutSoon()
        // Who types already must not lose the rest of the word.
        const reason = readOnlyReason(this.#document, this.#early && this.#awaitsText)
        if (this.#early && !this.#awaitsText) queueMicrotask(() => this.#readLater())
        if (reason === this.#reason) return
        this.#reason = reason
        // Others see the carets of those who may write.
        if (reason && this.#told) this.#document.select([])
        if (reason) this.#told = null
        this.#setReadOnly(reason ? { readOnly: true, description: reason } : this.#own)
        queueMicrotask(() => this.#readLater())
    }

    #setReadOnly({ readOnly, description }) {
        this.surface.readOnly = readOnly
        if (description === null) this.surface.removeAttribute('aria-description')
        else this.surface.setAttribute('aria-description', description)
    }
}

function isSame(left, right) { return left !== null && right !== null && left[0] === right[0] && left[1] === right[1] }

function isApple() { return /^(Mac|iP)/.test(navigator.platform) }

function isWebKit() { return navigator.vendor.startsWith('Apple') }

function isFirefox() { return navigator.userAgent.includes(' Firefox/') }
