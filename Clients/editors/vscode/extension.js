// Live documents of a Caret server in VS Code. docs/editors.md describes how it is used.
'use strict'

const vscode = require('vscode')
const { Documents, scheme, uriOf } = require('./documents.js')
const { Program } = require('./program.js')
const { Status } = require('./status.js')

let documents

function activate(context) {
    const makeProgram = async () => {
        const settings = vscode.workspace.getConfiguration('caret')
        return new Program({
            command: settings.get('command') || 'caret', server: settings.get('server'), token: await context.secrets.get('token'),
        })
    }
    documents = new Documents(makeProgram)
    const status = new Status(documents)
    context.subscriptions.push(
        status, vscode.workspace.registerFileSystemProvider(scheme, documents, { isCaseSensitive: true }),
        ...registerCommands(context, makeProgram), ...registerEvents(status))
    for (const document of vscode.workspace.textDocuments) attach(document)
}

/** Waits until all edits are saved or kept on this machine. */
async function deactivate() { await documents?.close() }

function registerCommands(context, makeProgram) {
    const active = () => documents.of(vscode.window.activeTextEditor?.document)
    const commands = {
        'caret.open': () => openNamed('The name of the document', {}),
        'caret.new': () => openNamed('The name of the new document', { creating: true }),
        'caret.list': () => pick(makeProgram),
        'caret.setToken': () => setToken(context.secrets),
        'caret.undo': () => active()?.undo(),
        'caret.redo': () => active()?.redo(),
    }
    return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run))
}

function registerEvents(status) {
    return [
        vscode.workspace.onDidOpenTextDocument(attach),
        vscode.workspace.onDidCloseTextDocument((document) => documents.detach(document)),
        vscode.workspace.onDidChangeTextDocument((event) => {
            if (event.contentChanges.length > 0) documents.of(event.document)?.edited(event)
        }),
        vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => documents.of(textEditor.document)?.selectionChanged()),
        vscode.window.onDidChangeVisibleTextEditors((editors) => {
            for (const { document } of editors) {
                documents.of(document)?.carets.showAgain()
                void attach(document)
            }
        }),
        vscode.window.tabGroups.onDidChangeTabs(() => documents.tabsChanged(shownURIs())),
        vscode.window.onDidChangeActiveTextEditor((editor) => {
            status.show()
            const live = documents.of(editor?.document)
            live?.selectionChanged()
            void live?.showSaved()
        }),
        documents.changed.event(() => status.show()),
    ]
}

/** The documents of all tabs. A tab that compares two has both. */
function shownURIs() {
    const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input ?? {}))
    const uris = inputs.flatMap(({ uri, original, modified }) => [uri, original, modified])
    return new Set(uris.filter((uri) => uri?.scheme === scheme).map(String))
}

async function attach(document) {
    try {
        await documents.attach(document)
    } catch (error) {
        vscode.window.showErrorMessage(`Caret: ${error.message}`)
    }
}

async function openNamed(prompt, options) {
    const name = await vscode.window.showInputBox({ prompt, placeHolder: 'notes/today' })
    if (name) await open(name, options)
}

async function open(name, options) {
    try {
        const uri = uriOf(name)
        // VS Code would say only that it cannot read the file. This says why.
        await documents.open(uri, options)
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false })
    } catch (error) {
        vscode.window.showErrorMessage(`Caret: ${error.message}`)
    }
}

async function pick(makeProgram) {
    try {
        const names = (await makeProgram()).list('')
        const picked = await vscode.window.showQuickPick(names, { placeHolder: 'The documents of the server' })
        if (picked) await open(picked, {})
    } catch (error) {
        vscode.window.showErrorMessage(`Caret: ${error.message}`)
    }
}

async function setToken(secrets) {
    const token = await vscode.window.showInputBox({
        prompt: 'The token of this user; empty removes it. Documents that are open keep theirs.', password: true,
    })
    if (token) await secrets.store('token', token)
    else if (token === '') await secrets.delete('token')
}

module.exports = { activate, deactivate }
