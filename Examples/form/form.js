// A form with two fields. Each field is a document, so people fill the form together.
import { Caret } from 'http://127.0.0.1:22738/caret.js'
import { guest, showStatus } from '../shared/example.js'

const form = document.querySelector('form')
const fields = form.elements

const caret = await Caret.connect('http://127.0.0.1:22738', guest)
const subject = caret.open('examples/form/subject', { create: true })
const message = caret.open('examples/form/message', { create: true })
subject.bind(fields.subject)
message.bind(fields.message)
showStatus(caret, [subject, message])

// The subject is a textarea too, because a field of one line would drop the line ends of others.
fields.subject.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    fields.message.focus()
})

form.addEventListener('submit', async (event) => {
    event.preventDefault()
    await Promise.all([subject.saved(), message.saved()])
    const line = encodeURIComponent(subject.text.replace(/\s+/g, ' '))
    const body = encodeURIComponent(message.text.replaceAll('\n', '\r\n'))
    location.href = `mailto:?subject=${line}&body=${body}`
})
