import { element } from './dom.js'
export class Editor {
    constructor(app, route) { this.node = element('p', {}, route.name); this.title = route.name }
    show() { return false }
    close() {}
}
