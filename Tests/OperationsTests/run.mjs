// Tests that docs/access.md, docs/watching.md, docs/sign-in.md and docs/postgresql.md are right about the programs that
// they name: nginx, Caddy, fail2ban, Prometheus and PostgreSQL.
//
//     node Tests/OperationsTests/run.mjs .build/release [--full] [PART]
//
// With PART (proxies, signIn, guessers, metrics or postgres), runs only this part. Ends with 'N passed, N failed'.
import { runSuite } from '../NodeSupport/suite.mjs'
import { testGuessers } from './guessers.mjs'
import { testMetrics } from './metrics.mjs'
import { testPostgres } from './postgres.mjs'
import { testProxies } from './proxies.mjs'
import { testSignIn } from './sign-in.mjs'

const [programs, ...options] = process.argv.slice(2)
const isFull = options.includes('--full')
const wanted = options.filter((option) => option !== '--full')
const parts = [
    function proxies() { return testProxies(programs) },
    function signIn() { return testSignIn(programs) },
    function guessers() { return testGuessers(programs) },
    function metrics() { return testMetrics(programs, { isFull }) },
    function postgres() { return testPostgres(programs) },
]
const unknown = wanted.filter((name) => !parts.some((part) => part.name === name))
if (unknown.length > 0) {
    console.error(`run.mjs: there is no part ${unknown[0]}, only ${parts.map((part) => part.name).join(', ')}`)
    process.exit(2)
}
await runSuite(...parts.filter((part) => wanted.length === 0 || wanted.includes(part.name)))
