// A stand-in of VS Code with one window, in which an extension runs. `main-thread.mjs` says how edits travel.
import { Model, Way } from './main-thread.mjs'
import * as values from './vscode-values.mjs'
import { HostDocument, HostEditor } from './vscode-documents.mjs'

const { EventEmitter, Selection } = values

export class StandIn {
    /**
     * `options`: `settings`, `endOfLine` of a text without line ends, `refusals`, the percentage of refused edits, and
     * `keepsDocuments`, whether documents stay after their tabs are closed.
     */
    constructor(random, options = {}) {
        this.random = random
        this.options = { settings: {}, endOfLine: '\n', refusals: 0, keepsDocuments: false, ...options }
        this.toHost = new Way(random, (handle) => this.#deliver(handle))
        this.toMain = new Way(random, (handle) => this.#deliver(handle))
        this.models = new Map()
        this.tabs = new Map()
        this.active = null
        this.activeEditor = undefined
        this.documents = new Map()
        this.editors = new Map()
        this.commands = new Map()
        this.answers = []
        this.messages = []
        this.copies = []
        this.decorations = []
        /** How many edits of the extension came after the text had changed. */
        this.overtaken = 0
        this.requestsForClosed = 0
        this.activity = new EventEmitter()
        this.events = Object.fromEntries(
            ['open', 'close', 'change', 'selection', 'active', 'visible', 'tabs'].map((name) => [name, new EventEmitter()]))
        this.api = makeAPI(this)
    }

    #deliver(handle) {
        handle()
        this.activity.fire()
    }

    // MARK: What a person does

    model(name) { return this.models.get(values.Uri.from({ scheme: 'caret', path: `/${name}` }).toString()) }

    /** Replaces a range of offsets in the text of a document, as a person who types. */
    type(model, edits) {
        const changes = model.replace(edits)
        this.#changed(model, changes)
        const { rangeOffset, text } = changes.at(-1)
        this.select(model, [[rangeOffset + text.length, rangeOffset + text.length]])
    }

    select(model, selections) {
        const pairs = selections.map((pair) => pair.map((offset) => model.positionAt(offset)))
        this.toHost.send(() => {
            const editor = this.editors.get(model.uri.toString())
            if (!editor) return
            editor.selections = pairs.map(([anchor, active]) => new Selection(anchor, active))
            this.events.selection.fire({ textEditor: editor, selections: editor.selections })
        })
    }

    setEndOfLine(model, endOfLine) { this.#changed(model, model.setEndOfLine(endOfLine)) }

    /** Runs a command of the extension, as its key does. */
    run(command) { this.toHost.send(() => this.commands.get(command)()) }

    /** Saves a document. Fulfilled with true if the provider has accepted it. */
    save(model) {
        const { version } = model
        return new Promise((done) => {
            this.toHost.send(async () => {
                const error = await this.#write(model)
                this.toMain.send(() => {
                    if (error) this.messages.push(`Failed to save: ${error.message}`)
                    else model.savedVersion = Math.max(version, model.savedVersion)
                    this.#dirtyChanged(model)
                    done(!error)
                })
            })
        })
    }

    async #write(model) {
        try {
            const { mtime } = this.provider.stat(model.uri)
            // VS Code would ask the user which text is right.
            if (mtime > model.mtime) throw new Error('The content of the file is newer')
            await this.provider.writeFile(model.uri, Buffer.from(model.text), {})
            return undefined
        } catch (error) {
            return error
        }
    }

    /** Closes the tab of a document. True if VS Code asks first whether to save. */
    close(model) {
        const [key, asks] = [model.uri.toString(), model.isDirty]
        if (!this.options.keepsDocuments) this.models.delete(key)
        if (this.active === key) this.active = null
        this.toHost.send(() => {
            const document = this.documents.get(key)
            this.editors.delete(key)
            this.activeEditor = undefined
            if (!this.options.keepsDocuments) {
                document.isClosed = true
                this.documents.delete(key)
                this.events.close.fire(document)
            }
            this.tabs.delete(key)
            this.events.tabs.fire({})
            this.events.active.fire(undefined)
        })
        return asks
    }

    /** Shows another tab than those of the documents, so that none is visible. */
    showOther() {
        this.active = null
        this.toHost.send(() => {
            this.editors.clear()
            this.activeEditor = undefined
            this.events.visible.fire([])
            this.events.active.fire(undefined)
        })
    }

    show(model) {
        const key = model.uri.toString()
        this.active = key
        this.toHost.send(() => {
            this.tabs.set(key, { input: { uri: model.uri } })
            this.events.tabs.fire({})
            if (!this.editors.has(key)) this.editors.set(key, new HostEditor(this, this.documents.get(key)))
            this.activeEditor = this.editors.get(key)
            this.events.visible.fire([...this.editors.values()])
            this.events.active.fire(this.activeEditor)
        })
    }

    /** Another language for a document. VS Code reports that as its end and its begin. */
    changeLanguage(model) {
        this.toHost.send(() => {
            const document = this.documents.get(model.uri.toString())
            this.events.close.fire(document)
            this.events.open.fire(document)
        })
    }

    /** Restores a document, as VS Code does after a restart. */
    restore(name, text, { isDirty }) {
        const model = new Model(values.Uri.from({ scheme: 'caret', path: `/${name}` }), text, '\n')
        if (isDirty) model.version += 1
        this.#add(model)
        this.show(model)
        return model
    }

    // MARK: Requests of the extension

    async openDocument(uri) {
        const key = uri.toString()
        if (!this.documents.has(key)) {
            await this.request(() => {})
            const { mtime } = this.provider.stat(uri)
            const text = Buffer.from(await this.provider.readFile(uri)).toString()
            const endOfLine = text.includes('\n') ? '\n' : this.options.endOfLine
            await this.request(() => this.#add(Object.assign(new Model(uri, text, endOfLine), { mtime })))
        }
        return this.documents.get(key)
    }

    /** Runs a request in the main thread. Its result comes back after all events before it. */
    request(body) {
        return new Promise((resolve) => this.toMain.send(() => {
            const result = body()
            this.toHost.send(() => resolve(result))
        }))
    }

    /** Applies edits if the model has this version. */
    applyEdits(key, version, edits) {
        return this.request(() => {
            const model = this.models.get(key)
            const isRefused = this.random.number(100) < this.options.refusals
            if (model?.version !== version) this.overtaken += 1
            if (isRefused || model?.version !== version) return false
            const offsets = ({ range, text }) => ({ range: [model.offsetAt(range.start), model.offsetAt(range.end)], text })
            this.#changed(model, model.replace(edits.map(offsets)))
            return true
        })
    }

    saveActive() {
        const model = this.models.get(this.active)
        return model && this.save(model)
    }

    // MARK: Events for the extension

    #add(model) {
        const { text, version, endOfLine, isDirty } = model
        this.models.set(model.uri.toString(), model)
        this.toHost.send(() => {
            const document = new HostDocument(model.uri, { text, version, endOfLine, isDirty })
            this.documents.set(model.uri.toString(), document)
            this.events.open.fire(document)
        })
    }

    #changed(model, changes) {
        const { text, version, endOfLine, isDirty } = model
        const contentChanges = changes.map(({ start, end, ...change }) => ({ ...change, range: new values.Range(start, end) }))
        this.toHost.send(() => {
            const document = this.documents.get(model.uri.toString())
            if (!document) return
            document.update({ text, version, endOfLine, isDirty })
            this.events.change.fire({ document, contentChanges })
        })
    }

