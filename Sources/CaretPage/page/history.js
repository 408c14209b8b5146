// The history of a document: its text at a revision, with what the revision changed.
import { copyText } from './copy.js'
import { visibleName } from './document-name.js'
import { openAuthorMenu } from './history-author-menu.js'
import { Authors } from './history-authors.js'
import { keyAction } from './history-keys.js'
import { HistoryLoader } from './history-loader.js'
import { HistoryTags, openTags } from './history-tags.js'
import { HistoryView } from './history-view.js'
import { notify } from './notices.js'
import { addressOf } from './route.js'
import { confirm } from './sheet.js'
import { visit } from './short-visit.js'
import { partSize } from './timeline.js'
import { errorWords } from './words.js'

/** How long each step is shown while playing, in milliseconds. */
const stepTime = 100
/** Browsers refuse changes of the address that follow each other too fast. */
const addressTime = 300
/** How many parts of the history are loaded at most to find a change by one person. */
const mostLoads = 10

export class History {
    node

    #app
    #name
    #loader
    #authors = new Authors()
    /** The revision in the address, while the history is loaded. Undefined for the newest one. */
    #asked
    #place = 0
    /** The first revision of the step that is shown. It is the place itself, except while playing. */
    #from = 0
    /** The revision that the user wants to see, which may have to be loaded first. */
    #wanted = 0
    /** The person whose changes are shown: { key, name }. Null for everyone. */
    #author = null
    #rights = null
    #tags
    /** 'deleted', or 'replaced' if there is another document with this name now. Null if the document is there. */
    #gone = null
    #isClosed = false
    /** What is playing: an object of its own for each play, so that an old one notices its end. Null in a pause. */
    #player = null
    #addressTimer = null
    #restarts = 0
    #listeners = new AbortController()
    #unfollow = () => {}
    #view

