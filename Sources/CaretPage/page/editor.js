// The editor: a document in a text field, with what the user must know about it.
import { visibleName } from './document-name.js'
import { element, fill } from './dom.js'
import { EditorBar } from './editor-bar.js'
import { makeField, showPlaceholder } from './editor-field.js'
import { idle } from './idle.js'
import { warnOfLargeText } from './large-text.js'
import { askBeforeLoss } from './may-lose.js'
import { notify } from './notices.js'
import { LeftDocuments, mayLose } from './open-documents.js'
import { rest } from './rest.js'
import { goneSituations, pages, SavingDisplay } from './saving-state.js'

const leftDocuments = new LeftDocuments()

askBeforeLoss(() => leftDocuments.mayLose)

export class Editor {
    #app
    #caret
    #document = null
    #field = null
    #binding = null
    #bar
    /** What needs the rest of the page; null until it is loaded. */
    #parts = null
    #body
    #stage = element('div', { class: 'stage' })
    #display = new SavingDisplay()
    /** What `SavingDisplay` was told last. After a fault of the module, nothing else is known. */
    #facts = null
    #hasText = false
    /** The last rights to read or write. */
    #rights = 'none'
    #gone = null
    #error = null
    #situation = 'opening'
    /** Whether the page of the situation is in place of the text, if it has one. */
    #isPageShown = false
    /** The text of a deleted document, until it is in a new one. */
    #leftText = null
    #timer = null
    #frame = null
    #listeners = new AbortController()
    #documentListeners = new AbortController()

