// A sheet in which the user chooses a revision: by its number, or a moment at which somebody wrote.
import { avatar, element, fill, icon } from './dom.js'
import { documentEntry } from './history-loader.js'
import { changeWords, momentWords } from './history-words.js'
import { openSheet } from './sheet.js'
import { momentsOf } from './timeline.js'
import { count, errorWords } from './words.js'

/** How many of the newest revisions are searched for moments, and how many moments are shown. */
const newest = 1000
const mostMoments = 60

/**
 * The revision that the user chooses: { revision }, where undefined means the newest one. Null without a choice.
 * `authors` is a promise of `Authors`.
 */
export async function pickRevision(caret, name, { title, value, allowsNow, authors }) {
    const chosen = await openSheet(title, (close) => {
        const input = element('input', { type: 'number', min: 0, step: 1, required: true, inputmode: 'numeric', value: value ?? '' })
        const problem = element('p', { class: 'state bad', role: 'alert' })
        const list = element('menu', { class: 'moments' }, element('li', {}, element('p', { class: 'quiet-text' }, 'Loading\u2026')))
        const submit = (event) => {
            event.preventDefault()
            const number = Number(input.value)
            if (input.value !== '' && Number.isInteger(number) && number >= 0) close({ revision: number })
            else problem.textContent = 'A revision is a whole number.'
        }
        const now = allowsNow && element('li', {}, element('button', { type: 'button', onclick: () => close({ revision: undefined }) },
            icon('text'), 'Now'))
        fillMoments(list, now, { caret, name, authors, close }).catch((error) => {
            fill(list, now, element('li', {}, element('p', { class: 'quiet-text' }, errorWords(error))))
        })
        return [
            element('form', { class: 'revision-number', onsubmit: submit, novalidate: true },
                element('label', {}, element('span', {}, 'Revision'), input), element('button', { type: 'submit', class: 'primary' }, 'Compare')),
            problem,
            list,
        ]
    })
    return chosen ?? null
}

async function fillMoments(list, now, { caret, name, authors, close }) {
    const { revision: head } = await documentEntry(caret, name)
    const revisions = []
    for await (const revision of history(caret, name, Math.max(0, head - newest))) revisions.push(revision)
    const start = head - revisions.length
    const moments = momentsOf(revisions).reverse().slice(0, mostMoments)
    const people = await authors
    fill(list, now, moments.map((moment) => {
        const author = people.of(moment)
        return element('li', {}, element('button', { type: 'button', onclick: () => close({ revision: moment.revision }) },
            avatar(author, { label: false }),
            element('span', { class: 'moment-name' }, element('b', {}, author.name), element('span', { class: 'quiet-text' }, momentWords(moment.time))),
            element('span', { class: 'moment-size quiet-text' }, `Revision ${moment.revision.toLocaleString('en')}`,
                element('span', {}, moment.count === 1 ? changeWords(moment) : count(moment.count, 'revision')))))
    }), moments.length < mostMoments && element('li', {}, element('button', { type: 'button', onclick: () => close({ revision: start }) },
        icon('history'), start === 0 ? 'The beginning' : `Revision ${start.toLocaleString('en')}`)))
}

/** The newest revisions. If some of them are not kept, those that are. */
async function *history(caret, name, after) {
    try {
        yield* caret.history(name, { after })
    } catch (error) {
        if (error.code !== 'base_trimmed') throw error
        yield* caret.history(name)
    }
}
