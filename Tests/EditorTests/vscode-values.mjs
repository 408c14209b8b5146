// The values of the API of VS Code that the extension uses, for the stand-in.

export class Position {
    constructor(line, character) { Object.assign(this, { line, character }) }

    compareTo(other) { return this.line - other.line || this.character - other.character }
}

export class Range {
    constructor(start, end) {
        [this.start, this.end] = start.compareTo(end) <= 0 ? [start, end] : [end, start]
    }
}

export class Selection extends Range {
    constructor(anchor, active) {
        super(anchor, active)
        Object.assign(this, { anchor, active })
    }
}

export class Uri {
    static from({ scheme, path }) { return Object.assign(new Uri(), { scheme, path }) }

    toString() { return `${this.scheme}:${encodeURIComponent(this.path).replaceAll('%2F', '/')}` }
}

export class Disposable {
    constructor(dispose) { this.dispose = dispose }
}

export class EventEmitter {
    #listeners = new Set()

    event = (listener) => {
        this.#listeners.add(listener)
        return new Disposable(() => this.#listeners.delete(listener))
    }

    fire(value) { for (const listener of [...this.#listeners]) listener(value) }
}

export class WorkspaceEdit {
    edits = []

    replace(uri, range, text) { this.edits.push({ uri, range, text }) }
}

export class FileSystemError extends Error {
    static Unavailable(message) { return new FileSystemError(message) }

    static NoPermissions(message) { return new FileSystemError(message) }
}

export class ThemeColor {
    constructor(id) { this.id = id }
}

export const FileType = { File: 1 }
export const StatusBarAlignment = { Left: 1 }
export const DecorationRangeBehavior = { ClosedClosed: 1 }
