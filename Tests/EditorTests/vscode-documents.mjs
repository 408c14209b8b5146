// The documents and editors that an extension sees in the stand-in of VS Code.
import { Position, Selection } from './vscode-values.mjs'

export class HostDocument {
    isClosed = false
    languageId = 'plaintext'

    constructor(uri, state) {
        this.uri = uri
        this.update(state)
    }

    update(state) { Object.assign(this, state) }

    getText() { return this.text }
}

export class HostEditor {
    constructor(world, document) {
        const start = new Position(0, 0)
        Object.assign(this, { world, document, selections: [new Selection(start, start)] })
    }

    edit(callback) {
        const edits = []
        callback({ replace: (range, text) => edits.push({ range, text }) })
        const sorted = [...edits].sort((a, b) => a.range.start.compareTo(b.range.start))
        for (const [index, { range }] of sorted.entries()) {
            if (index > 0 && range.start.compareTo(sorted[index - 1].range.end) < 0) {
                return Promise.reject(new Error('Overlapping ranges are not allowed!'))
            }
        }
        if (!this.world.editors.has(this.document.uri.toString())) {
            return Promise.reject(new Error('TextEditor#edit not possible on closed editors'))
        }
        return this.world.applyEdits(this.document.uri.toString(), this.document.version, edits)
    }

    setDecorations(type, ranges) {
        type.shown.set(this.document.uri.toString(), ranges)
        this.world.activity.fire()
    }
}

/** The text between two positions of a document. */
export function textIn(document, { start, end }) {
    const lines = document.getText().split(document.endOfLine)
    const offset = ({ line, character }) => lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0) + character
    return lines.join('\n').slice(offset(start), offset(end))
}
