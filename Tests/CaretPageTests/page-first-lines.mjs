// When the page reads the first words of documents.
import assert from 'node:assert/strict'
import { FirstLines } from '../../Sources/CaretPage/page/first-lines.js'

/** The words of a list, whose reads and pauses end when the test says so. */
function list() {
    const [reads, pauses, shown] = [[], [], []]
    const read = (name) => new Promise((resolve, reject) => reads.push({ name, reject, done: (text) => resolve({ text }) }))
    const lines = new FirstLines(read, (...words) => shown.push(words), (ended) => pauses.push(ended))
    return { lines, reads, pauses, shown }
}

let time = 1_700_000_000_000
const row = (name, revision = 1) => ({ name, revision, length: 5, updated: new Date(time++), isOnlyHere: false })
const change = (row) => Object.assign(row, { revision: row.revision + 1, updated: new Date(time++) })
const settled = () => new Promise(setImmediate)
const names = (reads) => reads.map(({ name }) => name).join()

export const cases = {
    async 'four texts are read at a time, and those that have left the view are not'() {
        const { lines, reads, shown } = list()
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) lines.entered(row(name))
        assert.equal(names(reads), 'a,b,c,d')
        lines.left('e')
        reads[1].done('  two\n\twords ')
        await settled()
        assert.equal(names(reads), 'a,b,c,d,f')
        assert.deepEqual(shown, [['b', 'two words']])
        assert.equal(lines.words('b'), 'two words')
    },

    async 'a text that changes all the time is read once in a pause'() {
        const { lines, reads, pauses } = list()
        const typed = row('a')
        lines.entered(typed)
        for (let round = 1; round <= 5; round++) {
            lines.changed(change(typed))
            lines.changed(change(typed))
            reads.at(-1).done(`${round}`)
            await settled()
            assert.deepEqual([reads.length, pauses.length], [round, round])
            pauses.at(-1)()
            assert.equal(reads.length, round + 1)
        }
    },

    async 'a text that has not changed is not read again'() {
        const { lines, reads } = list()
        const known = row('a')
        lines.entered(known)
        reads[0].done('x')
        await settled()
        lines.left('a')
        lines.entered(known)
        assert.equal(reads.length, 1)
        lines.left('a')
        lines.entered(change(known))
        assert.equal(reads.length, 2)
    },

    async 'a text that cannot be read has no words until it changes, and an empty one is not read'() {
        const { lines, reads, pauses, shown } = list()
        const damaged = row('a')
        lines.entered(damaged)
        lines.entered({ ...row('b'), length: 0 })
        lines.entered({ ...row('c'), isOnlyHere: true })
        reads[0].reject(new Error('damaged'))
        await settled()
        assert.deepEqual([names(reads), shown.sort()], ['a', [['a', ''], ['b', '']]])
        lines.changed(change(damaged))
        pauses[0]()
        assert.equal(names(reads), 'a,a')
    },
}
