// The documents: what the address / shows, and what stands beside the other screens of a wide window.
import { DocumentList } from './documents-state.js'
import { canCreate, createDocument, mayWrite, newDocument, newName, showDocumentMenu } from './document-sheets.js'
import { shortName } from './document-name.js'
import { DocumentRows } from './documents-rows.js'
import { avatar, element, fill, icon, iconButton } from './dom.js'
import { isForeign } from './kept-words.js'
import { LinkState } from './link-state.js'
import { typedName } from './name-rules.js'
import { notify } from './notices.js'
import { ownLook } from './own-look.js'
import { keepPrinting } from './printing.js'
import { showSettings } from './settings-sheet.js'
import { keepShortcuts, skipLink } from './shortcuts.js'
import { Start } from './start.js'
import { showTrash } from './trash.js'
import { errorWords } from './words.js'

/** How many rows are made at first, and each time when the user comes near the end. */
const step = 200
/** The shortest time between two drawings of changes by others, in milliseconds. */
const pause = 150

export class Documents {
    #app
    #list = new DocumentList()
    #rows
    #search
    #limit = step
    #collapsed = new Set()
    #timer = null
    #lastDraw = 0
    /** Which state the content shows, with the search if its words name it. */
    #drawn = null
    #hasRevealed = false
    #content = element('div', { class: 'content' })
    #scroller = element('div', { class: 'scroller' }, this.#content)
    #own = element('button', {
        type: 'button', class: 'round', 'aria-label': 'Your name and color', title: 'Your name and color',
    })
    #order = element('button', { type: 'button', class: 'round' })
    #layout = element('button', { type: 'button', class: 'round layout' })
    #new = element('button', { type: 'button', class: 'primary create', 'aria-label': 'New document', onclick: () => this.#create() })
    #trash = element('button', { type: 'button', class: 'plain-button trash-button', onclick: () => showTrash(this.#app) }, icon('bin'), 'Recently deleted')
    /** Says that more documents may exist, or that the tab uses a link. */
    #incomplete = element('p', { class: 'quiet-text incomplete', role: 'status' })

    constructor(app) {
        this.#app = app
        this.#rows = new DocumentRows({
            toggle: (folder) => this.#toggle(folder),
            menu: (name, button) => showDocumentMenu(app, name, button),
            more: () => this.#drawMore(),
            read: (...request) => app.caret.read(...request),
        }, this.#scroller)
        this.#search = element('input', {
            type: 'search', placeholder: 'Search', 'aria-label': 'Search documents', autocomplete: 'off',
            autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'go',
            oninput: () => this.#searched(), onkeydown: (event) => this.#searchKey(event),
        })
        this.node = element('nav', { class: 'documents screen', 'aria-label': 'Documents' },
            this.#header(), this.#scroller, this.#footer())
        this.#applyLayout()
        this.#measureBars()
        this.#follow()
        setInterval(() => this.#rows.updateTimes(new Date()), 10_000)
        keepShortcuts(app, this.#list)
        keepPrinting(app)
        document.body.prepend(skipLink(document.getElementById('screen')))
    }

    /** The screen beside the list while no document is open. */
    startScreen() { return new Start(this.#app, this.#list) }

    get folders() { return this.#list.folders }

    /** Whether the server has a document, as far as the page knows. */
    has(name) { return this.#list.has(name) }

    /** Marks the document that another screen shows; undefined if none does. */
    opened(name) {
        this.#rows.mark(name)
    }

    #header() {
        const show = async (options) => {
            await showSettings(this.#app, options)
            this.#drawOwn()
        }
        this.#own.addEventListener('click', () => show({ isNameFirst: true }))
        return element('header', { class: 'bar above' }, element('h1', {}, 'Documents'),
            element('div', { class: 'search' }, icon('search'), this.#search,
                iconButton('close', 'Clear the search', () => this.#clearSearch())),
            this.#own, iconButton('settings', 'Settings', () => show()))
    }

    #footer() {
        this.#layout.addEventListener('click', () => {
            this.#app.settings.set('layout', this.#isGrid ? 'list' : 'grid')
            this.#applyLayout()
        })
        this.#order.addEventListener('click', () => {
            this.#app.settings.set('order', this.#isNewest ? 'name' : 'newest')
            this.#limit = step
            this.#scroller.scrollTop = 0
            this.#applyLayout()
            this.#draw()
        })
        fill(this.#new, icon('add'), element('span', {}, 'New', element('span', { class: 'wide' }, ' document')))
        return element('footer', { class: 'bar below' }, new LinkState(this.#app).node, this.#order, this.#layout, this.#new)
    }

    #create() { newDocument(this.#app) }

    get #isNewest() { return this.#app.settings.get('order') === 'newest' }

    get #isGrid() { return this.#app.settings.get('layout') === 'grid' }

    #applyLayout() {
        this.#content.dataset.layout = this.#isGrid ? 'grid' : 'list'
        this.#content.dataset.order = this.#app.settings.get('order')
        const show = (button, words, drawing) => {
            button.setAttribute('aria-label', words)
            button.title = words
            fill(button, icon(drawing))
        }
        show(this.#layout, ...this.#isGrid ? ['Show as a list', 'list'] : ['Show as a grid', 'grid'])
        show(this.#order, ...this.#isNewest ? ['Sort by name', 'letters'] : ['Sort by time, newest first', 'clock'])
    }

    /** Content scrolls behind both bars, so it needs their heights. */
    #measureBars() {
        const bars = { '--bar-top': this.node.firstChild, '--bar-bottom': this.node.lastChild }
        const observer = new ResizeObserver(() => {
            for (const [name, bar] of Object.entries(bars)) this.node.style.setProperty(name, `${bar.offsetHeight}px`)
        })
        // The safe areas are padding of the bars.
        for (const bar of Object.values(bars)) observer.observe(bar, { box: 'border-box' })
    }

    // Following the server.

    #follow() {
        const { caret } = this.#app
        caret.follow('', (event) => {
            const change = this.#list.apply(event)
            if (event.type === 'document') this.#app.documentListed(event.name)
            if (event.type === 'complete') this.#draw()
            else if (change === 'rows') this.#drawSoon()
            else if (change !== 'nothing') this.#changed(change)
        })
        caret.addEventListener('link', () => {
            this.#drawOwn()
            this.#draw()
            this.#showKept()
        })
        caret.addEventListener('kept', () => this.#showKept())
        // Other tabs may have written meanwhile.
        document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#showKept() })
        this.#drawOwn()
        this.#draw()
        this.#showKept()
    }

    /** Somebody has changed a document that is listed. */
    #changed(row) {
        this.#rows.update(row, new Date())
        if (this.#isNewest) this.#drawSoon()
    }

    /** Marks the documents with text that only this device has, and lists those that the server has not named. */
    async #showKept() {
        try {
            const kept = await this.#app.caret.kept()
            // The settings list what this user cannot open.
            if (this.#list.keep(kept.filter((text) => !isForeign(text) && !this.#mayBeOfUser(text)))) this.#draw()
        } catch {
            // The storage has failed. The editor says whether its text is kept.
        }
    }

    /** Whether another tab has this text, and this one only a link, so that it may be the text of a user. */
    #mayBeOfUser({ state }) { return state === 'otherTab' && this.#app.settings.link }

    /** Whether the user may make something new depends on what exists, if they may write only some names. */
    #showNew() { this.#new.hidden = newName(this.#app) === undefined }

    #drawOwn() {
        const { name, color } = ownLook(this.#app)
        const mark = avatar({ name, color }, { label: false })
        mark.removeAttribute('title')
        // An automatic color depends on the connection, and is not known here.
        mark.classList.toggle('neutral', color === '')
        if (name === '') fill(mark, icon('people'))
        fill(this.#own, mark)
    }

    // What the user sees.

    /** Draws what others have changed. Many changes within a short time are drawn together. */
    #drawSoon() {
        if (!this.#list.isComplete) return
        this.#timer ??= setTimeout(() => this.#draw(), Math.max(0, this.#lastDraw + pause - performance.now()))
    }

    #draw() {
        clearTimeout(this.#timer)
        this.#timer = null
        this.#lastDraw = performance.now()
        this.#showNew()
        const search = typedName(this.#search.value)
        const shown = this.#list.shown({ search, collapsed: this.#collapsed, limit: this.#limit, order: this.#app.settings.get('order') })
        const state = this.#state(shown, search)
        this.#content.setAttribute('aria-busy', state === 'loading')
        const drawn = state === 'no match' ? `${state}: ${search}` : state
        this.#showIncomplete(state)
        this.#trash.hidden = state === 'loading' || state === 'error' || !mayWrite(this.#app)
        if (this.#drawn !== drawn) fill(this.#content, this.#stateNode(state, search), this.#trash, this.#incomplete)
        this.#drawn = drawn
        if (state !== 'rows') return
        this.#rows.draw(shown, new Date())
        if (!this.#hasRevealed) this.#rows.reveal()
        // Texts that only this device has are listed before the others.
        this.#hasRevealed = this.#list.isComplete
    }

    /** Without a connection, the list has only what is on this device, and must not look like all there is. */
    #showIncomplete(state) {
        const { link } = this.#app.caret
        const isOffline = !this.#list.isComplete && ['rows', 'loading'].includes(state) && link.state !== 'online' && link.reason
        this.#incomplete.textContent = isOffline
            ? `Offline. ${state === 'rows' ? 'The other' : 'The'} documents appear as soon as there is a connection.`
            : this.#app.settings.link && state === 'rows' ? 'This tab uses a link, which opens only this document.' : ''
    }

    #state({ sections }, search) {
        if (sections.length > 0) return 'rows'
        if (!this.#list.isComplete) return this.#app.caret.link.state === 'ended' ? 'error' : 'loading'
        return search === '' ? 'empty' : 'no match'
    }

    #stateNode(state, search) {
        switch (state) {
        case 'rows': return this.#rows.node
        case 'loading': return loadingRows()
        case 'error': return element('div', { class: 'list-state', role: 'alert' }, icon('alert'),
            element('p', {}, errorWords({ code: this.#app.caret.link.reason, message: 'The page is disconnected.' })),
            element('button', { type: 'button', class: 'primary', onclick: () => this.#app.reload() }, 'Try again'))
        case 'empty': return element('div', { class: 'list-state' }, icon('text'),
            element('h2', {}, this.#new.hidden ? 'There are no documents that you may read.' : 'No documents yet.'),
            !this.#new.hidden && [
                element('button', { type: 'button', class: 'primary', onclick: () => this.#create() }, 'New document'),
                element('p', { class: 'quiet-text shell' }, 'Or from a shell:', element('code', {}, 'caret put --create NAME FILE')),
            ])
        default: return this.#noMatch(search)
        }
    }

    #noMatch(search) {
        const words = element('bdi', {}, shortName(search))
        const create = () => element('button', { type: 'button', class: 'quiet', onclick: () => this.#createFound(search) },
            icon('add'), element('span', { class: 'cut' }, 'Create “', words.cloneNode(true), '”'))
        return element('div', { class: 'list-state' }, icon('search'),
            element('h2', {}, 'No name contains “', words, '”.'), canCreate(this.#app, search) && create())
    }

    #drawMore() {
        this.#limit += step
        this.#draw()
    }

    #toggle(folder) {
        if (!this.#collapsed.delete(folder)) this.#collapsed.add(folder)
        this.#draw()
    }

    // Searching.

    #searched() {
        this.#limit = step
        this.#scroller.scrollTop = 0
        this.#draw()
        this.#searchOnServer()
    }

    /** Until all documents have arrived, the server is asked for those whose names begin with the text. */
    async #searchOnServer() {
        const prefix = typedName(this.#search.value)
        if (this.#list.isComplete || prefix === '') return
        try {
            const { docs } = await this.#app.caret.list({ prefix, limit: 100 })
            if (this.#list.isComplete) return
            this.#list.add(docs)
            this.#draw()
        } catch {
            // The documents that follow are complete without this answer.
        }
    }

    #searchKey(event) {
        // While an input method is composing, these keys belong to it.
        if (event.isComposing) return
        const search = typedName(this.#search.value)
        if (event.key === 'Escape') {
            this.#clearSearch()
        } else if (event.key === 'Enter' && search !== '') {
            const [section] = this.#list.shown({ search, limit: 1, order: this.#app.settings.get('order') }).sections
            if (section) this.#app.go({ screen: 'editor', name: section.rows[0].name })
        } else if (event.key === 'ArrowDown') {
            event.preventDefault()
            this.#rows.focusFirst()
        }
    }

    #clearSearch() {
        if (this.#search.value === '') return
        this.#search.value = ''
        this.#search.focus()
        this.#searched()
    }

    async #createFound(name) {
        try {
            await createDocument(this.#app, name)
            this.#search.value = ''
            this.#searched()
        } catch (error) {
            notify(errorWords(error))
        }
    }
}

/** Six grey rows. */
function loadingRows() {
    const row = () => element('li', { class: 'entry waiting' },
        element('span', { class: 'document' }, element('b'), element('span', { class: 'about' })))
    return element('div', {}, element('p', { class: 'spoken', role: 'status' }, 'Loading the documents'),
        element('ul', { 'aria-hidden': 'true' }, Array.from({ length: 6 }, row)))
}