    constructor(app, { name }) {
        this.#app = app
        this.#caret = app.caret
        this.#bar = new EditorBar({
            openName: ({ currentTarget }) => this.#openMenu(({ openNameMenu }) => openNameMenu, currentTarget),
            openPeople: () => this.#openPeople(),
            openMenu: ({ currentTarget }) => this.#openMenu(({ openEditorMenu }) => openEditorMenu, currentTarget),
        })
        this.#body = element('div', { class: 'editor-body' }, this.#stage)
        this.node = element('section', { class: 'screen editor' }, this.#bar.node, this.#body)
        this.#listen()
        this.#attach(this.#caret.open(name))
    }

    get title() { return visibleName(this.#document.name) }

    /** Whether this editor can show a route. A renamed document has a new route already. */
    show({ screen, name }) { return screen === 'editor' && name === this.#document.name }

    /** Somebody has created the document, or has given it this name. */
    documentListed(name) {
        if (this.#situation === 'missing' && name === this.#document.name) this.#document.retry()
    }

    close() {
        this.#listeners.abort()
        for (const sheet of document.querySelectorAll('dialog.sheet[open]')) sheet.close()
        this.#detach()
        this.#parts?.close()
        clearTimeout(this.#timer)
        if (this.#situation === 'trapped') return
        leftDocuments.leave(this.#document)
        if (this.#mayLose) notify(`Keep this tab open until \u201c${this.title}\u201d is saved.`)
    }

    get #text() { return this.#field?.value ?? '' }

    get #canEdit() { return !this.#isGone && this.#rights === 'write' }

    get #isGone() { return goneSituations.has(this.#situation) || pages.has(this.#situation) }

    /** Whether the text is only on this page: after a fault, or while a deleted document is created again. */
    get hasOnlyCopy() { return this.#leftText !== null || this.#situation === 'trapped' }

    get #mayLose() {
        return this.hasOnlyCopy || mayLose(this.#document)
    }

    // The document.

    #listen() {
        const { signal } = this.#listeners
        this.#caret.addEventListener('link', () => this.#update(), { signal })
        window.addEventListener('keydown', (event) => this.#keyDown(event), { signal })
        askBeforeLoss(() => this.#mayLose, signal)
    }

    /** Shows a document in a new field. */
    #attach(opened) {
        this.#document = opened
        ;[this.#hasText, this.#rights, this.#gone, this.#error] = [false, opened.rights, null, null]
        this.#documentListeners = new AbortController()
        const { signal } = this.#documentListeners
        const on = (type, listener) => opened.addEventListener(type, listener, { signal })
        on('saving', () => this.#savingChanged())
        on('keeping', () => this.#update())
        on('rights', ({ rights }) => this.#rightsChanged(rights))
        on('peers', () => this.#peopleChanged())
        on('change', (event) => this.#changed(event))
        on('gone', ({ reason }) => {
            this.#gone = reason
            this.#update()
        })
        on('renamed', ({ name }) => this.#renamed(name))
        this.#field = makeField({ leave: () => this.#bar.menu.focus(), signal })
        this.#binding = opened.bind(this.#field)
        fill(this.#stage, this.#field)
        this.#bar.showName(opened.name)
        this.#savingChanged()
        this.focus()
    }

    /** On a phone, the keyboard would cover half of the text that the user wants to read. */
    focus() {
        if (!matchMedia('(pointer: coarse)').matches) this.#field.focus({ preventScroll: true })
    }

    #detach() {
        this.#documentListeners.abort()
        this.#binding?.release()
        this.#binding = null
        this.#parts?.find.close()
        cancelAnimationFrame(this.#frame)
        this.#frame = null
    }

    #savingChanged() {
        const { saving, revision, length } = this.#document
        // A refused document may have been open on this page before.
        const hasState = ['saved', 'sending', 'offline'].includes(saving.state)
        if (hasState || revision > 0 || length > 0 || this.#document.isRestored) this.#textArrived()
        this.#error = null
        if (saving.state === 'refused') this.#findError()
        if (saving.state !== 'refused') this.#gone = null
        this.#update()
    }

    /** Finds the words of the server for a refusal. */
    #findError() {
        const refused = this.#document
        refused.saved().catch((error) => {
            if (this.#document !== refused || refused.saving.state !== 'refused') return
            this.#error = error
            this.#update()
        })
    }

    #textArrived() {
        if (this.#hasText) return
        this.#hasText = true
        const { name, length } = this.#document
        warnOfLargeText(name, length)
        this.#parts?.named()
        this.#peopleChanged()
        this.#appear()
    }

    /** The others see only those who have a caret. A field without the focus has told none. */
    #appear() {
        const { rights, selections } = this.#document
        if (rights === 'write' && selections.length === 0 && !this.#field.matches(':focus')) this.#document.select([[0, 0]])
    }

    async #openMenu(choose, button) {
        const open = choose(await rest())
        this.#addParts()
        open(this.#app, { document: this.#document, text: () => this.#text, isGone: this.#isGone, button, find: () => this.#parts.find.open() })
    }

    async #openPeople() {
        await rest()
        this.#addParts()
        this.#parts?.openPeople()
    }

    /** Adds what the rest of the page has for the editor, if it is loaded. */
    #addParts() {
        if (this.#parts || !this.#app.parts) return
        const editor = this
        this.#parts = new this.#app.parts.EditorParts(this.#app, {
            node: this.node, body: this.#body, stage: this.#stage, bar: this.#bar, run: (action) => this.#run(action),
            get document() { return editor.#document },
            get field() { return editor.#field },
        })
        if (this.#hasText) this.#parts.named()
        this.#peopleChanged()
    }

    #rightsChanged(rights) {
        const before = this.#rights
        // While the document is opened again, there are no rights.
        if (rights !== 'none') this.#rights = rights
        this.#update()
        // Text that this device has kept is shown before the rights are known.
        if (this.#hasText) this.#appear()
        if (before === 'read' && rights === 'write') notify('You may write now.')
        if (before === 'write' && rights === 'read') notify('You may only read this now.')
    }

    #renamed(name) {
        this.#bar.showName(name)
        this.#app.go({ screen: 'editor', name }, { replace: true })
        this.#parts?.named()
        notify(`Now called \u201c${visibleName(name)}\u201d.`)
    }

    #changed({ edits, own }) {
        if (!own) this.#parts?.othersChanged(edits, this.#document.peers)
        this.#parts?.edited(this.#canEdit)
        // The number of changes that are not saved grows with typing.
        if (this.#situation !== 'saved') this.#updateSoon()
    }

    // What the editor says.

    #updateSoon() {
        this.#frame ??= requestAnimationFrame(() => {
            this.#frame = null
            this.#update()
        })
    }

    #readFacts() {
        const { link, limits } = this.#caret
        try {
            const { saving, rights, unsaved, isRestored } = this.#document
            this.#facts = {
                saving, rights, isRestored, unsaved: unsaved.length, isKept: this.#document.isKept ?? false, hasText: this.#hasText,
                gone: this.#gone, hasToken: this.#app.token !== undefined, error: this.#error, limits, link,
            }
        } catch {
            // After a fault of the module, only the link can be read.
            this.#facts = { ...this.#facts, link }
        }
        return this.#facts
    }

    #update() {
        const [facts, now] = [this.#readFacts(), Date.now()]
        const { situation, status, isUrgent, wakeIn } = this.#display.update(facts, now)
        this.#bar.showStatus(status)
        this.#addParts()
        if (isUrgent) this.#complete()
        this.#parts?.update(situation, facts, now, this.#canEdit)
        showPlaceholder(this.#field, situation)
        if (situation !== this.#situation) this.#situationChanged(situation)
        else if (situation === 'failed' || !this.#isPageShown) this.#showPage(situation)
        clearTimeout(this.#timer)
        if (wakeIn !== null) this.#timer = setTimeout(() => this.#update(), wakeIn + 5)
    }

    #situationChanged(situation) {
        const before = this.#situation
        this.#situation = situation
        this.node.dataset.situation = situation
        this.#bar.isEmpty = pages.has(situation)
        this.#isPageShown = false
        if (pages.has(situation)) return this.#showPage(situation)
        if (pages.has(before)) {
            fill(this.#stage, this.#field)
            this.#field.focus()
        }
        if (goneSituations.has(situation) !== goneSituations.has(before)) this.#bindAgain()
    }

    /** Loads the rest of the page. The text comes first. After a failure, the next change of the state tries again. */
    async #complete() {
        if (this.#app.parts) return
        await idle()
        try {
            await this.#app.complete()
        } catch {
            // After a fault of the module, nothing else works, but the page can show the text.
            if (this.#app.parts) this.#update()
            return
        }
        if (this.#listeners.signal.aborted) return
        if (!this.#parts) this.#update()
    }

    /** Carets of others make no sense in a document that is gone. */
    #bindAgain() {
        const { scrollTop, selectionStart, selectionEnd } = this.#field
        const isGone = goneSituations.has(this.#situation)
        this.#binding.release()
        this.#binding = this.#document.bind(this.#field, { overlay: !isGone })
        this.#field.setSelectionRange(selectionStart, selectionEnd)
        this.#field.scrollTop = scrollTop
        this.#peopleChanged()
    }

    #showPage(situation) {
        if (!pages.has(situation)) return
        if (situation === 'trapped') {
            this.#detach()
            this.#field.readOnly = true
        }
        // Until the rest of the page is loaded, the bar says what the situation is.
        if (!this.#app.parts) return
        const { canCreate, pageFor, statePage } = this.#app.parts
        const page = pageFor(situation, this.#facts)
        const text = this.#leftText ?? this.#text
        this.#isPageShown = true
        const { name } = this.#document
        const actions = page.actions.filter((action) => action !== 'create' || canCreate(this.#app, name))
        fill(this.#stage, statePage(situation, { ...page, actions, hasText: page.hasText || this.#leftText !== null }, {
            name: visibleName(name), text, run: (action) => this.#run(action),
        }))
    }

    // What the user asks for.

    async #run(action) {
        const opened = this.#document
        switch (action) {
        case 'now': return this.#caret.reconnect()
        case 'show': return (await rest()).showUnsaved(this.#caret, opened)
        case 'copy': return (await rest()).copyText(this.#leftText ?? this.#text, 'The text')
        case 'retry': return opened.retry()
        case 'discard': return this.#discard()
        case 'create': return this.#create()
        case 'bringBack': return this.#bringBack()
        case 'signIn': return (await rest()).showSignIn(this.#app)
        default: return location.reload()
        }
    }

    async #discard() {
        const opened = this.#document
        const { confirm, notSaved } = await rest()
        const question = `${notSaved(this.#facts.unsaved)}. Nobody can restore what you discard.`
        if (await confirm('Discard your changes?', question, 'Discard')) opened.discard()
    }

    /** Brings the deleted document back with its history. If that is no longer possible, creates it again. */
    async #bringBack() {
        // The first press is still under way.
        if (this.#leftText !== null) return
        this.#leftText = this.#text
        const problem = await (await rest()).bringBackLast(this.#app, this.#document.name)
        if (problem === null || problem.isFinal) return this.#create()
        this.#leftText = null
        notify(problem.words)
    }

    /** Creates the document, with the text that is left of a deleted one. */
    async #create() {
        const { name } = this.#document
        const left = this.#leftText
        this.#detach()
        await this.#document.close()
        if (this.#listeners.signal.aborted) return
        const created = this.#caret.open(name, { create: true })
        this.#attach(created)
        try {
            await created.opened()
        } catch {
            // The page says why, and has the text.
            return
        }
        if (left === null || left === created.text) return void (this.#leftText = null)
        if (created.text === '') {
            created.replaceText(left)
            this.#leftText = null
            return
        }
        const { showEarlierText } = await rest()
        await showEarlierText(left)
        this.#leftText = null
    }

    #peopleChanged() {
        if (!this.#hasText || this.#situation === 'trapped') return
        const { saving, peers } = this.#document
        const isOnline = ['saved', 'sending'].includes(saving.state)
        const present = goneSituations.has(this.#situation) ? [] : peers
        this.#parts?.showPeople(present, { isOnline })
        this.#bar.showPeople(present)
    }

    #keyDown(event) {
        if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
        event.preventDefault()
        notify(['saved', 'sending', 'reading'].includes(this.#situation) ? 'Everything is saved as you type.'
            : 'Your text is saved as soon as this is possible.')
    }
}
