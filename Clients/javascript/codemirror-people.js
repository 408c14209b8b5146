// Shows the carets and selections of others in CodeMirror 6: the state has the people, and two layers draw them.
import { EditorSelection, StateEffect, StateField } from '@codemirror/state'
import { EditorView, layer, RectangleMarker } from '@codemirror/view'

/** How near to a caret the pointer must be to show its name, in pixels. */
const reach = 5
/** The height of a name. */
const nameHeight = 16

const setPeople = StateEffect.define()

/** The people of `Surface.paint`. `movedAt` says when each of them has last moved their caret. */
const peopleField = StateField.define({
    create: () => [],
    update(people, { docChanged, changes, effects }) {
        const effect = effects.find((one) => one.is(setPeople))
        if (effect) return effect.value
        return docChanged ? people.map((person) => mapped(person, changes)) : people
    },
})

function mapped(person, changes) {
    return { ...person, selections: person.selections.map((ends) => ends.map((end) => changes.mapPos(end))) }
}

/** The effect that shows these people. */
export function changePeople(state, people) {
    const shown = new Map(state.field(peopleField).map((person) => [person.session, person]))
    const headOf = (person) => person?.selections[0][1]
    return setPeople.of(people.map((person) => {
        const before = shown.get(person.session)
        return { ...person, movedAt: headOf(before) === headOf(person) ? before.movedAt : performance.now() }
    }))
}

/** A part of a selection, or a caret with a name. */
class PersonMarker extends RectangleMarker {
    #person
    #name

    constructor(className, { left, top, width, height }, person, name = '') {
        super(className, left, top, width, height)
        this.#person = person
        this.#name = name
    }

    draw() {
        const element = super.draw()
        const { color, textColor, movedAt } = this.#person
        element.style.setProperty('background-color', color)
        if (this.#name === '') return element
        const label = element.appendChild(document.createElement('span'))
        label.className = 'cm-personName'
        label.textContent = this.#name
        label.style.setProperty('background-color', color)
        label.style.setProperty('color', textColor)
        // The name of a caret that is only drawn again does not appear again.
        label.style.setProperty('animation-delay', `${movedAt - performance.now()}ms`)
        return element
    }

    update(element, before) {
        if (!this.#looksLike(before)) return false
        element.className = this.className
        return super.update(element, this)
    }

    eq(other) { return this.#looksLike(other) && super.eq(other) }

    #looksLike(other) {
        const [{ session, color, movedAt }, before] = [this.#person, other.#person]
        return session === before.session && color === before.color && movedAt === before.movedAt
            && this.#name === other.#name
    }
}

function caretMarkers(view, person) {
    return person.selections.flatMap(([, head], index) => {
        const [place] = RectangleMarker.forRange(view, '', EditorSelection.cursor(head))
        if (!place) return []
        const { scrollTop, scrollLeft, clientWidth } = view.scrollDOM
        const isLow = place.top - scrollTop < nameHeight
        const isRight = place.left - scrollLeft > clientWidth / 2
        const className = `cm-personCaret${isLow ? ' cm-personLow' : ''}${isRight ? ' cm-personRight' : ''}`
        return [new PersonMarker(className, place, person, index === 0 ? person.name : '')]
    })
}

function selectionMarkers(view, person) {
    return person.selections.filter(([anchor, head]) => anchor !== head).flatMap(([anchor, head]) =>
        RectangleMarker.forRange(view, '', EditorSelection.range(anchor, head))
            .map((place) => new PersonMarker('cm-personSelection', place, person)))
}

function layerOf(markersOf, above) {
    return layer({
        above, class: 'cm-people',
        markers: (view) => view.state.field(peopleField).flatMap((person) => markersOf(view, person)),
        update: ({ startState, state }) => startState.field(peopleField) !== state.field(peopleField),
    })
}

/** Shows the name of the caret near the pointer. */
function showNameNear({ clientX, clientY }, view) {
    for (const caret of view.scrollDOM.querySelectorAll('.cm-personCaret')) {
        const { left, right, top, bottom } = caret.getBoundingClientRect()
        const isNear = clientX > left - reach && clientX < right + reach && clientY > top && clientY < bottom
        caret.classList.toggle('cm-personNear', isNear)
    }
}

const theme = EditorView.baseTheme({
    '.cm-people': { pointerEvents: 'none' },
    '.cm-personSelection': { opacity: 0.25 },
    '.cm-personCaret': { width: '2px', marginLeft: '-1px' },
    '.cm-personName': {
        position: 'absolute', left: 0, bottom: '100%', padding: '0 4px', borderRadius: '2px', maxWidth: '20em',
        font: '11px/16px system-ui, sans-serif', whiteSpace: 'nowrap', overflow: 'hidden', textOverflow: 'ellipsis',
        visibility: 'hidden', animation: 'cm-personName 3s',
    },
    // Above the caret, a name could be outside of the editor.
    '.cm-personLow > .cm-personName': { bottom: 'auto', top: '100%' },
    '.cm-personRight > .cm-personName': { left: 'auto', right: 0 },
    '.cm-personNear > .cm-personName': { visibility: 'visible' },
    '@keyframes cm-personName': { '0%, 99%': { visibility: 'visible' } },
})

/** The extension that shows the people of `changePeople`. */
export const showPeople = [
    peopleField, theme, layerOf(selectionMarkers, false), layerOf(caretMarkers, true),
    EditorView.domEventObservers({ mousemove: showNameNear }),
]
