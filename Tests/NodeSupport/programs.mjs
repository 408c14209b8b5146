// Starts the programs that tests need, each on a loopback port of the system's choice, and stops them at the end.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { atEnd, within } from './suite.mjs'

// Debian has nginx in a folder that is not on the PATH of every user. Variables named CARET_… would configure a
// server, so the programs do not get those of the caller.
const environment = Object.fromEntries([
    ...Object.entries(process.env).filter(([name]) => !name.startsWith('CARET_')),
    ['PATH', `${process.env.PATH}:/usr/sbin`],
])

/** A new folder, which is removed at the end. */
export function temporaryFolder(parent = tmpdir()) {
    const folder = mkdtempSync(join(parent, 'caret-'))
    atEnd(() => remove(folder))
    return folder
}

/** Removes a folder. Parts of a browser that has ended may still add files to it, so this may need several attempts. */
async function remove(folder) {
    for (let attempt = 1; ; attempt += 1) {
        try {
            return rmSync(folder, { recursive: true, force: true })
        } catch (error) {
            if (error.code !== 'ENOTEMPTY' || attempt === 50) throw error
            await delay(100)
        }
    }
}

/**
 * Starts a program that runs until `stop()` or until the end of the tests. `lines` are the lines that it has
 * written. `line(pattern, index, seconds)` waits until one of them matches, beginning with the line of this index.
 */
export function start(command, args, { env = {}, cwd } = {}) {
    const options = { env: { ...environment, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] }
    const child = spawn(command, args, options)
    const program = { child, lines: [], hasEnded: false, line: (...wanted) => waitForLine(program, command, ...wanted) }
    const ended = new Promise((done) => child.once('close', done).once('error', done)).then((status) => {
        program.hasEnded = true
        child.emit('line')
        return status
    })
    for (const stream of [child.stdout, child.stderr]) {
        let rest = ''
        stream.setEncoding('utf8').on('data', (text) => {
            const pieces = (rest + text).split('\n')
            rest = pieces.pop()
            program.lines.push(...pieces)
            child.emit('line')
        })
    }
    program.stop = async () => {
        if (program.hasEnded) return
        child.kill('SIGTERM')
        await within(ended, `stopping ${command}`).catch((error) => {
            child.kill('SIGKILL')
            throw error
        })
    }
    atEnd(program.stop)
    return program
}

async function waitForLine(program, command, pattern, index = 0, seconds = 60) {
    const found = async () => {
        for (let next = index; ; await once(program.child, 'line')) {
            for (; next < program.lines.length; next++) {
                const match = program.lines[next].match(pattern)
                if (match) return match
            }
            if (program.hasEnded) throw new Error(`${command} has ended:\n${program.lines.join('\n')}`)
        }
    }
    return await within(found(), `${command}: a line like ${pattern}`, seconds)
}

/** Runs a program to its end, with an optional text as its input. */
export function run(command, args, { input = '', env = {} } = {}) {
    return new Promise((done) => {
        const options = { env: { ...environment, ...env }, encoding: 'buffer', maxBuffer: 1 << 28, timeout: 60_000 }
        const child = execFile(command, args, options, (error, output, errors) => {
            const status = error ? error.code ?? String(error) : 0
            done({ status, bytes: output, output: output.toString(), errors: errors.toString() })
        })
        // A program that has ended early does not read its input.
        child.stdin.on('error', () => {})
        child.stdin.end(input)
    })
}

/**
 * A running `caretd`, and the command `caret` with its data. The data folder is a new one and the port is a free one,
 * unless `place` names those of an earlier server.
 */
export async function startServer(folderOfPrograms, options = [], place = {}) {
    const { data = join(temporaryFolder(), 'data'), port: wanted = 0 } = place
    const always = ['--data', data, '--listen', `127.0.0.1:${wanted}`]
    const program = start(resolve(folderOfPrograms, 'caretd'), [...always, ...options])
    const [, port] = await program.line(/ event=listening transport=tcp address=.*:(\d+)$/)
    await program.line(/ event=ready/)
    const caret = async (args, input) => {
        const result = await run(resolve(folderOfPrograms, 'caret'), [...args, '--data', data], { input })
        if (result.status === 0) return result.output
        throw new Error(`caret ${args.join(' ')} ended with ${result.status}: ${result.errors}`)
    }
    return Object.assign(program, { port: Number(port), data, caret })
}

/** A port that was free a moment ago, for programs that cannot choose one themselves. */
export async function freePort() {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address()
    server.close()
    await once(server, 'close')
    return port
}

/** Waits until a program listens on this port. */
export async function listening(program, port) {
    const tryOften = async () => {
        while (!program.hasEnded) {
            const socket = connect(port, '127.0.0.1')
            const isOpen = await new Promise((done) => {
                socket.once('connect', () => done(true)).once('error', () => done(false))
            })
            socket.destroy()
            if (isOpen) return
            await new Promise((later) => setTimeout(later, 20))
        }
        throw new Error(`it has ended:\n${program.lines.join('\n')}`)
    }
    await within(tryOften(), `a program that listens on port ${port}`)
}
