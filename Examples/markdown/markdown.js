// Turns a small part of Markdown into nodes: headings, paragraphs, lists, quotes, code, rules, emphasis and links.
//
// Law: the text of somebody else never runs. Nodes are made with createElement and from plain texts, and never from HTML.
// Of all attributes, only links have any, and only to addresses with a scheme in `schemes`. What is no markup is shown
// as it is.

const schemes = ['http:', 'https:', 'mailto:']
/** Quotes and lists that are nested more deeply are shown as plain text. */
const deepest = 8

const fence = /^```/
const heading = /^(#{1,6}) +(.*)$/
const rule = /^(?:-{3,}|\*{3,}) *$/
const quote = /^> ?/
const item = /^(?:[-*+]|(\d{1,9})[.)]) +/
const starts = [fence, heading, rule, quote, item]

/** The nodes that show a text. */
export function render(text) {
    const fragment = document.createDocumentFragment()
    fragment.append(...blocks(text.split('\n'), 0))
    return fragment
}

function blocks(lines, depth) {
    const nodes = []
    const reader = { lines, index: 0 }
    while (reader.index < lines.length) {
        const line = lines[reader.index]
        if (line.trim() === '') reader.index++
        else if (fence.test(line)) nodes.push(code(reader))
        else if (heading.test(line)) nodes.push(headingOf(reader))
        else if (rule.test(line)) nodes.push(ruleOf(reader))
        else if (quote.test(line) && depth < deepest) nodes.push(quoteOf(reader, depth))
        else if (item.test(line) && depth < deepest) nodes.push(list(reader, depth))
        else nodes.push(paragraph(reader))
    }
    return nodes
}

function code(reader) {
    const { lines } = reader
    const end = lines.findIndex((line, index) => index > reader.index && fence.test(line))
    const inside = lines.slice(reader.index + 1, end < 0 ? lines.length : end)
    reader.index = end < 0 ? lines.length : end + 1
    return node('pre', [node('code', [inside.join('\n')])])
}

function headingOf(reader) {
    const [, marks, text] = heading.exec(reader.lines[reader.index++])
    return node(`h${marks.length}`, inline(text))
}

function ruleOf(reader) {
    reader.index++
    return node('hr', [])
}

function quoteOf(reader, depth) {
    const inside = takeLines(reader, (line) => quote.test(line)).map((line) => line.replace(quote, ''))
    return node('blockquote', blocks(inside, depth + 1))
}

/** Lines that are indented below an item belong to it. */
function list(reader, depth) {
    const number = item.exec(reader.lines[reader.index])[1]
    const items = []
    while (item.test(reader.lines[reader.index] ?? '')) {
        const first = reader.lines[reader.index++].replace(item, '')
        const more = takeLines(reader, (line) => /^ {2,}\S/.test(line)).map((line) => line.replace(/^ {2,4}/, ''))
        items.push(node('li', more.length === 0 ? inline(first) : blocks([first, ...more], depth + 1)))
    }
    const found = node(number === undefined ? 'ul' : 'ol', items)
    if (number !== undefined) found.start = Number(number)
    return found
}

function paragraph(reader) {
    const first = reader.lines[reader.index++]
    const more = takeLines(reader, (line) => line.trim() !== '' && !starts.some((start) => start.test(line)))
    return node('p', inline([first, ...more].join('\n')))
}

/** The next lines for which this holds. */
function takeLines(reader, holds) {
    const start = reader.index
    while (reader.index < reader.lines.length && holds(reader.lines[reader.index])) reader.index++
    return reader.lines.slice(start, reader.index)
}

// Each pattern stops at the next mark of its kind, so a long text takes no more time than its length.
const marks = [
    [/\\([!-/:-@[-`{-~])/y, ([, character]) => character],
    [/`([^`\n]+)`/y, ([, text]) => node('code', [text])],
    [/\*\*(?=\S)([^*]*[^*\s])\*\*/y, ([, text]) => node('strong', inline(text))],
    [/\*(?=\S)([^*]*[^*\s])\*/y, ([, text]) => node('em', inline(text))],
    [/(?<!\w)_(?=\S)([^_]*[^_\s])_(?!\w)/y, ([, text]) => node('em', inline(text))],
    [/\[([^[\]\n]+)\]\(([^()\s]+)\)/y, ([whole, text, address]) => link(text, address) ?? whole],
    [/https?:\/\/[^\s<>()[\]"`]*[^\s<>()[\]"`.,;:!?'*_]/y, ([address]) => link(address, address) ?? address],
]

/** The nodes and texts of a text inside a block. */
function inline(text) {
    const parts = []
    let plain = ''
    for (let index = 0; index < text.length;) {
        const [match, make] = find(text, index)
        if (!match) {
            plain += text[index++]
            continue
        }
        parts.push(plain, make(match))
        plain = ''
        index += match[0].length
    }
    return [...parts, plain]
}

/** The mark that begins exactly here, and what makes its node. */
function find(text, index) {
    if (!/[\\`*_[h]/.test(text[index])) return []
    for (const [pattern, make] of marks) {
        pattern.lastIndex = index
        const match = pattern.exec(text)
        if (match) return [match, make]
    }
    return []
}

/** Null if the address is not complete, or has another scheme, such as `javascript:`. */
function link(text, address) {
    if (!URL.canParse(address) || !schemes.includes(new URL(address).protocol)) return null
    const found = node('a', [text])
    found.href = address
    // The page behind the link learns nothing about this one.
    found.rel = 'noopener noreferrer nofollow'
    found.target = '_blank'
    return found
}

function node(name, children) {
    const element = document.createElement(name)
    element.append(...children)
    return element
}
