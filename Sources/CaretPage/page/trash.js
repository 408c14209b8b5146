// Deleted documents that can still be brought back: the sheet that lists them, and "Undo" after a deletion.
import { shortName, visibleName } from './document-name.js'
import { element, fill } from './dom.js'
import { notify } from './notices.js'
import { openSheet } from './sheet.js'
import { count, errorWords, timeAgo } from './words.js'

/** How many rows are shown at first, and more each time that the user asks. */
const step = 100
/** The server may need some seconds to close a deleted document: milliseconds between attempts, and their number. */
const [pause, attempts] = [500, 20]

/** Says that a document was deleted, with a button that brings it back. */
export function offerUndo(app, name) {
    const undo = ({ currentTarget }) => {
        currentTarget.parentNode.remove()
        undoDelete(app, name)
    }
    const button = element('button', { type: 'button', class: 'plain-button', onclick: undo }, 'Undo')
    notify([`\u201c${shortName(name)}\u201d was deleted. `, button], 10_000)
}

async function undoDelete(app, name) {
    const problem = await bringBackLast(app, name)
    notify(problem?.words ?? `\u201c${shortName(name)}\u201d is back.`)
}

/** Brings the document back that was deleted last under this name. Returns what `bringBack` does. */
export async function bringBackLast(app, name) {
    try {
        const last = (await deletedDocuments(app, name)).find((one) => one.name === name)
        return last ? await bringBack(app, last.number) : gone
    } catch (error) {
        return { isFinal: false, words: errorWords(error) }
    }
}

/** Shows the sheet. */
export function showTrash(app) {
    return openSheet('Recently deleted', (close) => {
        const node = element('div', { class: 'trash', 'aria-busy': 'true' },
            element('p', { class: 'quiet-text', role: 'status' }, 'Loading\u2026'))
        load(app, node, close)
        return [element('p', {}, 'Deleted documents stay here for a while, with their history. Then they are gone.'), node]
    })
}

/** The deleted documents whose names begin with `prefix`, the one that was deleted last first. */
async function deletedDocuments({ caret }, prefix) {
    const all = []
    for await (const one of caret.deleted({ prefix })) all.push(one)
    return all.sort((one, other) => other.deleted - one.deleted || other.number - one.number)
}

async function load(app, node, close) {
    try {
        show(app, node, await deletedDocuments(app), close)
    } catch (error) {
        fill(node, element('p', { class: 'problem', role: 'alert' }, errorWords(error)))
    }
    node.removeAttribute('aria-busy')
}

function show(app, node, documents, close) {
    if (documents.length === 0) {
        const words = 'There is no deleted document that you may bring back.'
        return void fill(node, element('p', { class: 'quiet-text' }, words))
    }
    const now = new Date()
    const list = element('ul')
    const more = element('button', { type: 'button', class: 'plain-button', onclick: () => showMore() }, 'Show more')
    const showMore = () => {
        const next = documents.slice(list.children.length, list.children.length + step)
        list.append(...next.map((one) => row(app, one, now, close)))
        more.hidden = list.children.length === documents.length
    }
    showMore()
    fill(node, list, more)
}

function row(app, { name, deleted, length, number }, now, close) {
    const shown = visibleName(name)
    const about = element('span', { class: 'quiet-text', role: 'status' },
        `Deleted ${timeAgo(deleted, now)} \u00b7 ${count(length, 'character')}`)
    const button = element('button', {
        type: 'button', class: 'quiet', 'aria-label': `Bring back ${shown}`, onclick: () => press(),
    }, 'Bring back')
    const open = () => {
        close()
        app.go({ screen: 'editor', name })
    }
    const restore = async () => {
        press = () => {}
        const problem = await bringBack(app, number)
        about.textContent = problem?.words ?? 'It is back.'
        about.classList.toggle('problem', problem !== null)
        press = problem ? restore : open
        if (problem) return
        button.textContent = 'Open'
        button.setAttribute('aria-label', `Open ${shown}`)
    }
    let press = restore
    return element('li', {}, element('span', { class: 'who' }, element('b', {}, element('bdi', {}, shown)), about), button)
}

/**
 * Brings a document back. Returns null, or what went wrong: { words, isFinal }. If it is final, another attempt would not
 * help: the name leads to another document, or to none.
 */
async function bringBack({ caret }, number) {
    for (let attempt = 1; ; attempt++) {
        try {
            await caret.undelete(number)
            return null
        } catch (error) {
            if (error.code === 'exists') return taken
            if (error.code === 'not_found') return gone
            if (error.code !== 'overloaded' || attempt === attempts) return { isFinal: false, words: errorWords(error) }
            await new Promise((resolve) => setTimeout(resolve, pause))
        }
    }
}

const taken = { isFinal: true, words: 'Another document has this name now. Rename that one first.' }
const gone = { isFinal: true, words: 'It is no longer there.' }
