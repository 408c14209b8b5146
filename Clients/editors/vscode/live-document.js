// One open document: runs the actions of its session in VS Code and in `caret pipe`, and decides nothing itself.
'use strict'

const vscode = require('vscode')
const { Carets } = require('./carets.js')
const { sentence } = require('./program.js')
const { Session } = require('./session.js')
const { lineStarts, positionAt, withLineFeeds } = require('./text.js')

const plain = ({ line, character }) => ({ line, character })

class LiveDocument {
    constructor(uri, program, { creating = false } = {}) {
        this.uri = uri
        this.session = new Session(uri.path.slice(1))
        /** The document in VS Code, after the first text has arrived. */
        this.document = null
        this.carets = new Carets()
        this.changed = new vscode.EventEmitter()
        this.saves = []
        this.hasTab = false
        this.isClosing = false
        this.isSavingItself = false
        const report = {}
        /** Fulfilled with the first text. Rejected if there is none. */
        this.opened = new Promise((resolve, reject) => Object.assign(report, { resolve, reject }))
        this.opened.catch(() => {})
        this.pipe = program.pipe(this.session.name, { creating }, {
            received: (message) => {
                // VS Code would open the document again to apply edits.
                if (this.isClosing) return
                this.#run(this.session.received(message))
                if (message.type === 'opened') report.resolve()
            },
            ended: (text) => {
                report.reject(new Error(sentence(text)))
                const wasOpen = this.session.phase !== 'opening'
                const actions = this.isClosing ? [] : this.session.ended(sentence(text))
                if (wasOpen) this.#run(actions)
            },
        })
    }

    attach(document) {
        this.document = document
        const old = withLineFeeds(document.getText())
        // VS Code has restored a text with edits that `caret pipe` may never have received.
        if (document.isDirty && this.session.phase === 'arrived' && old !== this.session.text) this.#keepCopy(old)
        this.#run(this.session.attached(old))
        this.selectionChanged()
    }

    async #keepCopy(text) {
        const { languageId } = this.document
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text, language: languageId }))
        vscode.window.showWarningMessage(
            `${this.session.name}: the document has another text now; what this window had is in a new file`)
    }

    /** Ends the input of `caret pipe`. The result is fulfilled when all edits are saved or kept. */
    close() {
        this.isClosing = true
        this.carets.dispose()
        for (const save of this.saves) save.reject(new Error('the document was closed'))
        this.pipe.close()
        return this.pipe.end
    }

    // MARK: From VS Code

    edited({ contentChanges, document }) {
        if (document !== this.document) return
        const changes = contentChanges.map(({ range, text }) => ({ start: plain(range.start), end: plain(range.end), text }))
        this.#run(this.session.edited(changes, document.getText()))
    }

    selectionChanged() {
        const editor = vscode.window.activeTextEditor
        if (editor?.document !== this.document) return
        const selections = editor.selections.map(({ anchor, active }) => [plain(anchor), plain(active)])
        this.#run(this.session.selected(selections))
    }

    undo() { this.#run(this.session.asked('undo')) }

    redo() { this.#run(this.session.asked('redo')) }

    /** Waits until everything is on the server's disk. Fails if the server cannot save it now. */
    save() {
        if (this.#cannotSave) return Promise.reject(new Error(this.session.message))
        return new Promise((resolve, reject) => {
            this.saves.push({ resolve, reject })
            this.#run(this.session.asked('save'))
        })
    }

    get #cannotSave() { return ['offline', 'refused', 'closed'].includes(this.session.state) }

    /**
     * Makes VS Code show the document as saved when it is. VS Code marks a document as changed after every edit, also
     * after those of others. The command saves the active editor and runs no formatter, which would change the text
     * while people type.
     */
    async showSaved() {
        const isActive = vscode.window.activeTextEditor?.document === this.document
        if (this.isSavingItself || !isActive || !this.document?.isDirty || this.session.state !== 'saved') return
        this.isSavingItself = true
        const { version } = this.document
        await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting')
        this.isSavingItself = false
        if (this.document.version !== version) await this.showSaved()
    }

    // MARK: Actions

    #run(actions) {
        for (const action of actions) this.#do(action)
        if (actions.length > 0) this.changed.fire()
    }

    #do(action) {
        switch (action.do) {
        case 'send': return this.pipe.send(action.message)
        case 'apply': return void this.#apply(action.edits)
        case 'peers': return this.carets.show(this.document, action.peers, this.session.text)
        case 'state': return this.#stateChanged()
        // An answer to a save that has failed since does nothing.
        case 'saved': return this.saves.shift()?.resolve()
        case 'warn': return void vscode.window.showWarningMessage(action.message)
        case 'renamed': return void vscode.window.showInformationMessage(`The document is now called ${this.session.name}.`)
        case 'end': return this.pipe.close()
        default: throw new Error(`unknown action ${action.do}`)
        }
    }

    #stateChanged() {
        if (this.#cannotSave) for (const save of this.saves) save.reject(new Error(this.session.message))
        void this.showSaved()
    }

    async #apply(edits) {
        let isDone = false
        try {
            isDone = await applyEdits(this.document, this.session.text, edits)
        } catch {
            // An editor that was closed meanwhile refuses with an error.
        }
        if (this.isClosing) return
        this.#run(this.session.applied(isDone))
        await this.showSaved()
    }
}

/** Applies edits of `text`, the text of the document. VS Code refuses them if the text has changed meanwhile. */
function applyEdits(document, text, edits) {
    const starts = lineStarts(text)
    const place = (offset) => {
        const { line, character } = positionAt(starts, offset)
        return new vscode.Position(line, character)
    }
    const replacements = edits.map(({ range, text: inserted }) => [new vscode.Range(place(range[0]), place(range[1])), inserted])
    const editor = vscode.window.visibleTextEditors.find((shown) => shown.document === document)
    if (editor) {
        return editor.edit((builder) => replacements.forEach(([range, inserted]) => builder.replace(range, inserted)),
            { undoStopBefore: false, undoStopAfter: false })
    }
    const change = new vscode.WorkspaceEdit()
    for (const [range, inserted] of replacements) change.replace(document.uri, range, inserted)
    return vscode.workspace.applyEdit(change)
}

module.exports = { LiveDocument }