    constructor(app, route) {
        this.#app = app
        this.#name = route.name
        this.#loader = new HistoryLoader(app.caret, route.name)
        this.#tags = new HistoryTags(app.caret, route.name, () => this.#showState())
        this.#view = new HistoryView(route.name, {
            moved: (revision) => this.#chosen(revision),
            stepBy: (amount) => this.#stepBy(amount),
            playOrPause: () => this.#playOrPause(),
            chooseAuthor: (button) => this.#chooseAuthor(button),
            openTags: () => this.#openTags(),
            showAll: () => this.#setAuthor(null),
            showNew: () => this.#restart(),
            copy: () => this.#copy(),
            restore: () => this.#restore(),
        })
        this.node = this.#view.node
        const { signal } = this.#listeners
        document.addEventListener('keydown', (event) => this.#pressed(event), { signal })
        app.caret.addEventListener('link', () => this.#showState(), { signal })
        this.#asked = route.rev
        this.#start()
    }

    get title() { return `History of ${visibleName(this.#name)}` }

    show(route) {
        if (route.screen !== 'history' || route.name !== this.#name) return false
        this.#asked = route.rev
        if (this.#timeline && (route.rev ?? this.#timeline.head) !== this.#wanted) this.#goTo(route.rev ?? this.#timeline.head)
        return true
    }

    close() {
        this.#isClosed = true
        this.#pause()
        this.#listeners.abort()
        this.#unfollow()
        this.#view.close()
        clearTimeout(this.#addressTimer)
    }

    get #timeline() { return this.#loader.timeline }
    /** False after a restart, and after the user has left. */
    #isCurrent(timeline) { return !this.#isClosed && this.#timeline === timeline }
    get #isOnline() { return this.#app.caret.link.state === 'online' }
    /** While a page connects for the first time, nobody knows. */
    get #isOffline() { return !this.#isOnline && this.#app.caret.link.reason !== undefined }

    // Loading.

    async #start() {
        this.#view.showLoading()
        this.#showState()
        const loader = this.#loader
        try {
            await loader.open()
            if (this.#isClosed || this.#loader !== loader) return
            this.#follow()
            this.#askForRights()
            this.#loadTags()
            const { head } = this.#timeline
            const wanted = this.#asked ?? head
            if (wanted > head) notify(`There is no revision ${wanted} yet. The newest one is ${head}.`)
            await this.#goTo(wanted)
        } catch (error) {
            this.#showError(error)
        }
    }

    /** Loads everything again, because the old revisions are not kept, or are those of another document. */
    #restart() {
        this.#pause()
        this.#unfollow()
        this.#loader = new HistoryLoader(this.#app.caret, this.#name)
        this.#asked = this.#gone ? undefined : this.#place
        this.#gone = null
        this.#start()
    }

    #follow() {
        this.#unfollow = this.#app.caret.follow(this.#name, (event) => {
            if (event.name !== this.#name) return
            if (event.type === 'gone') return this.#documentGone(event)
            if (event.type !== 'document' || !this.#timeline) return
            // The loaded history may be the last copy of the old document, so it stays until the user leaves it.
            if (event.epoch !== this.#loader.epoch) return this.#documentGone({ reason: 'replaced' })
            if (event.revision <= this.#timeline.head) return
            this.#timeline.grow(event.revision)
            this.#showState()
        })
    }

    #documentGone({ reason, to }) {
        if (reason === 'renamed' && to) {
            notify('The document has a new name.')
            return this.#app.go({ screen: 'history', name: to, rev: this.#place }, { replace: true })
        }
        this.#gone = reason === 'replaced' ? 'replaced' : 'deleted'
        this.#showState()
    }

    async #askForRights() {
        const visited = await visit(this.#app, this.#name)
        // Without an answer, the server decides when the user restores a text.
        if (!visited || this.#isClosed) return
        this.#rights = visited.rights
        this.#authors.introduce(visited.peers)
        if (this.#timeline?.holds(this.#place)) this.#show()
    }

    async #loadTags() {
        try {
            await this.#tags.load()
        } catch {
            // The history works without the names. The sheet with the names loads them again, and says what is wrong.
        }
    }

    // Moving.

    /** Shows a revision, after loading it if needed. `from` is the first revision of a step. */
    async #goTo(revision, from = revision) {
        const timeline = this.#timeline
        const wanted = timeline.clamp(revision)
        this.#wanted = wanted
        if (!timeline.holds(wanted)) {
            this.#view.showWaiting(timeline, wanted)
            try {
                await this.#loader.load(wanted)
            } catch (error) {
                return this.#loadFailed(error, timeline)
            }
            if (this.#wanted !== wanted || !this.#isCurrent(timeline)) return
        }
        this.#place = wanted
        this.#from = Math.max(from, timeline.start + 1)
        if (this.#from > wanted || !timeline.holds(this.#from)) this.#from = wanted
        this.#show()
        this.#keepAddress()
    }

    #loadFailed(error, timeline) {
        if (!this.#isCurrent(timeline)) return
        this.#pause()
        const hasChanged = error.code === 'base_trimmed' || error.code === 'epoch_changed'
        // Something is wrong if loading again does not help.
        if (hasChanged && !this.#gone && ++this.#restarts <= 3) return this.#restart()
        if (!timeline.holds(this.#place)) return this.#showError(error)
        // What is loaded may be the last copy, so it stays.
        notify(this.#gone ? 'This revision was not loaded before the document was deleted.' : errorWords(error))
        this.#wanted = this.#place
        this.#show()
    }

    /** The user chose a revision on the slider. */
    #chosen(revision) {
        this.#pause()
        this.#goTo(revision)
    }

    async #stepBy(amount) {
        const timeline = this.#timeline
        if (!timeline) return
        this.#pause()
        const direction = Math.sign(amount)
        let place = this.#wanted
        for (let rest = Math.abs(amount); rest > 0; rest--) {
            const next = await this.#nearest(timeline, place, direction)
            if (next === null) break
            place = next
        }
        if (!this.#isCurrent(timeline)) return
        // Searching may have replaced the part of the history that is shown.
        if (place !== this.#wanted || !timeline.holds(place)) await this.#goTo(place)
        this.#view.speakSoon()
    }

    /** The next revision by the chosen person; null if there is none nearby, or if the timeline is not shown any more. */
    async #nearest(timeline, place, direction) {
        let next = place
        for (let loads = 0; ; loads++) {
            if (!this.#isCurrent(timeline)) return null
            next = timeline.nearest(next, direction, this.#author?.key ?? null)
            if (next === null || timeline.holds(next) || this.#author === null) return next
            if (loads === mostLoads) break
            try {
                await this.#loader.load(next)
            } catch (error) {
                this.#loadFailed(error, timeline)
                return null
            }
            // Looks at the loaded revision itself too.
            next -= direction
        }
        notify(`No change by ${this.#author.name} in the ${direction < 0 ? 'previous' : 'next'} ${(mostLoads * partSize).toLocaleString('en')} revisions.`)
        return null
    }

    async #playOrPause() {
        if (this.#player) return this.#pause()
        if (!this.#timeline || this.#timeline.head === this.#timeline.start) return
        const player = {}
        this.#player = player
        this.#view.showPlaying(true)
        try {
            if (this.#wanted >= this.#timeline.head) await this.#goTo(this.#timeline.start)
            while (this.#player === player && await this.#playStep(player)) {
                await new Promise((later) => setTimeout(later, stepTime))
            }
        } catch (error) {
            if (this.#player === player) this.#loadFailed(error, this.#timeline)
        }
        if (this.#player === player) this.#pause()
    }

    /** Shows the next step, after loading it if needed. Returns false at the end. */
    async #playStep(player) {
        for (;;) {
            const step = this.#timeline.step(this.#place, this.#author?.key ?? null)
            if (!step) return false
            if (this.#timeline.holds(step.to)) {
                await this.#goTo(step.to, step.from)
                return true
            }
            await this.#loader.load(step.to)
            if (this.#player !== player) return false
        }
    }

    #pause() {
        if (!this.#player) return
        this.#player = null
        this.#view.showPlaying(false)
        this.#view.speakSoon()
    }

    #pressed(event) {
        const { target } = event
        if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || !this.#timeline) return
        if (document.querySelector('dialog[open]')) return
        const isSlider = target === this.#view.slider.input
        if (!isSlider && target !== document.body && !this.node.contains(target)) return
        const action = keyAction(event, isSlider)
        if (action === null) return
        event.preventDefault()
        if (action === 'play') this.#playOrPause()
        else this.#stepBy(action)
    }

    /** The address follows the place, so that a reload and a copied link lead to the same text. */
    #keepAddress() {
        this.#addressTimer ??= setTimeout(() => {
            this.#addressTimer = null
            if (!this.#isClosed) history.replaceState(null, '', addressOf({ screen: 'history', name: this.#name, rev: this.#place }))
        }, addressTime)
    }

    // What the user can do.

    async #chooseAuthor(button) {
        this.#pause()
        await openAuthorMenu(this.#authors.in(this.#timeline.revisions), (author) => this.#setAuthor(author), button)
    }

    async #setAuthor(author) {
        const timeline = this.#timeline
        this.#author = author
        this.#showState()
        if (!author || !timeline) return
        const here = timeline.revision(this.#place)
        if (here && this.#authors.of(here).key === author.key) return
        const next = await this.#nearest(timeline, this.#place, -1) ?? await this.#nearest(timeline, this.#place, 1)
        if (this.#isCurrent(timeline)) await this.#goTo(next ?? this.#place)
    }

    async #openTags() {
        this.#pause()
        const mayWrite = this.#rights !== 'read' && this.#rights !== 'none'
        const revision = await openTags(this.#tags, { place: this.#place, mayWrite })
        if (revision !== undefined && !this.#isClosed) this.#chosen(revision)
    }

    #copy() { copyText(this.#timeline.textAt(this.#place), `The text of revision ${this.#place}`) }

    async #restore() {
        this.#pause()
        const place = this.#place
        const question = `The document gets the text of revision ${place} again. This is a new revision, so the newer texts stay in the history.`
        if (!await confirm('Restore this text?', question, 'Restore')) return
        try {
            await this.#app.caret.restore(this.#name, place)
            notify(`Restored the text of revision ${place}.`)
            if (!this.#isClosed) this.#app.go({ screen: 'editor', name: this.#name })
        } catch (error) {
            if (error.code === 'forbidden') this.#rights = 'read'
            notify(error.code === 'disconnected' ? 'The connection ended. Look whether the text was restored before you try again.' : errorWords(error))
            this.#showState()
        }
    }

    // What the user sees.

    #show() {
        const revision = this.#timeline.revision(this.#place)
        this.#view.showPlace({ ...this.#state, from: this.#from, revision, author: revision && this.#authors.of(revision) })
        this.#showState()
    }

    /** Shows what may change without a change of the place. */
    #showState() {
        const isLoaded = this.#timeline?.holds(this.#place) ?? false
        this.#view.showBanners({ gone: this.#gone, isOffline: this.#isOffline, isLoaded, author: this.#author })
        if (!this.#timeline) return this.#view.showLoadingWords({ isOffline: this.#isOffline })
        if (!isLoaded) return
        const revision = this.#timeline.revision(this.#place)
        this.#view.showState({ ...this.#state, revision, author: revision && this.#authors.of(revision) })
    }

    get #state() {
        return {
            timeline: this.#timeline, place: this.#place, wanted: this.#wanted, isFiltered: this.#author !== null,
            tags: this.#tags, rights: this.#rights, isOnline: this.#isOnline, gone: this.#gone,
        }
    }

    #showError(error) {
        if (this.#isClosed) return
        this.#pause()
        this.#view.showError(error)
    }
}