    #dirtyChanged(model) {
        const { isDirty } = model
        this.toHost.send(() => {
            const document = this.documents.get(model.uri.toString())
            if (document) document.isDirty = isDirty
        })
    }
}

/** The module `vscode` of this window. */
function makeAPI(world) {
    const say = (message) => {
        world.messages.push(message)
        world.activity.fire()
    }
    const answer = async () => world.answers.shift()
    return {
        ...values,
        workspace: {
            get textDocuments() { return [...world.documents.values()] },
            getConfiguration: () => ({ get: (name) => world.options.settings[name] }),
            registerFileSystemProvider: (scheme, provider) => {
                world.provider = provider
                return new values.Disposable(() => {})
            },
            openTextDocument: (what) => {
                if (!what.content) return world.openDocument(what)
                world.copies.push(what.content)
                return Promise.resolve({ isCopy: true })
            },
            applyEdit: ({ edits }) => {
                const key = edits[0].uri.toString()
                // VS Code would open the document again.
                if (!world.documents.has(key)) world.requestsForClosed += 1
                return world.applyEdits(key, world.documents.get(key)?.version, edits)
            },
            onDidOpenTextDocument: world.events.open.event,
            onDidCloseTextDocument: world.events.close.event,
            onDidChangeTextDocument: world.events.change.event,
        },
        window: {
            get visibleTextEditors() { return [...world.editors.values()] },
            get activeTextEditor() { return world.activeEditor },
            async showTextDocument(document) {
                if (!document.isCopy) await world.request(() => world.show(world.models.get(document.uri.toString())))
            },
            createTextEditorDecorationType: (options) => {
                const type = { options, shown: new Map() }
                world.decorations.push(type)
                type.dispose = () => { world.decorations = world.decorations.filter((other) => other !== type) }
                return type
            },
            createStatusBarItem: () => {
                const item = { text: '', hide: () => { item.text = '' }, show: () => world.activity.fire(), dispose() {} }
                world.status = item
                return item
            },
            showErrorMessage: say, showWarningMessage: say, showInformationMessage: say,
            showInputBox: answer,
            showQuickPick: async (items) => {
                world.picks = await items
                return world.answers.shift()
            },
            tabGroups: { get all() { return [{ tabs: [...world.tabs.values()] }] }, onDidChangeTabs: world.events.tabs.event },
            onDidChangeTextEditorSelection: world.events.selection.event,
            onDidChangeVisibleTextEditors: world.events.visible.event,
            onDidChangeActiveTextEditor: world.events.active.event,
        },
        commands: {
            registerCommand: (name, body) => {
                world.commands.set(name, body)
                return new values.Disposable(() => world.commands.delete(name))
            },
            executeCommand: async (name) => {
                if (name !== 'workbench.action.files.saveWithoutFormatting') throw new Error(`there is no command ${name}`)
                await world.request(() => world.saveActive())
            },
        },
    }
}
