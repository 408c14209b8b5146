// A page with a textarea that is bound to a document. The address names the server and the document.
import { Caret } from '/caret/caret.js'

const parameters = new URLSearchParams(location.search)
globalThis.field = document.querySelector('#field')
if (parameters.get('late')) await new Promise((resolve) => { globalThis.start = resolve })
globalThis.caret = await Caret.connect(parameters.get('server'), {
    token: parameters.get('token') || undefined,
})
globalThis.shared = caret.open(parameters.get('document'), { create: true })
globalThis.binding = shared.bind(field)
if (!parameters.get('offline')) await shared.opened()
document.title = 'ready'
