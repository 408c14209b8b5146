// A text in Markdown that people write together, and beside it what it looks like.
import { Caret } from 'http://127.0.0.1:22738/caret.js'
import { guest, showStatus } from '../shared/example.js'
import { render } from './markdown.js'

/** Longer texts have no preview, because the browser would make it again after each key. */
const longestText = 200_000

const preview = document.querySelector('#preview')
const caret = await Caret.connect('http://127.0.0.1:22738', guest)
const text = caret.open('examples/markdown', { create: true })
text.bind(document.querySelector('#text'))
showStatus(caret, [text])

// Several changes may arrive before the next frame. One preview is enough for all of them.
let frame = null
text.addEventListener('change', () => { frame ??= requestAnimationFrame(show) })
show()

function show() {
    frame = null
    const isShort = text.length <= longestText
    preview.replaceChildren(isShort ? render(text.text) : 'This text is too long for a preview.')
}
