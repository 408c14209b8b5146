// Long lists that the server answers in pages. Most pages need none of them, so they are loaded when they are wanted.

/** The revisions of a document, oldest first. Without `after`, from the first one that is kept. */
export async function *history(request, name, { after, edits = false } = {}) {
    const message = { type: 'history', doc: name, after, edits: edits || undefined }
    for await (const { rev, time, ...rest } of itemsOf(request, message, 'revisions', 'rev')) {
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

/** The items of all pages. `number` is the member of an item after which the next page begins. */
async function *itemsOf(request, message, list, number) {
    for (let [after, more] = [message.after, true]; more;) {
        const page = await request({ ...message, after, limit: 1000 })
        yield* page[list]
        after = page[list].at(-1)?.[number]
        more = page.more === true && after !== undefined
    }
}
