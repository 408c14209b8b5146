// The lists of the page's files, which must be complete.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'

const root = new URL('../../Sources/CaretPage/', import.meta.url)
const read = (path) => readFileSync(new URL(path, root), 'utf8')
/** Files that a page does not load, or that must not be kept. */
const others = ['caret/caret-node.js', 'caret/caret.d.ts', 'caret/package.json', 'page/service-worker.js', 'page/files.json']

export const cases = {
    'page/files.json lists all files that the page may load'() {
        const files = ['caret', 'page'].flatMap((folder) => readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`))
        const paths = files.filter((file) => !others.includes(file)).map((file) =>
            ({ 'page/index.html': '/', 'page/manifest.json': '/manifest.json' }[file] ?? `/${file}`))
        assert.deepEqual(JSON.parse(read('page/files.json')), paths.sort())
    },

    'the manifest names icons that exist'() {
        const { icons, start_url: start, scope } = JSON.parse(read('page/manifest.json'))
        assert.deepEqual([start, scope], ['/', '/'])
        for (const { src } of icons) assert.match(read(src.slice(1)), /^<svg /)
    },
}
