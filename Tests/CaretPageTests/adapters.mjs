// The adapters for CodeMirror 6 and Monaco, as far as no browser is needed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { editsOf } from '../../Clients/javascript/monaco.js'

/** The most bytes of an adapter, minified and compressed, without the editor and without what is in caret.js anyway. */
const mostBytes = 4096

export const cases = {
    'the adapters are small'() {
        for (const name of ['codemirror', 'monaco']) {
            const path = fileURLToPath(new URL(`../../Clients/javascript/${name}.js`, import.meta.url))
            const outside = ['@codemirror/*', './surface.js', './field-text.js'].map((one) => `--external:${one}`)
            const code = execFileSync('esbuild', ['--bundle', '--minify', '--format=esm', '--target=es2022', ...outside, path])
            const { length } = gzipSync(code, { level: 9 })
            assert.ok(length <= mostBytes, `${name}.js has ${length} bytes of ${mostBytes}`)
        }
    },

    'the changes of Monaco, which begin with the last, become edits that begin with the first'() {
        const changes = [
            { rangeOffset: 9, rangeLength: 0, text: 'x' }, { rangeOffset: 4, rangeLength: 2, text: '' },
            { rangeOffset: 0, rangeLength: 1, text: 'a\nb' },
        ]
        assert.deepEqual(editsOf(changes), [
            { range: [0, 1], text: 'a\nb' }, { range: [4, 6], text: '' }, { range: [9, 9], text: 'x' },
        ])
        assert.deepEqual(editsOf([]), [])
    },
}
