// All open documents, as a file system of VS Code: the document notes/today is the file caret:/notes/today.
//
// A file of a file system can be saved, and VS Code restores its tab after a restart.
// docs/decisions/0056-vs-code-over-caret-pipe.md compares this with other ways.
'use strict'

const vscode = require('vscode')
const { LiveDocument } = require('./live-document.js')

const scheme = 'caret'
/** How long a text that was read may have no document in VS Code. */
const unattachedMilliseconds = 10_000

const uriOf = (name) => vscode.Uri.from({ scheme, path: `/${name}` })

class Documents {
    /** `makeProgram` returns a promise of a `Program`, with the settings of that moment. */
    constructor(makeProgram) {
        this.makeProgram = makeProgram
        this.all = new Map()
        this.ending = new Set()
        this.changed = new vscode.EventEmitter()
        // VS Code would read a document again after an event. It is live instead.
        this.onDidChangeFile = new vscode.EventEmitter().event
    }

    /** The live document of a VS Code document; undefined if it is another kind of document. */
    of(document) { return document && this.all.get(document.uri.toString())?.live }

    /** The live document after its first text has arrived. */
    async open(uri, options) {
        const key = uri.toString()
        if (!this.all.has(key)) this.all.set(key, { promise: this.#start(uri, options) })
        return await this.all.get(key).promise
    }

    async #start(uri, options) {
        const key = uri.toString()
        try {
            const live = new LiveDocument(uri, await this.makeProgram(), options)
            await live.opened
            this.all.get(key).live = live
            live.changed.event(() => this.changed.fire(live))
            setTimeout(() => { if (!live.document) this.#close(live) }, unattachedMilliseconds).unref()
            return live
        } catch (error) {
            this.all.delete(key)
            throw error
        }
    }

    /** VS Code shows a document. It can be one that was open before this extension was, or before its tab was closed. */
    async attach(document) {
        if (document.uri.scheme !== scheme || document.isClosed) return
        // Without a wait if possible, because the user may type at once.
        const live = this.of(document) ?? await this.open(document.uri)
        if (!live.document && !document.isClosed) live.attach(document)
    }

    detach(document) {
        // VS Code also closes and opens a document if only its language changes.
        if (vscode.workspace.textDocuments.includes(document)) return
        const live = this.of(document)
        if (live) this.#close(live)
    }

    /**
     * Ends what no tab shows any more. `shown` are the URIs of all tabs, as strings. VS Code reports the end of a document
     * up to some minutes after that of its tab, and until then others would see the user's caret.
     */
    tabsChanged(shown) {
        for (const [key, { live }] of [...this.all]) {
            if (!live) continue
            if (shown.has(key)) live.hasTab = true
            else if (live.hasTab) this.#close(live)
        }
    }

    #close(live) {
        this.all.delete(live.uri.toString())
        const end = live.close().finally(() => this.ending.delete(end))
        this.ending.add(end)
        this.changed.fire(live)
    }

    /** Closes all documents. Waits until their edits are saved or kept. */
    async close() {
        for (const { live } of [...this.all.values()]) if (live) this.#close(live)
        await Promise.all(this.ending)
    }

    // MARK: The file system

    watch() { return new vscode.Disposable(() => {}) }

    /** The time never changes, because VS Code would take a later one for a conflict. */
    stat(uri) {
        const text = this.all.get(uri.toString())?.live?.session.text ?? ''
        return { type: vscode.FileType.File, ctime: 0, mtime: 1, size: Buffer.byteLength(text) }
    }

    async readFile(uri) {
        try {
            const { session } = await this.open(uri)
            return Buffer.from(session.text)
        } catch (error) {
            throw vscode.FileSystemError.Unavailable(error.message)
        }
    }

    /** All edits are at `caret pipe` already, so this only waits until they are saved. */
    async writeFile(uri) {
        const live = this.all.get(uri.toString())?.live
        if (!live) throw vscode.FileSystemError.NoPermissions('"Caret: New Document" creates a document')
        try {
            await live.save()
        } catch (error) {
            throw vscode.FileSystemError.Unavailable(`not saved yet; ${error.message}`)
        }
    }

    readDirectory() { return [] }

    createDirectory() { throw vscode.FileSystemError.NoPermissions('a Caret server has no folders') }

    delete() { throw vscode.FileSystemError.NoPermissions('`caret rm` deletes a document') }

    rename() { throw vscode.FileSystemError.NoPermissions('`caret mv` renames a document') }
}

module.exports = { Documents, scheme, uriOf }
