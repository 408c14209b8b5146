// Runs programs in a real terminal, in tmux, and shows its screen in a page. picture-docs.mjs takes pictures of it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run, start, temporaryFolder } from '../Tests/NodeSupport/programs.mjs'
import { within } from '../Tests/NodeSupport/suite.mjs'

const settings = 'set -g status off\nset -g default-terminal tmux-256color\nset -g escape-time 0\n'

/** A terminal that runs one program. Its home is a new folder, so it shows nothing of the user who takes the picture. */
export class Terminal {
    #socket
    #columns
    #rows

    static async start(command, { columns, rows, env = {}, files = {} }) {
        const terminal = new Terminal()
        const folder = temporaryFolder()
        for (const [name, text] of Object.entries({ ...files, settings })) writeFileSync(join(folder, name), text)
        ;[terminal.#columns, terminal.#rows] = [columns, rows]
        terminal.#socket = join(folder, 'tmux')
        const home = { HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder, LANG: 'C.UTF-8', TZ: 'UTC', ...env }
        const server = start('tmux', ['-f', join(folder, 'settings'), '-S', terminal.#socket, '-D'], { cwd: folder, env: home })
        await terminal.#until(async () => {
            if (server.hasEnded) throw new Error(`tmux has ended:\n${server.lines.join('\n')}`)
            return (await run('tmux', ['-S', terminal.#socket, 'show-options', '-g'])).status === 0
        }, 'tmux')
        await terminal.#tmux(['new-session', '-d', '-x', columns, '-y', rows, '-c', folder, '--', ...command], home)
        return terminal
    }

    async #tmux(words, env = {}) {
        const { status, output, errors } = await run('tmux', ['-S', this.#socket, ...words.map(String)], { env })
        if (status !== 0) throw new Error(`tmux ${words.join(' ')}: ${errors}`)
        return output
    }

    async #until(condition, what) {
        let isOver = false
        const holds = async () => { while (!isOver && !await condition()) await delay(50) }
        await within(holds(), what, 30).finally(() => { isOver = true })
    }

    /** Presses keys by their names, such as `Down`, `Enter` or `q`. */
    press = (...keys) => this.#tmux(['send-keys', ...keys])

    /** Types a line, and presses Enter. */
    async type(line) {
        await this.#tmux(['send-keys', '-l', line])
        await this.press('Enter')
    }

    /** Waits until the screen matches a pattern, and does not change any more. */
    async shows(pattern) {
        let before
        await this.#until(async () => {
            const now = await this.#tmux(['capture-pane', '-p', '-e'])
            const isStill = now === before && pattern.test(await this.#tmux(['capture-pane', '-p']))
            before = now
            return isStill
        }, `a screen like ${pattern}`)
    }

    /** Opens a page that shows the screen. */
    async page(browser) {
        const page = await browser.open('about:blank')
        // A character of the font is 9.03 pixels wide.
        const [width, height] = [Math.ceil(this.#columns * 9.03) + 40, this.#rows * 22 + 32]
        await page.setWindow({ width, height, scale: 2, insets: {}, isTouch: false }, 'light')
        await page.evaluate(showScreen, await this.#screen(), { line: 22, columns: this.#columns, ground, ink })
        return page
    }

    /** The pieces `{ text, style }` of each row, and the position of the cursor if it is visible. */
    async #screen() {
        const output = await this.#tmux(['capture-pane', '-p', '-e', '-N'])
        const place = await this.#tmux(['display-message', '-p', '#{cursor_flag} #{cursor_x} #{cursor_y}'])
        const [isVisible, column, row] = place.split(' ').map(Number)
        return { rows: piecesOf(output.replace(/\n$/, '')), cursor: isVisible ? { column, row } : null }
    }
}

const palette = [
    '#2a2d34', '#f0777a', '#7fc586', '#e3b866', '#6fa8f0', '#c08df0', '#5cc3cc', '#d6d8dd',
    '#7d818b', '#ff9a9c', '#a2e0a8', '#f2d08a', '#9cc4ff', '#d9b4ff', '#8ce0e8', '#ffffff',
]
const [ground, ink] = ['#1d1f24', '#dfe1e6']

/** A color of the 256 of a terminal. */
function indexed(index) {
    if (index < 16) return palette[index]
    if (index >= 232) return `rgb(${Array(3).fill(8 + 10 * (index - 232))})`
    const level = (step) => (step === 0 ? 0 : 55 + 40 * step)
    return `rgb(${[36, 6, 1].map((place) => level(Math.floor((index - 16) / place) % 6))})`
}

/** Applies one escape sequence for colors to a state. */
function apply(state, codes) {
    for (let next = 0; next < codes.length; next++) {
        const code = codes[next]
        const side = code % 100 >= 40 && code % 100 < 50 || code >= 100 ? 'ground' : 'ink'
        if (code === 0) state = {}
        else if (code === 1) state = { ...state, isBold: true }
        else if (code === 2) state = { ...state, isPale: true }
        else if (code === 4) state = { ...state, isUnderlined: true }
        else if (code === 7) state = { ...state, isReversed: true }
        else if (code === 38 || code === 48) {
            const isIndex = codes[next + 1] === 5
            state = { ...state, [side]: isIndex ? indexed(codes[next + 2]) : `rgb(${codes.slice(next + 2, next + 5)})` }
            next += isIndex ? 2 : 4
        } else if (code === 39 || code === 49) state = { ...state, [side]: undefined }
        else if (code >= 90) state = { ...state, [side]: palette[code % 10 + 8] }
        else if (code >= 30) state = { ...state, [side]: palette[code % 10] }
    }
    return state
}

function styleOf({ ground: under = 'transparent', ink: over = ink, isBold, isPale, isUnderlined, isReversed }) {
    const [back, front] = isReversed ? [over, under === 'transparent' ? ground : under] : [under, over]
    return `background: ${back}; color: ${front}; ${isBold ? 'font-weight: bold;' : ''}`
        + `${isPale ? 'opacity: .6;' : ''}${isUnderlined ? 'text-decoration: underline;' : ''}`
}

/** The rows of an output with escape sequences, as pieces of one style each. */
function piecesOf(output) {
    let state = {}
    return output.split('\n').map((row) => row.split(/(\x1b\[[\d;]*m)/).flatMap((part) => {
        const codes = part.match(/^\x1b\[([\d;]*)m$/)
        if (codes) state = apply(state, codes[1].split(';').map(Number))
        return codes || part === '' ? [] : [{ text: part, style: styleOf(state) }]
    }))
}

/** Shows a screen in a page. Runs in the page. */
function showScreen({ rows, cursor }, { line, columns, ground, ink }) {
    const make = (parent, style, text = '') => {
        const part = parent.appendChild(document.createElement('div'))
        part.style.cssText = style
        part.textContent = text
        return part
    }
    document.body.style.cssText = `margin: 0; padding: 16px 20px; background: ${ground}; color: ${ink};`
        + `font: 15px/${line}px 'DejaVu Sans Mono', monospace`
    const screen = make(document.body, `position: relative; width: ${columns}ch`)
    for (const pieces of rows) {
        const row = make(screen, `height: ${line}px; white-space: pre; display: flex`)
        for (const { text, style } of pieces) make(row, style, text)
    }
    if (!cursor) return
    make(screen, `position: absolute; left: ${cursor.column}ch; top: ${cursor.row * line}px; width: 1ch; height: ${line}px;`
        + 'background: #d6d8dd; mix-blend-mode: difference')
}
