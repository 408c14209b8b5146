// What the screen of a history shows. It decides nothing: history.js calls it, and gets what the user does.
import { visibleName } from './document-name.js'
import { avatar, element, fill, icon, iconButton } from './dom.js'
import { HistorySlider } from './history-slider.js'
import { changeWords, placeWords, restoreObstacle, spokenChange, timeWords } from './history-words.js'
import { addressOf } from './route.js'
import { piecesOf, shortened } from './timeline.js'
import { errorWords } from './words.js'

export class HistoryView {
    node = element('section', { class: 'screen history', 'aria-label': 'History' })
    slider
    #name
    #actions
    #parts
    #speechTimer = null

    /**
     * `actions` has what the user can do: moved, stepBy, playOrPause, chooseAuthor, openTags,
     * showAll, showNew, copy and restore.
     */
    constructor(name, actions) {
        this.#name = name
        this.#actions = actions
        this.slider = new HistorySlider((revision) => actions.moved(revision))
        this.#parts = this.#build()
    }

    close() {
        this.slider.close()
        clearTimeout(this.#speechTimer)
    }

    #build() {
        const actions = this.#actions
        const parts = {
            filter: iconButton('people', 'Show changes by one person', ({ currentTarget }) => actions.chooseAuthor(currentTarget)),
            tags: iconButton('tag', 'Named revisions', () => actions.openTags()),
            copy: iconButton('copy', 'Copy this text', () => actions.copy()),
            compare: element('a', { class: 'round wide', role: 'link', 'aria-label': 'Compare with now', title: 'Compare with now' },
                icon('compare'), element('span', {}, 'Compare with now')),
            banners: element('div', { class: 'history-banners' }),
            text: element('div', { class: 'history-text', tabindex: 0, role: 'region', 'aria-label': 'Text' }),
            author: element('div', { class: 'history-author' }),
            previous: iconButton('back', 'Previous change', () => actions.stepBy(-1)),
            play: iconButton('play', 'Play', () => actions.playOrPause(), { class: 'round play' }),
            next: iconButton('forward', 'Next change', () => actions.stepBy(1)),
            restore: element('button', { type: 'button', class: 'primary restore', onclick: () => actions.restore() }, 'Restore this'),
            speech: element('p', { class: 'spoken', role: 'status' }),
        }
        this.node.append(
            barAbove(this.#name, 'History', [parts.filter, parts.tags, parts.copy, parts.compare]),
            element('div', { class: 'history-body' }, parts.banners, parts.text),
            element('footer', { class: 'bar below player' }, parts.author, this.slider.node,
                element('div', { class: 'history-keys' }, parts.previous, parts.play, parts.next), parts.restore, parts.speech))
        return parts
    }

    /** Shows the text at a place, with what the revisions from `from` on changed. */
    showPlace({ timeline, place, from, revision, author }) {
        const { before, edits } = timeline.viewAt(place, from)
        this.#parts.text.removeAttribute('aria-busy')
        showText(this.#parts.text, shortened(piecesOf(before, edits)), author)
        this.#showAuthor(timeline, place, revision, author)
        this.slider.days = timeline.days
    }

    #showAuthor({ start, head }, place, revision, author) {
        const number = element('span', { class: 'number' })
        const isEmpty = start === head
        const title = isEmpty ? 'No changes yet' : start > 0 ? `History begins at revision ${start.toLocaleString('en')}` : 'The empty document'
        const note = isEmpty ? 'Changes appear here as people write.' : start > 0 ? 'Older revisions are not kept.' : 'Nothing is written yet.'
        fill(this.#parts.author, element('span', { class: 'names' }), ...(revision ? [
            avatar(author, { label: false }), element('b', {}, author.name),
            element('time', { datetime: revision.time.toISOString() }, timeWords(revision.time)), number,
            element('span', { class: 'size', role: 'img', 'aria-label': spokenChange(revision) }, changeWords(revision)),
        ] : [
            element('span', { class: 'avatar none' }, icon('history')), element('b', { class: 'start' }, title),
            element('time', {}, note), start === 0 && !isEmpty && number,
        ]))
    }

    /** Shows what may change without a change of the place. */
    showState({ timeline, place, wanted, revision, author, tags, isFiltered, rights, isOnline, gone }) {
        const { previous, next, play, restore, compare, filter, copy } = this.#parts
        const names = tags.at(place)
        const { start, head } = timeline
        const isEmpty = start === head
        this.slider.show({ start, head }, wanted, placeWords(place, { start, head }, revision, author, names))
        this.#showTags(tags, names)
        this.slider.input.disabled = play.disabled = filter.disabled = isEmpty
        this.#parts.tags.disabled = isEmpty || gone !== null
        previous.disabled = wanted <= start
        next.disabled = wanted >= head
        copy.disabled = false
        filter.classList.toggle('on', isFiltered)
        const number = this.#parts.author.querySelector('.number')
        if (number) fill(number, element('span', { class: 'prefix' }, 'Revision '), `${place.toLocaleString('en')} of ${head.toLocaleString('en')}`)
        const obstacle = restoreObstacle({ place, head, rights, isOnline, isGone: gone !== null })
        restore.disabled = obstacle !== null
        restore.title = obstacle ?? ''
        compare.ariaDisabled = isEmpty
        if (isEmpty) compare.removeAttribute('href')
        else compare.href = addressOf({ screen: 'compare', name: this.#name, from: place })
        this.node.classList.toggle('without-changes', isEmpty)
    }

    /** The row for names is there for all revisions or for none, so that nothing moves when the place does. */
    #showTags(tags, names) {
        this.node.classList.toggle('has-tags', tags.all.length > 0)
        this.slider.tags = tags.all.map(({ revision }) => revision)
        const row = this.#parts.author.querySelector('.names')
        if (row) fill(row, names.length > 0 && icon('tag'), element('span', {}, names.join(', ')))
    }

    showBanners({ gone, isOffline, isLoaded, author }) {
        const { showNew, showAll } = this.#actions
        const sentences = [
            gone === 'deleted' && ['The document was deleted. What is loaded can still be read and copied.'],
            gone === 'replaced' && ['The document was deleted and created again. This is the old one.', 'Show the new one', showNew],
            isOffline && [isLoaded ? 'Offline. What is loaded can be played.' : 'Offline. The history appears as soon as there is a connection.'],
            author && [`Only changes by ${author.name}`, 'Show all', showAll],
        ].filter(Boolean)
        const { banners } = this.#parts
        // Making the banners again would take the focus from a button in them.
        const key = sentences.map(([sentence]) => sentence).join('\n')
        if (banners.dataset.key === key) return
        banners.dataset.key = key
        fill(banners, sentences.map(([sentence, label, run]) => element('div', { class: run === showAll ? 'banner calm' : 'banner', role: 'status' },
            element('p', {}, sentence), label && element('button', { type: 'button', class: 'primary', onclick: () => run() }, label))))
    }

    showPlaying(isPlaying) {
        const { play } = this.#parts
        const label = isPlaying ? 'Pause' : 'Play'
        fill(play, icon(isPlaying ? 'pause' : 'play'))
        play.setAttribute('aria-label', label)
        play.title = label
    }

    showLoading() {
        const { text, author, previous, play, next, filter, tags, copy, restore } = this.#parts
        fill(text, greyLines('Loading the history'))
        fill(author, element('span', { class: 'avatar none' }, icon('history')), element('b', {}), element('time', {}))
        for (const control of [this.slider.input, previous, play, next, filter, tags, copy, restore]) control.disabled = true
    }

    /** Says why there is no text yet. */
    showLoadingWords({ isOffline }) {
        const [title, words] = isOffline ? ['Offline', 'It is loaded as soon as there is a connection.'] : ['Loading\u2026', 'Reading the history']
        const { author } = this.#parts
        author.querySelector('b').textContent = title
        author.querySelector('time').textContent = words
    }

    /** The slider is already where the user wants it, and the text comes later. */
    showWaiting(timeline, revision) {
        this.slider.show(timeline, revision, `Loading revision ${revision}`)
        this.#parts.text.setAttribute('aria-busy', 'true')
    }

    showError(error) {
        const isMissing = error.code === 'not_found'
        fill(this.node, barAbove(this.#name, 'History', [], { isMissing }), errorPage('history', error))
    }

    /** Says the place a moment after the last step, so that not every step is said. */
    speakSoon() {
        clearTimeout(this.#speechTimer)
        this.#speechTimer = setTimeout(() => {
            // A screen reader says the value of a slider that has the focus.
            if (document.activeElement === this.slider.input) return
            this.#parts.speech.textContent = this.slider.input.getAttribute('aria-valuetext') ?? ''
        }, 500)
    }
}

/** The bar above a screen about one document. If it is missing, the way back leads to the documents. */
export function barAbove(name, screen, controls = [], { isMissing = false } = {}) {
    const label = isMissing ? 'All documents' : 'Back to the text'
    const href = addressOf(isMissing ? { screen: 'documents' } : { screen: 'editor', name })
    return element('header', { class: 'bar above' },
        element('a', { class: 'round', href, 'aria-label': label, title: label }, icon('back')),
        element('h1', {}, element('span', { class: 'document-name' }, visibleName(name)), element('small', {}, screen)), controls)
}

/** Grey lines in the place of a text that is being loaded. */
export function greyLines(label) {
    return element('div', { class: 'grey-lines', role: 'status', 'aria-label': label },
        [82, 64, 91, 40, 73, 56].map((width) => element('span', { style: { 'inline-size': `${width}%` } })))
}

/** What a screen shows if it cannot load its `subject`. */
export function errorPage(subject, error) {
    const isMissing = error.code === 'not_found'
    return element('div', { class: 'plain', role: 'alert' },
        element('h2', {}, isMissing ? 'No such document' : `The ${subject} cannot be shown`),
        element('p', {}, errorWords(error)),
        element('p', {}, isMissing ? element('a', { class: 'primary', href: '/' }, 'All documents')
            : element('button', { type: 'button', class: 'primary', onclick: () => location.reload() }, 'Try again')))
}

/** Shows the pieces of a text, and scrolls to the first change if it is out of view. */
function showText(node, pieces, author) {
    const text = element('pre', { dir: 'auto', style: { '--color': author?.color ?? 'transparent' } }, pieces.map(pieceNode))
    const top = node.scrollTop
    fill(node, pieces.length > 0 ? text : element('p', { class: 'empty' }, 'The text is empty at this revision.'))
    node.scrollTop = top
    const change = text.querySelector('ins, del')?.getBoundingClientRect()
    const view = node.getBoundingClientRect()
    if (!change || (change.top >= view.top && change.top <= view.bottom - 48)) return
    node.scrollTop += change.top - view.top - view.height / 3
}

function pieceNode({ kind, text, length }) {
    switch (kind) {
    case 'added': return element('ins', {}, text)
    case 'removed': return element('del', {}, text)
    case 'gap': return element('span', { class: 'gap' }, `${length.toLocaleString('en')} characters are not shown`)
    default: return text
    }
}
