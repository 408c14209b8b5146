import { element } from './dom.js'
export class Documents {
    node = element('nav', { class: 'documents' })
    opened(name) {}
}
