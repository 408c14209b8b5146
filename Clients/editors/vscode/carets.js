// The carets and selections of others in one document.
'use strict'

const vscode = require('vscode')
const { lineStarts, positionAt } = require('./text.js')

/** The colors of people who have not chosen one. */
const colors = ['#b4542c', '#2c7a5a', '#3f62b0', '#8a4b9c', '#8a6d1b', '#2b7d8c']

class Carets {
    constructor() {
        /** The decorations by color. */
        this.types = new Map()
        this.shown = null
    }

    /** Shows peers whose positions are offsets in `text`. */
    show(document, peers, text) {
        this.shown = { document, decorations: decorationsOf(peers, text) }
        for (const [color, types] of this.types) {
            if (!this.shown.decorations.has(color)) {
                this.types.delete(color)
                for (const type of Object.values(types)) type.dispose()
            }
        }
        this.showAgain()
    }

    /** Shows the same in editors that were opened since. */
    showAgain() {
        if (!this.shown) return
        const { document, decorations } = this.shown
        const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document)
        for (const [color, { selections, names }] of decorations) {
            if (!this.types.has(color)) this.types.set(color, makeTypes(color))
            const types = this.types.get(color)
            for (const editor of editors) {
                editor.setDecorations(types.selection, selections)
                editor.setDecorations(types.name, names)
            }
        }
    }

    dispose() {
        for (const types of this.types.values()) for (const type of Object.values(types)) type.dispose()
        this.types.clear()
    }
}

/** The selections and names to show, by color. */
function decorationsOf(peers, text) {
    const starts = lineStarts(text)
    const place = (offset) => {
        const { line, character } = positionAt(starts, offset)
        return new vscode.Position(line, character)
    }
    const decorations = new Map()
    for (const [index, peer] of peers.entries()) {
        const color = colorOf(peer, index)
        if (!decorations.has(color)) decorations.set(color, { selections: [], names: [] })
        const { selections, names } = decorations.get(color)
        for (const [anchor, head] of peer.selections) {
            // A caret is shown at the character after it. At the end of a line, only the name shows it.
            const after = text[head] === undefined || text[head] === '\n' ? head : head + 1
            const [start, end] = anchor === head ? [head, after] : [Math.min(anchor, head), Math.max(anchor, head)]
            selections.push(new vscode.Range(place(start), place(end)))
            const lineEnd = text.indexOf('\n', head) < 0 ? text.length : text.indexOf('\n', head)
            const contentText = ` ${nameOf(peer)} `
            names.push({ range: new vscode.Range(place(lineEnd), place(lineEnd)), renderOptions: { after: { contentText } } })
        }
    }
    return decorations
}

/** Other people can send anything as a color, and VS Code makes CSS of it. */
function colorOf(peer, index) {
    return /^#([0-9a-f]{3}){1,2}$/i.test(peer.color ?? '') ? peer.color.toLowerCase() : colors[index % colors.length]
}

function nameOf(peer) {
    return [...peer.name.replace(/\p{C}/gu, '')].slice(0, 20).join('')
}

function makeTypes(color) {
    const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed
    return {
        selection: vscode.window.createTextEditorDecorationType({
            backgroundColor: color, color: '#ffffff', overviewRulerColor: color, rangeBehavior,
        }),
        name: vscode.window.createTextEditorDecorationType({
            after: { margin: '0 0 0 1em', backgroundColor: color, color: '#ffffff' }, rangeBehavior,
        }),
    }
}

module.exports = { Carets }
