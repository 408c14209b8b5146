// The page of the server: `/` lists the documents, and `/d/NAME` edits one.
import { Caret } from '/caret/caret.js'

const element = (id) => document.querySelector(`#${id}`)
const name = decodeURIComponent(location.pathname.slice('/d/'.length))

try {
    const caret = await Caret.connect()
    await (name ? edit(caret) : list(caret))
} catch (error) {
    element('state').textContent = error.message
}

async function list(caret) {
    const { docs } = await caret.list()
    element('state').textContent = docs.length > 0 ? '' : 'No documents yet.'
    element('documents').replaceChildren(...docs.map(row))
}

function row({ name }) {
    const link = document.createElement('a')
    link.href = `/d/${name.split('/').map(encodeURIComponent).join('/')}`
    link.textContent = name
    const row = document.createElement('li')
    row.append(link)
    return row
}

function edit(caret) {
    document.title = document.querySelector('h1').textContent = name
    element('state').textContent = ''
    element('text').hidden = false
    caret.open(name, { create: true }).bind(element('text'))
}
