// The extension for VS Code, in a stand-in of VS Code, with `caret pipe` and a server.
import assert from 'node:assert/strict'
import { startServer, temporaryFolder } from '../NodeSupport/programs.mjs'
import { test, within } from '../NodeSupport/suite.mjs'
import { textIn } from './vscode-documents.mjs'
import { Window, makeRandom, until } from './window.mjs'

const insert = (offset, text) => [{ range: [offset, offset], text }]

export async function testVSCode(programs) {
    process.env.XDG_STATE_HOME = temporaryFolder()
    let server = await startServer(programs)
    const settings = { command: `${programs}/caret`, server: `127.0.0.1:${server.port}` }
    const windows = []
    const makeWindow = ({ settings: more, ...options } = {}) => {
        const window = new Window({ ...settings, ...more }, options)
        windows.push(window)
        return window
    }
    const openWindow = (options) => makeWindow(options).activate()
    const closeWindows = () => Promise.all(windows.splice(0).map((window) => window.extension.deactivate()))
    const check = (name, body) => test(name, () => body().finally(closeWindows))
    const put = (name, text, ...options) => server.caret(['put', name, ...options], text)
    const cat = (name) => server.caret(['cat', name])
    const isSaved = (window, model) => window.status.text.includes('saved') && !model.isDirty

    await check('a document is opened, typed into, and counts as saved when the server has it', async () => {
        await put("notes/it's 100% #1?", 'one\ntwo\n', '--create')
        const window = openWindow()
        const model = await window.open("notes/it's 100% #1?")
        assert.equal(model.text, 'one\ntwo\n')
        window.type(model, insert(7, '😀!'))
        assert.ok(model.isDirty)
        await until([window], () => isSaved(window, model))
        assert.equal(await cat("notes/it's 100% #1?"), 'one\ntwo😀!\n')
        assert.equal(window.close(model), false)
    })

    await check('changes of others appear, and do not leave the document unsaved', async () => {
        await put('list', 'one\ntwo\n', '--create')
        const window = openWindow()
        const model = await window.open('list')
        await put('list', 'zero\none\n2\nthree\n')
        await until([window], () => model.text === 'zero\none\n2\nthree\n' && isSaved(window, model))
    })

    await check('changes of others appear in a document that no editor shows', async () => {
        await put('hidden', 'one\n', '--create')
        const window = openWindow()
        const model = await window.open('hidden')
        window.showOther()
        await put('hidden', 'zero\none\n')
        await until([window], () => model.text === 'zero\none\n')
        window.show(model)
        await until([window], () => isSaved(window, model))
    })

    await check('a new document is created, and an unknown one is refused with the reason', async () => {
        const window = openWindow()
        const model = await window.open('made', 'caret.new')
        window.type(model, insert(0, 'x'))
        assert.equal(await window.save(model), true)
        assert.equal(await cat('made'), 'x')
        window.answers.push('unknown')
        window.run('caret.open')
        await window.said(/^Caret: unknown: there is no such document \(not_found\); `caret ls` lists/)
        window.answers.push('a//b')
        window.run('caret.new')
        await window.said(/empty/)
        assert.equal(window.model('unknown'), undefined)
    })

    await check('undo and redo change only the user\'s own edits', async () => {
        await put('undo', 'one\n', '--create')
        const [ann, bob] = [openWindow(), openWindow()]
        const [mine, theirs] = [await ann.open('undo'), await bob.open('undo')]
        ann.type(mine, insert(3, '!'))
        await until([ann, bob], () => theirs.text === 'one!\n')
        bob.type(theirs, insert(0, 'zero\n'))
        await until([ann, bob], () => mine.text === 'zero\none!\n')
        ann.run('caret.undo')
        await until([ann, bob], () => theirs.text === 'zero\none\n' && mine.text === 'zero\none\n')
        ann.run('caret.redo')
        await until([ann, bob], () => theirs.text === 'zero\none!\n' && mine.text === 'zero\none!\n')
    })

    await check('carets and selections of others are shown with their names, whatever they contain', async () => {
        await put('carets', 'é😀one\ntwo\n', '--create')
        const ann = openWindow()
        await ann.open('carets')
        process.env.CARET_NAME = "Bob '}; $(x)"
        const bob = openWindow()
        const theirs = await bob.open('carets').finally(() => delete process.env.CARET_NAME)
        bob.select(theirs, [[3, 6]])
        const shown = (isName) => ann.decorations
            .filter(({ options }) => Boolean(options.after) === isName).flatMap(({ shown }) => [...shown.values()].flat())
        await until([ann, bob], () => shown(false).length > 0 && textIn(ann.activeEditor.document, shown(false)[0]) === 'one')
        assert.deepEqual(shown(true).map(({ renderOptions }) => renderOptions.after.contentText), [" Bob '}; $(x) "])
        for (const { options } of ann.decorations) assert.match(options.backgroundColor ?? options.after.backgroundColor, /^#[0-9a-f]{6}$/)
        // A caret is shown at the character after it.
        bob.select(theirs, [[1, 1]])
        await until([ann, bob], () => shown(false)[0].start.character === 1)
        bob.close(theirs)
        await until([ann, bob], () => shown(false).length === 0 && shown(true).length === 0)
    })

    await check('an editor with CR LF has the lines of the document, which keeps LF', async () => {
        await put('crlf', '', '--create')
        const window = openWindow({ endOfLine: '\r\n' })
        const model = await window.open('crlf')
        window.type(model, insert(0, 'one\ntwo\n'))
        assert.equal(model.text, 'one\r\ntwo\r\n')
        await until([window], () => isSaved(window, model))
        assert.equal(await cat('crlf'), 'one\ntwo\n')
        await put('crlf', 'zero\none\ntwo!\n')
        await until([window], () => model.text === 'zero\r\none\r\ntwo!\r\n')
        window.setEndOfLine(model, '\n')
        window.type(model, insert(model.text.length, 'three'))
        await until([window], () => isSaved(window, model))
        assert.equal(await cat('crlf'), 'zero\none\ntwo!\nthree')
    })

    await check('the list of documents opens one', async () => {
        const window = openWindow()
        window.answers.push('list')
        window.run('caret.list')
        await until([window], () => window.model('list'))
        assert.ok(window.picks.includes("notes/it's 100% #1?"))
    })

    await check('two people who type at the same time have one text in the end, and no letter is lost', async () => {
        let overtaken = 0
        for (let seed = 1; seed <= (process.env.CARET_FULL ? 60 : 6); seed++) {
            overtaken += await typeTogether(seed, { put, cat, openWindow })
        }
        assert.ok(overtaken > 0, 'no edit of the extension came after a key')
    })

    await check('without a server, edits are kept, a save fails with the reason, and later all is saved', async () => {
        await put('offline', 'one\n', '--create')
        const window = openWindow()
        const model = await window.open('offline')
        await server.stop()
        await until([window], () => window.status.text.includes('offline'))
        await window.said(/offline: the server cannot be reached/)
        window.type(model, insert(3, '!'))
        assert.equal(await window.save(model), false)
        await window.said(/Failed to save: not saved yet; the server cannot be reached; edits are saved when it is back/)
        assert.equal(window.close(model), true)
        // The window is closed, and another one goes on.
        await window.extension.deactivate()
        const next = openWindow()
        const again = await next.open('offline')
        assert.equal(again.text, 'one!\n')
        server = await startServer(programs, [], server)
        await until([next], () => isSaved(next, again))
        assert.equal(await cat('offline'), 'one!\n')
    })

    await check('a tab that VS Code restores becomes live, and unsaved text that differs goes to another file', async () => {
        for (const isDirty of [false, true]) {
            const [name, old] = [`restored ${isDirty}`, 'one, which nobody has\n']
            await put(name, 'one\ntwo\n', '--create')
            const window = makeWindow()
            const model = window.restore(name, old, { isDirty })
            await until([window], () => window.activeEditor)
            window.activate()
            await until([window], () => model.text === 'one\ntwo\n' && isSaved(window, model))
            assert.deepEqual(window.copies, isDirty ? [old] : [])
            window.type(model, insert(0, 'x'))
            await until([window], () => isSaved(window, model))
            assert.equal(await cat(name), 'xone\ntwo\n')
        }
    })

    await check('a closed tab ends the presence at once, and a tab that is opened again is live', async () => {
        await put('tab', 'one\n', '--create')
        const [ann, bob] = [openWindow({ keepsDocuments: true }), openWindow()]
        const [mine] = [await ann.open('tab'), await bob.open('tab')]
        await until([ann, bob], () => bob.decorations.length > 0)
        ann.close(mine)
        await until([ann, bob], () => bob.decorations.length === 0)
        await put('tab', 'zero\none\n')
        ann.show(mine)
        await until([ann, bob], () => mine.text === 'zero\none\n' && isSaved(ann, mine))
        assert.deepEqual(ann.copies, [])
        ann.type(mine, insert(0, 'x'))
        await until([ann, bob], () => isSaved(ann, mine))
        assert.equal(await cat('tab'), 'xzero\none\n')
    })

    await check('a document that is closed gets no more edits, and a save of it fails', async () => {
        const window = openWindow()
        // This program goes on after the end of its input.
        const started = new Promise((resolve) => {
            const pipe = (name, options, events) => {
                resolve(events)
                return { send() {}, close() {}, end: Promise.resolve() }
            }
            window.provider.makeProgram = async () => ({ pipe })
        })
        const opening = window.open('closed')
        const { received } = await started
        received({ type: 'opened', name: 'closed', text: 'one\n' })
        const model = await opening
        const saving = window.save(model)
        window.close(model)
        assert.equal(await within(saving, 'the end of a save'), false)
        await window.said(/the document was closed/)
        received({ type: 'changed', number: 1, after: 0, edits: [{ range: [0, 0], text: 'x' }] })
        assert.equal(window.requestsForClosed, 0)
    })

    await check('a document that is renamed stays live, and the user is told its new name', async () => {
        await put('before', 'one\n', '--create')
        const window = openWindow()
        const model = await window.open('before')
        await server.caret(['mv', 'before', 'after'])
        await window.said(/The document is now called after/)
        window.type(model, insert(0, 'x'))
        await until([window], () => isSaved(window, model))
        assert.equal(await cat('after'), 'xone\n')
    })

    await check('a document stays live if its language changes', async () => {
        await put('language', 'one\n', '--create')
        const window = openWindow()
        const model = await window.open('language')
        window.changeLanguage(model)
        window.type(model, insert(0, 'x'))
        await until([window], () => isSaved(window, model))
        await put('language', 'xone\ntwo\n')
        await until([window], () => model.text === 'xone\ntwo\n')
    })

    await check('a program that is missing, and one that ends, are reported with what to do', async () => {
        const window = openWindow({ settings: { command: 'caret-missing' } })
        window.answers.push('list')
        window.run('caret.open')
        await window.said(/there is no program caret-missing; install caret, or set "caret.command"/)
        window.run('caret.list')
        await window.said(/^Caret: there is no program/)
        const other = openWindow()
        const model = await other.open('list')
        const { pipe } = other.provider.of(other.activeEditor.document)
        // The pipe ends with an error after a message that does not fit.
        pipe.send({ type: 'applied', number: 99 })
        await other.said(/no longer live, because .*copy what you have typed since/)
        other.type(model, insert(0, 'x'))
        assert.equal(await other.save(model), false)
        assert.match(other.status.text, /closed/)
    })

    await check('the token of the setting is used, and is not a part of the command', async () => {
        const strict = await startServer(programs, ['--require-tokens'])
        await strict.caret(['put', 'secret', '--create'], 'one\n')
        const token = (await strict.caret(['token', 'add', 'ann', '--read', '', '--write', ''])).trim().split(/\s+/).at(-1)
        const window = openWindow({ settings: { server: `127.0.0.1:${strict.port}` } })
        window.answers.push('secret')
        window.run('caret.open')
        await window.said(/token/)
        window.answers.push(token)
        window.run('caret.setToken')
        await until([window], () => window.secrets.size === 1)
        assert.equal((await window.open('secret')).text, 'one\n')
    })
}

/**
 * Two windows type random words. VS Code also refuses edits without a reason in one seed of two. In one seed of three,
 * they delete and undo too; otherwise all letters must be there in the end.
 */
async function typeTogether(seed, { put, cat, openWindow }) {
    const random = makeRandom(seed * 1000)
    const [name, first, deletes] = [`random/${seed}`, 'é😀\nx\n', seed % 3 === 0]
    await put(name, first, '--create')
    const windows = [0, 500].map((more) => openWindow({ seed: seed + more, refusals: seed % 2 ? 0 : 20 }))
    const models = []
    for (const window of windows) models.push(await window.open(name))
    let letters = first.length
    for (let step = 0; step < 150; step++) {
        const index = random.number(2)
        const edits = randomEdits(models[index].text, step, random, deletes)
        for (const { text } of edits) letters += text.length
        windows[index].type(models[index], edits)
        if (deletes && random.chance(10)) windows[index].run(random.chance(50) ? 'caret.undo' : 'caret.redo')
        for (let turns = random.number(12); turns > 0; turns--) await new Promise(setImmediate)
    }
    for (const [index, window] of windows.entries()) assert.ok(await window.save(models[index]))
    const text = await cat(name)
    await until(windows, () => models.every((model) => model.text === text), `equal texts of seed ${seed}`)
    if (!deletes) assert.equal(text.length, letters, `seed ${seed}`)
    return windows.reduce((sum, { overtaken }) => sum + overtaken, 0)
}

/** A word at a random offset, and sometimes one at the end too, as two carets type it. */
function randomEdits(text, step, random, deletes) {
    const word = `<${step}>${random.chance(20) ? '\n' : ''}`
    const start = boundary(text, random.number(text.length + 1))
    const end = deletes && random.chance(30) ? boundary(text, Math.min(text.length, start + random.number(6))) : start
    const edits = [{ range: [start, Math.max(start, end)], text: word }]
    if (random.chance(20) && end < text.length) edits.push({ range: [text.length, text.length], text: word })
    return edits
}

function boundary(text, offset) { return /^[\udc00-\udfff]/.test(text.slice(offset, offset + 1)) ? offset - 1 : offset }
