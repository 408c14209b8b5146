// The section "PostgreSQL in ten minutes" of docs/postgresql.md: one shell runs all of its commands, from an empty folder
// to three servers, two standbys and a failover. Prints how long each step takes.
import assert from 'node:assert/strict'
import { accessSync, chmodSync, constants, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOfSection } from '../NodeSupport/page.mjs'
import { freePort, run, start, temporaryFolder } from '../NodeSupport/programs.mjs'
import { test } from '../NodeSupport/suite.mjs'

const page = 'docs/postgresql.md'
const section = 'PostgreSQL in ten minutes'

/** How long a step may take, in seconds. The longest one takes one second in memory, and 20 on a slow disk. */
const patience = 180

/**
 * What runs before the commands of the page. If a command fails, the shell ends. At its end, it stops everything and
 * removes its home folder, even if nobody reads its output any more.
 */
const before = String.raw`
set -eu
exec 2>&1
unset $(compgen -v PG)
home=$1
cd "$home"
finish() {
    local status=$? name
    trap '' HUP INT PIPE TERM
    trap - EXIT
    set +e
    ((status == 0)) || tail -n 5 caret-trial/*.log
    kill $(cat caret-trial/[abc].pid 2>/dev/null) 2>/dev/null
    for name in one two three; do
        [[ ! -e caret-trial/$name/postmaster.pid ]] || pg_ctl --pgdata="caret-trial/$name" --mode=immediate stop
    done
    wait
    cd /
    rm -rf "$home"
    exit "$status"
}
trap finish EXIT
trap 'exit 1' HUP INT PIPE TERM
`

export async function testPostgres(programs) {
    const steps = await stepsOfPage()
    const shell = await startShell(programs, steps)
    let [first, total] = [0, 0]
    for (const [index, step] of steps.entries()) {
        let hasPassed = false
        await test(`the commands of ${page}: ${step.name}`, async () => {
            const began = performance.now()
            await shell.line(new RegExp(`^step ${index} is done$`), first, patience)
            const seconds = (performance.now() - began) / 1000
            total += seconds
            console.log(`${seconds.toFixed(1).padStart(7)} s  ${step.name}`)
            const end = shell.lines.indexOf(`step ${index} is done`)
            compare(shell.lines.slice(first, end), step.output)
            first = end + 1
            hasPassed = true
        })
        if (hasPassed) continue
        // The later steps need this one. At its end, the shell prints the end of each log.
        await shell.stop()
        return console.log(shell.lines.slice(first).join('\n'))
    }
    console.log(`${total.toFixed(1).padStart(7)} s  in all`)
}

/** The commands of the page in order, with free ports. Each step has the output that the page shows after it. */
async function stepsOfPage() {
    const changes = []
    for (const port of [5441, 5442, 5443, 22741, 22742, 22743]) {
        let free
        do free = String(await freePort()); while (changes.some(([, other]) => other === free))
        changes.push([String(port), free])
    }
    const steps = []
    for (const { heading, language, text } of blocksOfSection(page, section, changes)) {
        if (language !== 'sh') {
            steps.at(-1).output = text
            continue
        }
        const count = steps.filter((step) => step.heading === heading).length
        steps.push({ heading, name: count === 0 ? heading : `${heading}, ${count + 1}`, text, output: '' })
    }
    assert.ok(steps.length > 5, `${page} has only ${steps.length} blocks of commands`)
    return steps
}

/** Fails unless these lines of output have the lines of the page, in order. `…` on the page is any text. */
function compare(lines, wanted) {
    let index = 0
    for (const line of wanted.split('\n').filter(Boolean)) {
        const parts = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        const pattern = new RegExp(`^${parts.join('.*')}$`)
        const found = lines.findIndex((one, at) => at >= index && pattern.test(one))
        assert.ok(found >= 0, `the page shows:\n${line}\nThe output is:\n${lines.join('\n')}`)
        index = found + 1
    }
}

/** A shell that runs all steps, in a home folder that has nothing but the programs. */
async function startShell(programs, steps) {
    // In memory, if that is possible: databases sync often, and disks of test machines are slow.
    const home = temporaryFolder(isWritable('/dev/shm') ? '/dev/shm' : undefined)
    mkdirSync(join(home, 'bin'))
    for (const name of ['caretd', 'caret']) {
        copyFileSync(join(programs, name), join(home, 'bin', name))
        chmodSync(join(home, 'bin', name), 0o755)
    }
    const commands = steps.map((step, index) => `${step.text}echo 'step ${index} is done'\n`)
    const shell = ['bash', '-c', before + commands.join(''), 'reader', home]
    // If this process is killed, the shell gets SIGTERM.
    const options = ['--pdeathsig', 'TERM']
    // PostgreSQL refuses to run as root, so root becomes `nobody` first.
    if (process.getuid() === 0) {
        options.push('--reuid=nobody', '--regid=nogroup', '--clear-groups')
        const { status, errors } = await run('chown', ['-R', 'nobody:nogroup', home])
        assert.equal(status, 0, errors)
    }
    const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` }
    return start('setpriv', [...options, ...shell], { env })
}

function isWritable(folder) {
    try {
        accessSync(folder, constants.W_OK)
        return true
    } catch {
        return false
    }
}
