// The section about fail2ban of docs/access.md: fail2ban reads the log of a server with the filter on the page.
import assert from 'node:assert/strict'
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocks } from '../NodeSupport/page.mjs'
import { run, startServer, temporaryFolder } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'

const [filter, jail] = blocks('docs/access.md', 'Block guessers with fail2ban', 'ini')

export async function testGuessers(programs) {
    const folder = temporaryFolder()
    const path = join(folder, 'caretd.conf')
    writeFileSync(path, filter)
    const lines = await linesOfFailedLogins(programs)

    /** The addresses that the filter finds in these lines. */
    const addresses = async (lines) => {
        const log = join(folder, 'log')
        writeFileSync(log, lines.join('\n') + '\n')
        const { output } = await run('fail2ban-regex', ['-o', '<ip>', log, path])
        return output.split('\n').filter(Boolean)
    }

    await test('fail2ban finds the address of each unknown token in the log, and no other address', async () => {
        assert.equal(lines.length, 3, lines.join('\n'))
        assert.deepEqual(await addresses(lines), ['127.0.0.6', '127.0.0.7'])
    })

    await test('fail2ban finds the same addresses in lines of the journal', async () => {
        const ofJournal = lines.map((line) => `Nov 23 08:15:00 host caretd[42]: ${line}`)
        assert.deepEqual(await addresses(ofJournal), ['127.0.0.6', '127.0.0.7'])
    })

    await test('fail2ban finds an IPv6 address, and an address that is slowed down', async () => {
        const six = lines[0].replace('127.0.0.6:', '[2001:db8::7]:')
        // No address of this machine is ever slowed down, so this line is made from another.
        const slowed = lines[1].replace(/info .* peer/, 'warning event=guessing_slowed peer').replace(/ reason=.*/, '')
        assert.deepEqual(await addresses([six, slowed]), ['2001:db8::7', '127.0.0.7'])
    })

    await test('fail2ban accepts the filter and the jail', async () => {
        const copy = join(folder, 'fail2ban')
        cpSync('/etc/fail2ban', copy, { recursive: true })
        // The machine may have more jails than a new Debian.
        const others = readdirSync(join(copy, 'jail.d')).filter((name) => name !== 'defaults-debian.conf')
        for (const name of others) rmSync(join(copy, 'jail.d', name))
        writeFileSync(join(copy, 'filter.d/caretd.conf'), filter)
        writeFileSync(join(copy, 'jail.d/caretd.conf'), jail)
        const check = await run('fail2ban-client', ['-c', copy, '-t'])
        assert.equal(check.status, 0, check.output + check.errors)
        const { output } = await run('fail2ban-client', ['-c', copy, '-d'])
        for (const part of ["'systemd'", "'_SYSTEMD_UNIT=caretd.service'", "'addaction', 'nftables-multiport'"]) {
            assert.ok(output.includes(part), `${part} is missing in:\n${output}`)
        }
    })
}

/** The lines that a server logs for two logins with unknown tokens, and one without a token. */
async function linesOfFailedLogins(programs) {
    const server = await startServer(programs, ['--require-tokens'])
    const logIn = async (address, fields, reason) => {
        const before = server.lines.length
        await run('curl', ['-s', '--interface', address, ...fields, `http://127.0.0.1:${server.port}/docs/agenda`])
        await server.line(new RegExp(` peer=${address.replaceAll('.', '\\.')}:\\d+ reason=${reason}`), before)
    }
    await logIn('127.0.0.6', ['-H', 'Authorization: Bearer wrong'], 'unknown_token')
    await logIn('127.0.0.7', ['-H', 'Authorization: Bearer wrong'], 'unknown_token')
    await logIn('127.0.0.8', [], 'no_token')
    return server.lines.filter((line) => line.includes(' event=login_failed '))
}
