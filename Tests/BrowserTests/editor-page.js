// What the pages with an editor have in common. The address names the server and the document.
import { Caret } from '/caret/caret.js'

/** Opens the document of the page as `shared`. */
export async function openShared() {
    const parameters = new URLSearchParams(location.search)
    globalThis.caret = await Caret.connect(parameters.get('server'), { token: parameters.get('token') || undefined })
    globalThis.shared = caret.open(parameters.get('document'), { create: true })
}

/** Where a word of the text is in the window. The editor may show the text in several nodes. */
globalThis.rectangleOf = (word) => {
    const walker = document.createTreeWalker(document.querySelector('#editor'), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
        const start = walker.currentNode.data.replaceAll('\u00a0', ' ').indexOf(word)
        if (start < 0) continue
        const range = document.createRange()
        range.setStart(walker.currentNode, start)
        range.setEnd(walker.currentNode, start + word.length)
        const { left, right, top, bottom } = range.getBoundingClientRect()
        return { left, right, top, bottom }
    }
    return null
}

/** A line of the text that is near the middle of the editor now. */
globalThis.lineInView = () => {
    const { top, bottom } = document.querySelector('#editor').getBoundingClientRect()
    for (const [word] of document.querySelector('#editor').innerText.matchAll(/line\d+(?=\s)/g)) {
        if (rectangleOf(`${word} `)?.top > (top + bottom) / 2) return `${word} `
    }
    return null
}
