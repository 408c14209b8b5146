// Shows the carets and selections of others in Monaco: decorations, which move with the text, and a widget for each
// name.

/** How near to a caret the pointer must be to show its name, in pixels. */
const reach = 5
/** Where Monaco puts a name: above its caret, or else below. */
const [above, below] = [1, 2]
/** Decorations do not grow if somebody writes at their ends. */
const neverGrows = 1

const rules = `
    .caret-selection { background-color: color-mix(in srgb, var(--caret-color) 25%, transparent); }
    .caret-head {
        position: absolute; height: 100%; width: 2px; margin-left: -1px; background-color: var(--caret-color);
    }
    .caret-name {
        padding: 0 4px; border-radius: 2px; max-width: 20em; font: 11px/16px system-ui, sans-serif; white-space: nowrap;
        overflow: hidden; text-overflow: ellipsis; pointer-events: none; visibility: hidden; animation: caret-name 3s;
    }
    .caret-name.near { visibility: visible; }
    @keyframes caret-name { 0%, 99% { visibility: visible; } }
`

export class MonacoPeople {
    #editor
    #model
    #decorations
    /** For each session, the widget of its name. */
    #names = new Map()
    /** A constructed sheet also works where the policy of the page forbids styles of scripts. */
    #sheet
    #root
    #colors = ''
    #listener

    constructor(editor, model) {
        this.#editor = editor
        this.#model = model
        this.#decorations = editor.createDecorationsCollection()
        const node = editor.getContainerDomNode()
        this.#root = node.getRootNode()
        this.#sheet = new node.ownerDocument.defaultView.CSSStyleSheet()
        this.#root.adoptedStyleSheets = [...this.#root.adoptedStyleSheets, this.#sheet]
        this.#listener = editor.onMouseMove(({ event }) => this.#showNameNear(event.browserEvent))
    }

    show(people) {
        this.#showColors(people)
        const named = people.filter(({ name }) => name !== '')
        const sessions = new Set(named.map(({ session }) => session))
        for (const session of this.#names.keys()) if (!sessions.has(session)) this.#removeName(session)
        for (const person of named) this.#showName(person)
        this.#decorations.set(people.flatMap((person) => this.#decorationsOf(person)))
    }

    remove() {
        this.#listener.dispose()
        this.#decorations.clear()
        for (const session of this.#names.keys()) this.#removeName(session)
        this.#root.adoptedStyleSheets = this.#root.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet)
    }

    rangeOf(start, end) {
        const [from, to] = [this.#model.getPositionAt(start), this.#model.getPositionAt(end)]
        return {
            startLineNumber: from.lineNumber, startColumn: from.column,
            endLineNumber: to.lineNumber, endColumn: to.column,
        }
    }

    /** Decorations have classes but no styles, so each color has a class. */
    #showColors(people) {
        const colors = `${[...new Set(people.map(({ color }) => color))].sort()}`
        if (colors === this.#colors) return
        this.#colors = colors
        const classes = people.map(({ color }) => `.${classOf(color)} { --caret-color: ${color}; }`)
        this.#sheet.replaceSync(rules + classes.join(''))
    }

    #decorationsOf({ color, selections }) {
        const one = (start, end, classes) => (
            { range: this.rangeOf(start, end), options: { stickiness: neverGrows, ...classes } }
        )
        return selections.flatMap(([anchor, head]) => {
            const caret = one(head, head, { beforeContentClassName: `caret-head ${classOf(color)}` })
            if (anchor === head) return [caret]
            const className = `caret-selection ${classOf(color)}`
            return [one(Math.min(anchor, head), Math.max(anchor, head), { className }), caret]
        })
    }

    #showName(person) {
        const { session, selections: [[, head]] } = person
        const { widget, node, tracker } = this.#names.get(session) ?? this.#addName(session)
        const range = this.rangeOf(head, head)
        const before = tracker.getRange(0)
        const hasMoved = before?.startLineNumber !== range.startLineNumber
            || before.startColumn !== range.startColumn
        tracker.set([{ range, options: { stickiness: neverGrows } }])
        // A new element shows the name for a while again.
        if (hasMoved) node.replaceChildren(makeName(person))
        this.#editor.layoutContentWidget(widget)
    }

    /** A widget that moves with the text, because a decoration has its position. */
    #addName(session) {
        const node = document.createElement('div')
        const tracker = this.#editor.createDecorationsCollection()
        const widget = {
            getId: () => `caret-name-${session}`,
            getDomNode: () => node,
            // Monaco asks at once, when the place is not known yet.
            getPosition: () => (
                { position: tracker.getRange(0)?.getStartPosition() ?? null, preference: [above, below] }
            ),
        }
        const name = { widget, node, tracker }
        this.#names.set(session, name)
        this.#editor.addContentWidget(widget)
        return name
    }

    #removeName(session) {
        const { widget, tracker } = this.#names.get(session)
        this.#editor.removeContentWidget(widget)
        tracker.clear()
        this.#names.delete(session)
    }

    #showNameNear({ clientX, clientY }) {
        const { left: x, top: y } = this.#editor.getDomNode().getBoundingClientRect()
        for (const { node, tracker } of this.#names.values()) {
            const place = this.#editor.getScrolledVisiblePosition(tracker.getRange(0).getStartPosition())
            const isNear = place !== null && Math.abs(clientX - x - place.left) < reach
                && clientY > y + place.top && clientY < y + place.top + place.height
            node.firstChild.classList.toggle('near', isNear)
        }
    }
}

function makeName({ name, color, textColor }) {
    const label = document.createElement('div')
    label.className = 'caret-name'
    label.textContent = name
    label.style.setProperty('background-color', color)
    label.style.setProperty('color', textColor)
    return label
}

function classOf(color) { return `caret-color-${color.slice(1)}` }
