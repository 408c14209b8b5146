#!/usr/bin/env node
// Measures in Chromium how long a user waits to see what another user types, and to see text saved after a cut link.
//
//     scripts/key-to-frame.mjs [FOLDER] [KEYS]
//
// FOLDER has the programs; .build/release if it is missing. KEYS is how many keys are measured in each case; 200 if it
// is missing. Prints a table. Two tabs with a text of 10 KB are bound to one document; the time begins with the key event
// in one tab, and ends after the frame of the other tab that shows the key. All programs share this machine.
//
// If JUPYTER names the program `jupyter` of an environment with jupyterlab and jupyter-collaboration, two tabs of
// JupyterLab are measured too. They must be installed: python3 -m venv and pip install do that.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeRandom, pause } from '../Tests/CaretPageTests/support.mjs'
import { freePort, start, temporaryFolder } from '../Tests/NodeSupport/programs.mjs'
import { runSuite } from '../Tests/NodeSupport/suite.mjs'
import { startRelay } from '../Tests/BrowserTests/relay.mjs'
import { startTabs } from '../Tests/BrowserTests/tabs.mjs'
import { connect } from '../Clients/javascript/caret-node.js'

const programs = process.argv[2] ?? fileURLToPath(new URL('../.build/release', import.meta.url))
const keys = Number(process.argv[3] ?? 200)
/** How many other users type, and how often each of them does, in milliseconds. */
const [writers, writersPause] = [20, 200]
const cuts = 20

const text = 'Bring a pen and some paper. '.repeat(366)
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)
const percentile = (times, part) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))]

await runSuite(async function figures() {
    const tabs = await startTabs(programs)
    row('what', 'p50 in ms', 'p95 in ms', 'goal: p50 / p95')
    row('---', '---', '---', '---')
    report('key to the frame of another tab', await measureKeys(tabs, 'alone'), '18 / 34')
    if (process.env.JUPYTER) report('the same in JupyterLab', await measureJupyter(tabs.browser, process.env.JUPYTER), 'none')
    const stop = await startWriters(tabs, 'crowd')
    report(`key to the frame, while ${writers} others type ${1000 / writersPause} keys a second each`, await measureKeys(tabs, 'crowd'), '25 / 50')
    stop()
    report('cut link to saved', await measureCuts(tabs), '400 / none')
})

function report(what, times, goal) {
    row(what, percentile(times, 0.5).toFixed(1), percentile(times, 0.95).toFixed(1), goal)
}

/** The times of all keys. Each key is 'é', which nobody else types, so both tabs can count them. */
async function measureKeys({ caret, openTab }, name) {
    const document = caret.open(name, { create: true })
    await document.opened()
    if (document.length === 0) document.append(text)
    await document.saved()
    const [near, far] = [await openTab(name), await openTab(name)]
    await near.focus()
    await near.select(5000, 5000)
    return await measureTyping(near.page, far.page, '#field')
}

/** The times of all keys between two pages, whose texts are in the first element of the selector. */
async function measureTyping(near, far, selector) {
    await near.evaluate(noteKeys)
    await far.evaluate(noteFrames, selector)
    const random = makeRandom(7)
    for (let key = 0; key < keys; key++) {
        await near.press('é')
        // Keys at all moments between two frames.
        await pause(80 + random.below(60))
    }
    await far.waitFor((count) => window.seen.length >= count, 'all keys in the other tab', keys)
    const [pressed, seen] = [await near.evaluate(() => window.pressed), await far.evaluate(() => window.seen)]
    for (const page of [near, far]) await page.close()
    return pressed.map((moment, index) => seen[index] - moment)
}

/** The times of all keys in JupyterLab, which shares each open file through jupyter-collaboration. */
async function measureJupyter(browser, jupyter) {
    const [folder, port] = [temporaryFolder(), await freePort()]
    writeFileSync(join(folder, 'agenda.txt'), text.replaceAll('. ', '.\n'))
    const options = ['--no-browser', `--port=${port}`, '--ip=127.0.0.1', '--allow-root', '--IdentityProvider.token=', `--ServerApp.root_dir=${folder}`]
    const server = start(jupyter, ['lab', ...options], { env: { HOME: folder }, cwd: folder })
    await server.line(/is running at/)
    const open = async () => {
        const page = await browser.open(`http://127.0.0.1:${port}/lab/tree/agenda.txt`)
        await page.waitFor(() => document.querySelector('.cm-content')?.textContent.startsWith('Bring'), 'the text in JupyterLab')
        return page
    }
    const [near, far] = [await open(), await open()]
    await near.evaluate(() => document.querySelector('.cm-content').focus())
    const times = await measureTyping(near, far, '.cm-content')
    await server.stop()
    return times
}

/** Runs in the page: notes the moment of each key event. */
function noteKeys() {
    window.pressed = []
    addEventListener('keydown', ({ timeStamp }) => window.pressed.push(performance.timeOrigin + timeStamp), { capture: true })
}

/** Runs in the page: notes after each frame which keys it has shown first. */
function noteFrames(selector) {
    const field = document.querySelector(selector)
    window.seen = []
    const channel = new MessageChannel()
    // A message that is sent in a frame arrives after the frame.
    channel.port1.onmessage = () => {
        const moment = performance.timeOrigin + performance.now()
        const count = (field.value ?? field.textContent).split('é').length - 1
        while (window.seen.length < count) window.seen.push(moment)
    }
    const frame = () => {
        channel.port2.postMessage(null)
        requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
}

/** Other users, who type at random offsets. The result ends this. */
async function startWriters({ server, wasm }, name) {
    const random = makeRandom(11)
    const timers = []
    const clients = []
    for (let writer = 0; writer < writers; writer++) {
        const client = await connect('127.0.0.1', server.port, { wasm, name: `Writer ${writer}` })
        const document = client.open(name, { create: true })
        await document.opened()
        const type = () => {
            const offset = random.below(document.length + 1)
            document.edit([{ range: [offset, offset], text: 'w' }])
        }
        clients.push(client)
        // They do not type in the same moment.
        timers.push(setTimeout(() => timers.push(setInterval(type, writersPause)), random.below(writersPause)))
    }
    return () => {
        for (const timer of timers) clearInterval(timer)
        for (const client of clients) client.close()
    }
}

/** The times from a cut connection, with an edit on the way, to the moment at which the page knows that it is saved. */
async function measureCuts({ server, caret, openTab }) {
    const relay = await startRelay(server.port)
    const document = caret.open('cuts', { create: true })
    await document.opened()
    const tab = await openTab('cuts', relay.port)
    const times = []
    for (let cut = 0; cut < cuts; cut++) {
        await tab.evaluate(() => {
            window.saved = null
            shared.addEventListener('saving', function listen({ saving }) {
                if (saving.state !== 'saved') return
                shared.removeEventListener('saving', listen)
                window.saved = performance.timeOrigin + performance.now()
            })
        })
        const start = performance.timeOrigin + performance.now()
        relay.cut()
        await tab.evaluate(() => shared.append('x'))
        times.push(await tab.page.waitFor(() => window.saved, 'a saved edit') - start)
        // The client waits longer after each of several cuts, until a connection has lasted.
        await pause(300)
    }
    await tab.page.close()
    return times
}
