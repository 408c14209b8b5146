// Requests that most pages do not need, such as long lists that the server answers in pages. They are loaded when they are
// wanted.

import { Notes } from './notes.js'

export function notes(request, name) { return new Notes(request, name) }

/** The revisions of a document that have a name, oldest first. */
export async function tags(request, name) {
    const { tags } = await request({ type: 'list_tags', doc: name })
    return tags.map(({ name, rev, time, ...rest }) => ({ name, revision: rev, time: new Date(time), ...rest }))
}

/** Makes a link to a document. */
export async function addLink(request, name, { rights, seconds }) {
    const { number, token } = await request({ type: 'add_link', doc: name, rights, seconds })
    return { number, token }
}

/** The revisions of a document, oldest first: at most `limit`. Without `after`, from the first one that is kept. */
export async function *history(request, name, { after, edits = false, limit } = {}) {
    const message = { type: 'history', doc: name, after, edits: edits || undefined }
    for await (const { rev, time, ...rest } of itemsOf(request, message, 'revisions', 'rev', limit)) {
        yield { revision: rev, time: new Date(time), ...rest }
    }
}

/** The deleted documents that can still be brought back, and that the user may write. */
export async function *deleted(request, { prefix } = {}) {
    const items = itemsOf(request, { type: 'list_deleted', prefix }, 'docs', 'number')
    for await (const { doc, rev, updated, deleted, ...rest } of items) {
        yield { name: doc, revision: rev, updated: new Date(updated), deleted: new Date(deleted), ...rest }
    }
}

/** The links to a document. A damaged one gives no access, so it is left out. */
export async function *links(request, name) {
    const items = itemsOf(request, { type: 'list_links', doc: name }, 'tokens', 'number')
    for await (const { number, user, grants, created, expires, last_use: lastUse, damaged } of items) {
        if (damaged) continue
        yield {
            number, user, rights: grants[0].rights, created: new Date(created), expires: new Date(expires),
            lastUse: lastUse === undefined ? undefined : new Date(lastUse),
        }
    }
}

/** The items of all pages, at most `limit`. `number` is the member of an item after which the next page begins. */
async function *itemsOf(request, message, list, number, limit = Infinity) {
    for (let [after, rest] = [message.after, limit]; rest > 0;) {
        const page = await request({ ...message, after, limit: Math.min(rest, 1000) })
        const items = page[list]
        yield* items
        after = items.at(-1)?.[number]
        rest = page.more && items.length > 0 ? rest - items.length : 0
    }
}
