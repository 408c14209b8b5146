// Makes the elements of the page. Nothing else does, and nothing reads HTML from a string, so that no text of a user
// can become a part of the page.
import { peerColor, peerName, textColorOn } from '../../../Clients/javascript/peer-look.js'

export { cleanText } from './clean-text.js'

/**
 * Makes an element.
 *
 * A property that begins with `on` is a listener. `style` has CSS properties, `true` is an attribute without a
 * value, and `false`, `null` and `undefined` are left out. Children are nodes and texts; those that are false or
 * missing are left out too.
 */
export function element(tag, properties = {}, ...children) {
    const node = document.createElement(tag)
    for (const [name, value] of Object.entries(properties)) setProperty(node, name, value)
    node.append(...presentOf(children))
    return node
}

function setProperty(node, name, value) {
    if (value === false || value === null || value === undefined) return
    if (name === 'style') {
        for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text)
    } else if (name.startsWith('on')) {
        node.addEventListener(name.slice(2), value)
    } else {
        node.setAttribute(name, value === true ? '' : value)
    }
}

/** Replaces what is inside of a node. */
export function fill(node, ...children) {
    node.replaceChildren(...presentOf(children))
    return node
}

function presentOf(children) {
    return children.flat().filter((child) => child !== null && child !== undefined && child !== false)
}

/** The drawings of icons: lines in a square of 24 by 24. */
const drawings = {
    back: 'M15 5l-7 7 7 7', more: 'M5 12h.01M12 12h.01M19 12h.01', tick: 'M5 12.5l4.5 4.5L19 7.5',
    alert: 'M12 4l9 16H3zM12 10v4M12 17h.01', search: 'M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16.5 16.5L21 21',
    people: 'M9 5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 0 0 0-7M2.5 20c0-3.6 2.9-5.5 6.5-5.5s6.5 1.9 6.5 5.5M16 5.3a3.5 3.5 0 0 1 0 6.4M18.5 15.3c1.9.8 3 2.4 3 4.7',
    lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3', down: 'M6 9l6 6 6-6', sending: 'M12 4a8 8 0 1 0 8 8',
    bin: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
    offline: 'M3 3l18 18M8.5 16.5a5 5 0 0 1 7 0M5 13a10 10 0 0 1 5-2.7M19 13a10 10 0 0 0-3-2.1M2 9.5A15 15 0 0 1 6.5 7M22 9.5A15 15 0 0 0 11 6M12 20h.01',
}

/** Adds icons that the first text does not need. */
export function addDrawings(more) { Object.assign(drawings, more) }

/** An icon that screen readers ignore. Its control needs a name of its own. */
export function icon(name) {
    const namespace = 'http://www.w3.org/2000/svg'
    const svg = document.createElementNS(namespace, 'svg')
    const path = document.createElementNS(namespace, 'path')
    svg.setAttribute('viewBox', '0 0 24 24')
    svg.setAttribute('class', 'icon')
    svg.setAttribute('aria-hidden', 'true')
    path.setAttribute('d', drawings[name])
    svg.append(path)
    return svg
}

/** A button that shows only an icon. `label` is its name for screen readers and its tooltip. */
export function iconButton(name, label, onclick, properties = {}) {
    return element('button', { type: 'button', class: 'round', 'aria-label': label, title: label, onclick, ...properties }, icon(name))
}

/** The round mark of a person: the first letter of the name, on the person's color. */
export function avatar(person, { label = true } = {}) {
    const [name, color] = [peerName(person), peerColor(person)]
    const letter = [...name][0].toUpperCase()
    return element('span', {
        class: 'avatar', role: label && 'img', 'aria-label': label && name, 'aria-hidden': !label && 'true',
        title: name, style: { '--color': color, '--on-color': textColorOn(color) },
    }, letter)
}
