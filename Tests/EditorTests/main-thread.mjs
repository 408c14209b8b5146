// The main thread of the stand-in of VS Code: the models of texts, in which the user types.
//
// The extension runs in another process than the user types. So there are two texts of each document: the model here,
// and a copy for the extension. Events go one way and requests the other way, each in order, and every message takes a
// random number of turns of the event loop. An edit of the extension names the version of the text that it has seen, and
// is refused if the model has a newer one.
import assert from 'node:assert/strict'
import { Position } from './vscode-values.mjs'

/** One way of messages: they arrive in order, each some turns later. */
export class Way {
    constructor(random, handle) {
        Object.assign(this, { random, handle, messages: [], isRunning: false })
    }

    send(message) {
        this.messages.push(message)
        if (!this.isRunning) this.#run()
    }

    async #run() {
        this.isRunning = true
        while (this.messages.length > 0) {
            for (let turns = this.random.number(3); turns >= 0; turns--) await new Promise(setImmediate)
            this.handle(this.messages.shift())
        }
        this.isRunning = false
    }
}

/** The text of a document, as the user sees it. */
export class Model {
    constructor(uri, text, endOfLine) {
        Object.assign(this, { uri, endOfLine, version: 1, savedVersion: 1, selections: [[0, 0]] })
        this.text = this.normalized(text)
    }

    get isDirty() { return this.version !== this.savedVersion }

    normalized(text) { return text.replace(/\r\n|\r|\n/g, this.endOfLine) }

    positionAt(offset) {
        const lines = this.text.slice(0, offset).split(this.endOfLine)
        return new Position(lines.length - 1, lines.at(-1).length)
    }

    offsetAt({ line, character }) {
        const lines = this.text.split(this.endOfLine)
        assert.ok(line < lines.length && character <= lines[line].length, `${line}:${character} is not in the text`)
        return lines.slice(0, line).reduce((sum, { length }) => sum + length + this.endOfLine.length, 0) + character
    }

    /** Replaces ranges of offsets. The result is what the event says: the last change of the text first. */
    replace(edits) {
        const sorted = [...edits].sort((a, b) => b.range[0] - a.range[0])
        for (const [index, edit] of sorted.entries()) {
            if (index > 0) assert.ok(edit.range[1] <= sorted[index - 1].range[0], 'Overlapping ranges are not allowed!')
        }
        const changes = sorted.map(({ range, text }) => ({
            start: this.positionAt(range[0]), end: this.positionAt(range[1]), rangeOffset: range[0],
            rangeLength: range[1] - range[0], text: this.normalized(text),
        }))
        for (const { rangeOffset, rangeLength, text } of changes) {
            this.text = this.text.slice(0, rangeOffset) + text + this.text.slice(rangeOffset + rangeLength)
        }
        this.version += 1
        return changes
    }

    setEndOfLine(endOfLine) {
        const [start, end, rangeLength] = [new Position(0, 0), this.positionAt(this.text.length), this.text.length]
        this.endOfLine = endOfLine
        this.text = this.normalized(this.text)
        this.version += 1
        return [{ start, end, rangeOffset: 0, rangeLength, text: this.text }]
    }
}
