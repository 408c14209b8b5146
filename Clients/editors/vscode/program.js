// Runs the program `caret`: `caret pipe` for each open document, and `caret ls` for the list.
'use strict'

const { spawn } = require('node:child_process')

/** Why the program does not start, and what to do. */
function startFault(command, { code, message }) {
    const reason = code === 'ENOENT' ? `there is no program ${command}` : message
    return `${reason}; install caret, or set "caret.command" to its path`
}

class Program {
    /** `settings` has `command`, `server` and `token`; the last two can be empty. */
    constructor(settings) {
        this.command = settings.command
        this.options = settings.server ? ['--server', settings.server] : []
        this.environment = settings.token ? { ...process.env, CARET_TOKEN: settings.token } : process.env
    }

    /**
     * Starts `caret pipe`. Calls `received` with each message, and `ended` once at the end, with what the program has
     * reported. Returns `send(message)`, `close()`, which ends the input, and `end`, a promise of the end.
     */
    pipe(name, { creating }, { received, ended }) {
        const words = ['pipe', '--positions', 'utf16', ...(creating ? ['--create'] : []), '--', name]
        const { child, end } = this.#start(words, (line) => received(JSON.parse(line)))
        return {
            send: (message) => child.stdin.write(JSON.stringify(message) + '\n'),
            close: () => child.stdin.end(),
            end: end.then(({ report }) => ended(report)),
        }
    }

    /** The documents whose names begin with a prefix. */
    async list(prefix) {
        const documents = []
        const { child, end } = this.#start(['ls', '--json', '--', prefix], (line) => documents.push(JSON.parse(line).doc))
        child.stdin.end()
        const { status, report } = await end
        if (status !== 0) throw new Error(sentence(report))
        return documents
    }

    #start(words, handleLine) {
        const child = spawn(this.command, [...this.options, ...words], { env: this.environment, windowsHide: true })
        let report = ''
        onLines(child.stdout, handleLine)
        child.stderr.setEncoding('utf8').on('data', (text) => { report += text })
        // A program that has ended reads no input. Its end is reported anyway.
        child.stdin.on('error', () => {})
        const end = new Promise((done) => {
            child.once('error', (error) => done({ status: null, report: startFault(this.command, error) }))
            child.once('close', (status) => done({ status, report: report || `it ended with status ${status}` }))
        })
        return { child, end }
    }
}

function onLines(stream, handleLine) {
    let rest = ''
    stream.setEncoding('utf8').on('data', (text) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop()
        for (const line of lines) handleLine(line)
    })
}

/** What standard error says: an object with --json, and otherwise a line `caret: …`, with advice in the next line. */
function sentence(report) {
    if (report.startsWith('{')) {
        const { error, advice } = JSON.parse(report.split('\n')[0])
        return advice ? `${error}; ${advice}` : error
    }
    return report.trim().replace(/^caret: /, '').replace(/\n\s*/g, '; ')
}

module.exports = { Program, sentence }
