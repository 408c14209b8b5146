// Sharing a document by links, which need no sign-in: the sheet that makes, lists and ends them.
import { shortName } from './document-name.js'
import { mayWrite } from './document-sheets.js'
import { element, fill } from './dom.js'
import { momentWords } from './history-words.js'
import { addressOf } from './route.js'
import { segments } from './segments.js'
import { confirm, openSheet } from './sheet.js'
import { errorWords, timeAgo } from './words.js'

const rightsWords = { read: 'Can read', write: 'Can edit' }
/** How long a link is valid, by the number of days. */
const lengths = { 1: '1 day', 7: '7 days', 30: '30 days' }

/** Whether the user may share a document. */
export function mayShare(app, name) { return mayWrite(app, name) && (app.caret.features ?? []).includes('links') }

/** The address of a document, with a link to it if there is one. */
export function linkTo(name, token) {
    const address = location.origin + addressOf({ screen: 'editor', name })
    return token ? `${address}#link=${token}` : address
}

/** Shows the sheet. */
export function showShare(app, name) {
    const title = `Share \u201c${shortName(name)}\u201d`
    return openSheet(title, () => new ShareSheet(app, name).nodes, { className: 'share' })
}

class ShareSheet {
    #app
    #name
    #rights = 'read'
    #days = '7'
    #isBusy = false
    #intro = element('p')
    #create = element('button', { type: 'submit', class: 'primary' }, 'Create link')
    #made = element('div', { class: 'new-link', hidden: true })
    #status = element('p', { class: 'quiet-text', role: 'status' })
    #list = element('div', { 'aria-busy': 'true' })

    constructor(app, name) {
        this.#app = app
        this.#name = name
        this.#describe()
        this.#load()
    }

    get nodes() {
        const choose = (rights) => {
            this.#rights = rights
            this.#describe()
        }
        return [
            this.#intro,
            element('form', { class: 'form', onsubmit: (event) => this.#submit(event) },
                segments('share-rights', 'People with the link', rightsWords, this.#rights, choose),
                segments('share-days', 'The link ends after', lengths, this.#days, (days) => { this.#days = days }),
                element('div', { class: 'actions' }, this.#status, this.#create)),
            this.#made, element('h3', {}, 'Links to this document'), this.#list,
        ]
    }

    #describe() {
        const can = this.#rights === 'read' ? 'read' : 'edit'
        this.#intro.textContent = `Anyone with the link can ${can} this document, without a sign-in, until the link ends. `
            + 'Renaming or deleting the document ends all its links.'
    }

    #say(words, { isProblem = false } = {}) {
        this.#status.textContent = words
        this.#status.classList.toggle('problem', isProblem)
    }

    /** Runs what needs a connection, and says what went wrong. */
    async #attempt(action) {
        if (this.#isBusy) return
        // A link that is made after the sheet was closed would be lost.
        if (this.#app.caret.link.state !== 'online') return this.#say('This needs a connection.', { isProblem: true })
        this.#isBusy = true
        this.#say('')
        try {
            await action()
        } catch (error) {
            this.#say(errorWords(error), { isProblem: true })
        }
        this.#isBusy = false
    }

    #submit(event) {
        event.preventDefault()
        return this.#attempt(async () => {
            const seconds = this.#days * 86_400
            const { token } = await this.#app.caret.addLink(this.#name, { rights: this.#rights, seconds })
            this.#showNew(linkTo(this.#name, token))
            await this.#load()
        })
    }

    #showNew(link) {
        const field = element('input', {
            type: 'text', readonly: true, value: link, 'aria-label': 'The new link', 'aria-describedby': 'new-link-note',
            onfocus: () => field.select(),
        })
        const copy = async () => {
            field.select()
            try {
                await navigator.clipboard.writeText(link)
                this.#say('The link is copied.')
            } catch {
                // Pages without TLS have no clipboard.
                this.#say('The link is selected. Copy it with your browser.')
            }
        }
        fill(this.#made, field, element('button', { type: 'button', class: 'quiet', onclick: copy }, 'Copy'),
            element('p', { id: 'new-link-note', class: 'quiet-text' },
                'Copy the link now. It is shown only once, because the server keeps no copy of it.'))
        this.#made.hidden = false
        field.focus()
    }

    // The links that exist.

    async #load() {
        try {
            const links = []
            for await (const link of this.#app.caret.links(this.#name)) links.push(link)
            this.#show(links.reverse())
        } catch (error) {
            fill(this.#list, element('p', { class: 'problem', role: 'alert' }, errorWords(error)))
        }
        this.#list.removeAttribute('aria-busy')
    }

    #show(links) {
        const now = new Date()
        fill(this.#list, links.length > 0 ? element('ul', {}, links.map((link) => this.#row(link, now)))
            : element('p', { class: 'quiet-text' }, 'There are none.'))
    }

    #row(link, now) {
        const ends = `${link.expires > now ? 'Ends' : 'Ended'} ${momentWords(link.expires)}`
        const use = link.lastUse ? `used ${timeAgo(link.lastUse, now)}` : 'not used yet'
        const rights = rightsWords[link.rights]
        const end = element('button', {
            type: 'button', class: 'quiet', 'aria-label': `End the link: ${rights}, ${ends}`,
            onclick: () => this.#end(link.number, row),
        }, 'End')
        const row = element('li', {}, element('span', { class: 'who' }, element('b', {}, rights),
            element('span', { class: 'quiet-text' }, `${ends} \u00b7 ${use}`)), end)
        return row
    }

    async #end(number, row) {
        const question = 'Everybody who uses it is disconnected, and cannot open the document with it any more.'
        if (!await confirm('End this link?', question, 'End')) return
        await this.#attempt(async () => {
            try {
                await this.#app.caret.endLink(this.#name, number)
            } catch (error) {
                // It has ended already.
                if (error.code !== 'not_found') throw error
            }
            const next = row.nextElementSibling ?? row.previousElementSibling
            row.remove()
            if (next) next.querySelector('button').focus()
            else {
                this.#show([])
                this.#create.focus()
            }
            this.#say('The link has ended.')
        })
    }
}
