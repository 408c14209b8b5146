import { element } from './dom.js'
export class Notes {
    constructor(app, name) { this.node = element('div') }
    close() {}
}
