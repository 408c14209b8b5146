// The manifest, which tells a device how to install the page.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const root = new URL('../../Sources/CaretPage/', import.meta.url)
const read = (path) => readFileSync(new URL(path, root), 'utf8')

export const cases = {
    'the manifest names icons that exist'() {
        const { icons, start_url: start, scope } = JSON.parse(read('page/manifest.json'))
        assert.deepEqual([start, scope], ['/', '/'])
        for (const { src } of icons) assert.match(read(src.slice(1)), /^<svg /)
    },
}
