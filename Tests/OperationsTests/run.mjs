// Tests that docs/operations.md is right about the programs that it names: nginx, Caddy, fail2ban and Prometheus.
//
//     node Tests/OperationsTests/run.mjs .build/release [--full]
//
// Ends with 'N passed, N failed'.
import { runSuite } from '../NodeSupport/suite.mjs'
import { testGuessers } from './guessers.mjs'
import { testMetrics } from './metrics.mjs'
import { testProxies } from './proxies.mjs'

const [programs, ...options] = process.argv.slice(2)
await runSuite(
    function proxies() { return testProxies(programs) },
    function guessers() { return testGuessers(programs) },
    function metrics() { return testMetrics(programs, { isFull: options.includes('--full') }) },
)
