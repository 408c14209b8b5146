// One document that a page, `caret edit` and `caret sync` change at the same time.
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeRandom, pause, until } from '../CaretPageTests/support.mjs'
import { start, temporaryFolder } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'
import { startTabs } from './tabs.mjs'

/** How many lines each of them adds. */
const count = 25

/** An editor that saves its file again and again, with one more line. */
const editor = `i=0
while [ $i -lt ${count} ]; do
    echo "edit $i" >>"$1"
    i=$((i + 1))
    sleep 0.15
done
`

export async function testAllClients(programs) {
    const tabs = await startTabs(programs)
    await test('a page, an editor and a synced folder that change one document show the same text', async () => {
        const { tab, other, name } = await tabs.open('start\n')
        const folder = startFolder(tabs, name)
        await until(() => existsSync(folder.path), 'the synced file')
        const edit = startEditor(tabs, name)
        await tab.focus()
        await Promise.all([typeLines(tab), appendLines(folder.path), edit.line(/saved/)])
        await until(() => edit.hasEnded, 'the end of caret edit')
        assert.equal(edit.child.exitCode, 0, edit.lines.join('\n'))
        const all = async () => [await tab.text(), readFileSync(folder.path, 'utf8'), other.text]
        const isSame = async () => (await all()).every((text, _, [first]) => text === first)
        const hasAll = (text) => lines('sync').every((line) => text.includes(line))
        await until(async () => hasAll(other.text) && await isSame(), 'the same text everywhere')
        // Nothing more is on its way.
        await pause(1_500)
        await until(isSame, 'the same text everywhere')
        const kept = lines('page').filter((_, index) => !isDeleted(index))
        const expected = ['start', ...kept, ...lines('edit'), ...lines('sync')]
        assert.deepEqual(other.text.split('\n').filter((line) => line !== '').sort(), expected.sort())
        assert.equal(await tabs.server.caret(['cat', name]), other.text)
        await folder.program.stop()
        assert.deepEqual(tab.page.problems, [])
        await tab.page.close()
    })
}

function lines(who) { return Array.from({ length: count }, (_, index) => `${who} ${index}`) }

/** Whether the user of the page removes this line again. */
function isDeleted(index) { return index % 5 === 4 }

function variables(server, more = {}) {
    return { env: { CARET_SERVER: `127.0.0.1:${server.port}`, XDG_STATE_HOME: temporaryFolder(), ...more } }
}

function startFolder({ programs, server }, name) {
    const folder = join(temporaryFolder(), 'folder')
    mkdirSync(folder)
    const program = start(resolve(programs, 'caret'), ['sync', folder], variables(server))
    return { program, path: join(folder, name) }
}

function startEditor({ programs, server }, name) {
    const script = join(temporaryFolder(), 'editor')
    writeFileSync(script, editor)
    return start(resolve(programs, 'caret'), ['edit', name], variables(server, { EDITOR: `sh ${script}` }))
}

/** A script that appends lines to a file. */
async function appendLines(path) {
    for (const line of lines('sync')) {
        appendFileSync(path, `${line}\n`)
        await pause(130)
    }
}

/** The user of the page types lines at random places, and removes some of them a little later. */
async function typeLines(tab) {
    const random = makeRandom(7)
    for (const [index, line] of lines('page').entries()) {
        await tab.evaluate((line, choice) => {
            const starts = [...field.value.matchAll(/^/gm)].map((match) => match.index)
            const offset = starts[choice % starts.length]
            field.setSelectionRange(offset, offset)
            document.execCommand('insertText', false, `${line}\n`)
        }, line, random.below(1000))
        await pause(random.below(250))
        if (!isDeleted(index)) continue
        await tab.evaluate((line) => {
            const offset = field.value.indexOf(`${line}\n`)
            field.setSelectionRange(offset, offset + line.length + 1)
            document.execCommand('delete')
        }, line)
    }
}
