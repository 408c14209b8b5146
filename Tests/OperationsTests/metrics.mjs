// The section about Prometheus of docs/watching.md. With --full, Prometheus reads a server with the configuration
// on the page.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { block } from '../NodeSupport/page.mjs'
import { freePort, listening, run, start, startServer, temporaryFolder } from '../NodeSupport/programs.mjs'
import { test, within } from '../NodeSupport/suite.mjs'

export async function testMetrics(programs, { isFull }) {
    const folder = temporaryFolder()
    const server = await startServer(programs, ['--require-tokens'])
    const token = (await server.caret(['token', 'add', 'prometheus', '--admin', ''])).match(/caret_\S+/)[0]
    const url = `http://127.0.0.1:${server.port}/metrics`
    const get = async () => (await run('curl', ['-sS', '-H', `Authorization: Bearer ${token}`, url])).output

    await test('each metric has a name, a sentence that explains it, and a type', async () => {
        const lines = (await get()).trimEnd().split('\n')
        const named = (word) => lines.filter((line) => line.startsWith(`# ${word} `)).map((line) => line.split(' ')[2])
        assert.ok(named('TYPE').length > 20)
        assert.deepEqual(named('HELP'), named('TYPE'))
        for (const line of lines.filter((line) => !line.startsWith('#'))) {
            assert.match(line, /^caret_[a-z_]+(\{(le|code)="[^"]+"\})? [0-9.e+-]+$/)
        }
    })

    if (!isFull) return

    await test('promtool finds no fault in the metrics', async () => {
        const { status, output, errors } = await run('promtool', ['check', 'metrics'], { input: await get() })
        assert.equal(status, 0, output + errors)
    })

    await test('Prometheus reads the metrics with the configuration on the page', async () => {
        const secret = join(folder, 'token')
        writeFileSync(secret, `${token}\n`, { mode: 0o600 })
        const path = join(folder, 'prometheus.yml')
        const scrape = block('docs/watching.md', 'Prometheus', 'yaml', [
            ['127.0.0.1:22738', `127.0.0.1:${server.port}`], ['/etc/prometheus/caret.token', secret],
        ])
        writeFileSync(path, `global: {scrape_interval: 1s}\n${scrape}`)
        const check = await run('promtool', ['check', 'config', path])
        assert.equal(check.status, 0, check.output + check.errors)
        const port = await freePort()
        const prometheus = start('prometheus', [
            `--config.file=${path}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`,
        ])
        await listening(prometheus, port)
        const query = `http://127.0.0.1:${port}/api/v1/query?query=caret_connections_opened_total`
        const firstValue = async () => {
            for (;;) {
                const { data } = JSON.parse((await run('curl', ['-sS', query])).output)
                if (data?.result.length > 0) return data.result[0]
                await new Promise((later) => setTimeout(later, 100))
            }
        }
        const { metric, value } = await within(firstValue(), 'the first value in Prometheus')
        assert.equal(metric.job, 'caret')
        assert.ok(Number(value[1]) > 0)
    })
}
