// Caret for Vue 3.
//
//     provideCaret(() => Caret.connect('http://127.0.0.1:22738'))      in the setup of the app
//     const { bind, saving } = useDocument('agenda', { create: true }) in the setup of a component
//     <textarea :ref="bind"></textarea> {{ saving.state }}             in its template
//
// vue.d.ts lists the whole interface. This file does not import the client, so an app may use caret.js or inline.js.
import { computed, inject, onMounted, onScopeDispose, provide, shallowRef, unref, watch } from 'vue'
import { FieldBinder } from './bound-field.js'
import { SharedDocuments } from './shared-document.js'

const key = Symbol('caret')
const members = ['name', 'people', 'saving', 'link', 'rights', 'canUndo', 'canRedo', 'document']
const methods = ['edit', 'replaceText', 'append', 'select', 'undo', 'redo', 'retry', 'discard']

/** The client of this component and of all below. It connects when the component is mounted in a browser. */
export function provideCaret(client) {
    const documents = new SharedDocuments(client)
    let release
    provide(key, documents)
    onMounted(() => { release = documents.use() })
    onScopeDispose(() => release?.())
}

/** A document, while the component is mounted. `name` may be a string, a ref or a function. */
export function useDocument(name, { create = false } = {}) {
    const documents = inject(key, null)
    if (!documents) throw new Error('useDocument needs a component above that calls provideCaret')
    const document = computed(() => documents.get(typeof name === 'function' ? name() : unref(name)))
    const value = shallowRef(document.value.initialValue)
    const binder = new FieldBinder()
    onMounted(() => watch(document, (document, _, onCleanup) => {
        const show = () => { value.value = document.value }
        onCleanup(document.subscribe(show, create))
        binder.move(document, create)
        show()
    }, { immediate: true }))

    return {
        ...Object.fromEntries(members.map((member) => [member, computed(() => value.value[member])])),
        ...Object.fromEntries(methods.map((method) => [method, (...args) => value.value[method](...args)])),
        text: computed({ get: () => value.value.text, set: (text) => value.value.replaceText(text) }),
        bind: (field) => binder.set(field, document.value, create),
    }
}
