// The blocks of code on a page, so that tests run what the page says.
import { readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/**
 * The text of the only block in this language under this heading. Each pair in `changes` replaces a text in it.
 * Fails if the block does not have this text, because the test would then not run what the page says.
 */
export function block(path, heading, language, changes = []) {
    const found = blocks(path, heading, language)
    const where = `${path}, '${heading}', ${language}`
    if (found.length !== 1) throw new Error(`${where}: there are ${found.length} blocks, not one`)
    return changes.reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`${where}: the block does not have ${from}`)
        return text.replaceAll(from, to)
    }, found[0])
}

/** The texts of all blocks in this language under this heading. */
export function blocks(path, heading, language) {
    return blocksOfPage(path)
        .filter((one) => one.heading === heading && one.language === language)
        .map((one) => one.text)
}

/**
 * All blocks of a section, in order, also those under its subheadings. Each has its `heading`, `language` and `text`.
 * Each pair in `changes` replaces a number or word, which must be in one of the blocks.
 */
export function blocksOfSection(path, section, changes = []) {
    const found = blocksOfPage(path).filter((one) => one.section === section)
    for (const [from] of changes) {
        if (!found.some(({ text }) => text.includes(from))) throw new Error(`${path}, '${section}': no block has ${from}`)
    }
    // All at once, because a new text may contain an old one.
    const all = new Map(changes)
    const changed = (text) => text.replace(/\w+/g, (word) => all.get(word) ?? word)
    return found.map(({ heading, language, text }) => ({ heading, language, text: changed(text) }))
}

function blocksOfPage(path) {
    const found = []
    let [section, heading, open] = ['', '', null]
    for (const line of readFileSync(new URL(path, root), 'utf8').split('\n')) {
        if (line.startsWith('```')) {
            if (open) found.push(open)
            open = open ? null : { section, heading, language: line.slice(3), text: '' }
        } else if (open) {
            open.text += line + '\n'
        } else if (line.startsWith('#')) {
            heading = line.replace(/^#+ /, '')
            if (line.startsWith('## ')) section = heading
        }
    }
    return found
}
