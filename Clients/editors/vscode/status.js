// The item in the status bar: whether the document of the active editor is saved.
'use strict'

const vscode = require('vscode')

const icons = {
    opening: '$(sync~spin)', saved: '$(check)', sending: '$(sync~spin)', offline: '$(debug-disconnect)', refused: '$(error)',
    closed: '$(error)',
}

class Status {
    constructor(documents) {
        this.documents = documents
        this.item = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left)
    }

    show() {
        const live = this.documents.of(vscode.window.activeTextEditor?.document)
        if (!live) return this.item.hide()
        const { name, state, isKept, message } = live.session
        this.item.text = `${icons[state]} Caret: ${isKept ? state : `${state}, not kept on this machine`}`
        this.item.tooltip = `${name}: ${message}`
        this.item.backgroundColor = colorOf(state, isKept)
        this.item.show()
    }

    dispose() { this.item.dispose() }
}

function colorOf(state, isKept) {
    if (state === 'refused' || state === 'closed') return new vscode.ThemeColor('statusBarItem.errorBackground')
    if (state === 'offline' || !isKept) return new vscode.ThemeColor('statusBarItem.warningBackground')
    return undefined
}

module.exports = { Status }
