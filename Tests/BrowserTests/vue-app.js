// An app in Vue that a test drives from outside: vue.mjs. `app.show` says which components are mounted.
import { createApp, h, nextTick, shallowRef } from 'vue'
import { Caret } from '@caret-text/client/inline'
import { provideCaret, useDocument } from '@caret-text/client/vue'

/** All connections that were ever opened. */
const sockets = []
globalThis.WebSocket = class extends WebSocket {
    constructor(...args) {
        super(...args)
        sockets.push(this)
    }
}

/** The mounted fields: [name of the document, key] each. */
const fields = shallowRef([])

const Field = {
    props: ['name', 'id'],
    setup: (props) => ({ id: props.id, ...useDocument(() => props.name, { create: true }) }),
    template: `<textarea :id="id" :ref="bind"></textarea><textarea :id="id + '-model'" v-model="text"></textarea>
        <output :id="id + '-state'">{{ saving.state }}, {{ link.state }}</output>`,
}
const App = {
    setup() {
        // Nothing is kept on the device, so that a letter that is lost stays lost.
        provideCaret(() => Caret.connect(location.hash.slice(1), { keep: false }))
        return () => fields.value.map(([name, id]) => h(Field, { key: id, name, id }))
    },
}
const mounted = createApp(App)
mounted.mount('#root')

globalThis.app = {
    sockets,
    async show(list) {
        fields.value = list
        await nextTick()
    },
    unmount: () => mounted.unmount(),
    /** Enters a text at the start of a field. */
    type(id, text) {
        const field = document.getElementById(id)
        field.focus()
        field.setSelectionRange(0, 0)
        document.execCommand('insertText', false, text)
    },
}
