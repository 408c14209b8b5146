// What has changed between two revisions of a document, or between a revision and now.
import { CompareView } from './compare-view.js'
import { Difference } from './difference.js'
import { visibleName } from './document-name.js'
import { element, fill, icon, iconButton } from './dom.js'
import { Authors } from './history-authors.js'
import { revisionAfter } from './history-loader.js'
import { clockWords, countWords, dayWords } from './history-words.js'
import { barAbove, errorPage, greyLines } from './history-view.js'
import { pickRevision } from './revision-picker.js'
import { addressOf } from './route.js'
import { visit } from './short-visit.js'
import { count } from './words.js'

export class Compare {
    node = element('section', { class: 'screen compare', 'aria-label': 'Compare' })
    #app
    #name
    #view = new CompareView()
    #authors = new Authors()
    #from
    /** Undefined for the newest text, whatever it is. */
    #to
    /** The texts that are compared: { revision, text }. */
    #shown = null
    /** Null while other texts are loaded. The old difference stays in view, but its changes cannot be counted. */
    #difference = null
    #isClosed = false
    /** The newest revision that is known. */
    #head = { revision: 0, epoch: '' }
    #isGone = false
    #listeners = new AbortController()
    #unfollow
    #visited = null
    #parts

    constructor(app, route) {
        this.#app = app
        this.#name = route.name
        this.#parts = this.#build()
        document.addEventListener('keydown', (event) => this.#pressed(event), { signal: this.#listeners.signal })
        app.caret.addEventListener('link', () => this.#showBanner(), { signal: this.#listeners.signal })
        this.#unfollow = app.caret.follow(route.name, (event) => this.#changed(event))
        this.show(route)
    }

    get title() { return `Changes in ${visibleName(this.#name)}` }

    show(route) {
        if (route.screen !== 'compare' || route.name !== this.#name) return false
        if (this.#shown && route.from === this.#from && route.to === this.#to) return true
        this.#from = route.from
        this.#to = route.to
        this.#load()
        return true
    }

    close() {
        this.#isClosed = true
        this.#listeners.abort()
        this.#unfollow()
        this.#view.close()
    }

    #build() {
        const picker = (which) => element('button', { type: 'button', class: 'quiet picker', onclick: () => this.#pick(which) })
        const parts = {
            history: element('a', { class: 'round', 'aria-label': 'History', title: 'History' }, icon('history')),
            from: picker('from'), to: picker('to'), banner: element('div', { class: 'history-banners' }),
            counts: element('p', { class: 'counts', role: 'status' }),
            previous: iconButton('up', 'Previous change', () => this.#step(-1), { 'aria-keyshortcuts': 'p' }),
            next: iconButton('down', 'Next change', () => this.#step(1), { 'aria-keyshortcuts': 'n' }),
        }
        this.node.append(
            barAbove(this.#name, 'Compare', [parts.history]),
            element('div', { class: 'compare-body' },
                element('div', {}, element('div', { class: 'pickers' }, parts.from, icon('forward'), parts.to), parts.banner), this.#view.node),
            element('footer', { class: 'bar below' }, parts.counts, parts.previous, parts.next))
        return parts
    }

    // Loading.

    async #load() {
        const [from, to] = [this.#from, this.#to]
        const isCurrent = () => !this.#isClosed && this.#from === from && this.#to === to
        this.#difference = null
        this.#parts.previous.disabled = this.#parts.next.disabled = true
        if (!this.#shown) this.#view.showInstead(greyLines('Loading the texts'))
        this.#view.node.setAttribute('aria-busy', 'true')
        this.#parts.counts.textContent = 'Comparing\u2026'
        this.#showPickers()
        try {
            const { caret } = this.#app
            const [old, fresh] = await Promise.all([
                caret.read(this.#name, { rev: from ?? await this.#firstKept() }), caret.read(this.#name, { rev: to }),
            ])
            // The browser shows that it compares before it begins to, because long texts take up to a second.
            await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))
            if (!isCurrent()) return
            this.#showDifference(old, fresh)
            this.#showTimes([old.revision, fresh.revision], isCurrent)
        } catch (error) {
            if (isCurrent()) this.#showError(error)
        }
    }

    #showDifference(old, fresh) {
        this.#shown = { old, fresh }
        if (this.#head.epoch !== fresh.epoch || this.#head.revision < fresh.revision) this.#head = fresh
        const difference = new Difference(old.text, fresh.text, this.#app.caret.core.diff(old.text, fresh.text))
        this.#difference = difference
        const { node } = this.#view
        node.removeAttribute('aria-busy')
        const { counts, previous, next } = this.#parts
        const isEqual = difference.counts.changes === 0
        if (isEqual) {
            this.#view.showInstead(element('div', { class: 'empty' }, icon('tick'), element('p', {}, 'No difference'),
                element('p', { class: 'quiet-text' }, 'Both texts are the same.')))
        } else {
            this.#view.show(difference)
        }
        counts.setAttribute('aria-label', countWords(difference.counts))
        fill(counts, ...(isEqual ? ['No difference'] : [
            element('b', {}, count(difference.counts.changes, 'change')), element('span', { class: 'added' }, `+${difference.counts.added.toLocaleString('en')}`),
            element('span', { class: 'removed' }, `\u2212${difference.counts.removed.toLocaleString('en')}`),
        ]))
        previous.disabled = next.disabled = isEqual
        this.#showPickers()
        this.#showBanner()
    }

    #showError(error) {
        this.#parts.counts.textContent = ''
        const sentences = { base_trimmed: 'One of these revisions is not kept any more. Choose another one.', base_ahead: 'One of these revisions does not exist yet. Choose another one.' }
        this.#view.node.removeAttribute('aria-busy')
        this.#shown = null
        this.#view.showInstead(Object.hasOwn(sentences, error.code) ? element('div', { class: 'empty', role: 'alert' }, element('p', {}, sentences[error.code]))
            : errorPage('comparison', error))
        this.#showPickers()
    }

    // Choosing.

    /** Undefined while the first revision that is kept is not known. */
    get #fromShown() { return this.#from ?? this.#shown?.old.revision }

    #showPickers() {
        const { from, to, history } = this.#parts
        const old = this.#fromShown
        const words = old === undefined ? 'The first revision' : `Revision ${old.toLocaleString('en')}`
        fill(from, element('span', { class: 'which' }, 'From'), element('span', { class: 'moment' }, words))
        fill(to, element('span', { class: 'which' }, 'To'), element('span', { class: 'moment' }, this.#to === undefined ? 'Now' : `Revision ${this.#to.toLocaleString('en')}`))
        history.href = addressOf({ screen: 'history', name: this.#name, rev: this.#to ?? this.#shown?.fresh.revision })
    }

    /** Adds the times of the two revisions to the pickers. */
    async #showTimes([old, fresh], isCurrent) {
        const times = [[this.#parts.from, old], ...(this.#to === undefined ? [] : [[this.#parts.to, fresh]])]
        for (const [picker, revision] of times) {
            if (revision === 0) continue
            try {
                const found = await revisionAfter(this.#app.caret, this.#name, revision - 1)
                if (!isCurrent() || !found) continue
                picker.append(element('time', { datetime: found.time.toISOString() }, dayWords(found.time), element('span', {}, `, ${clockWords(found.time)}`)))
            } catch {
                // The first revision that is kept has a text, but no time.
            }
        }
    }

    /** The first revision whose text can be read. The empty text before revision 1 says nothing. */
    async #firstKept() {
        const { caret } = this.#app
        const first = await revisionAfter(caret, this.#name)
        return first ? Math.max(1, first.revision - 1) : (await caret.read(this.#name)).revision
    }

    /** The people of the history, with the names of those who are there if they come within half a second. */
    async #introducedAuthors() {
        this.#visited ??= visit(this.#app, this.#name).then((visited) => visited && this.#authors.introduce(visited.peers))
        await Promise.race([this.#visited, new Promise((late) => setTimeout(late, 500))])
        return this.#authors
    }

    async #pick(which) {
        const chosen = await pickRevision(this.#app.caret, this.#name, {
            title: which === 'from' ? 'Compare from' : 'Compare to', value: which === 'from' ? this.#fromShown : this.#to,
            allowsNow: which === 'to', authors: this.#introducedAuthors(),
        })
        if (!chosen || this.#isClosed) return
        const route = { screen: 'compare', name: this.#name, from: this.#fromShown, to: this.#to, [which]: chosen.revision }
        this.#app.go(route, { replace: true })
    }

    // Following.

    #changed(event) {
        if (event.name !== this.#name || this.#isClosed) return
        if (event.type === 'gone' && event.reason === 'renamed' && event.to) {
            return this.#app.go({ screen: 'compare', name: event.to, from: this.#from, to: this.#to }, { replace: true })
        }
        if (event.type === 'gone') this.#isGone = true
        if (event.type === 'document') {
            this.#isGone = false
            this.#head = event
        }
        this.#showBanner()
    }

    /** Says that the comparison is old. It is not replaced while somebody reads it. */
    #showBanner() {
        const { banner } = this.#parts
        const { state, reason } = this.#app.caret.link
        // While a page connects for the first time, nobody knows.
        const isOffline = state !== 'online' && reason !== undefined
        const fresh = this.#shown?.fresh
        const isOld = this.#to === undefined && fresh && (this.#head.epoch !== fresh.epoch || this.#head.revision > fresh.revision)
        const isGone = this.#isGone
        const sentence = isGone ? 'The document was deleted. This comparison stays until you leave it.'
            : isOffline ? (fresh ? 'Offline. The comparison cannot be changed.' : 'Offline. The comparison appears as soon as there is a connection.') : isOld ? 'The text has changed since.' : ''
        if (banner.dataset.key === sentence) return
        banner.dataset.key = sentence
        fill(banner, sentence && element('div', { class: isGone || isOffline ? 'banner' : 'banner calm', role: 'status' }, element('p', {}, sentence),
            isOld && !isOffline && !isGone && element('button', { type: 'button', class: 'primary', onclick: () => this.#load() }, 'Compare again')))
    }

    // Keys.

    #pressed(event) {
        const { key, target } = event
        if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || document.querySelector('dialog[open]')) return
        if (target !== document.body && !this.node.contains(target)) return
        const amount = { n: 1, p: -1 }[key]
        if (amount === undefined) return
        event.preventDefault()
        this.#step(amount)
    }

    #step(amount) {
        const { counts } = this.#difference ?? {}
        if (!counts?.changes) return
        const index = this.#view.step(amount)
        this.#parts.counts.querySelector('b').textContent = `Change ${(index + 1).toLocaleString('en')} of ${counts.changes.toLocaleString('en')}`
    }
}
