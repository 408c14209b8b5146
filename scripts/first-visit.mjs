#!/usr/bin/env node
// Measures the first and the second visit of the page in Chromium, over loopback and over an emulated slow line.
//
//     scripts/first-visit.mjs [FOLDER]
//
// FOLDER has the programs; .build/release if it is missing. Prints a table: the requests, the bytes over the network
// and the time until the first text.
import { fileURLToPath } from 'node:url'
import { runSuite } from '../Tests/NodeSupport/suite.mjs'
import { startPages } from '../Tests/BrowserTests/pages.mjs'
import { hasPageOffline } from '../Tests/BrowserTests/page-support.mjs'
import { lines, measureVisit } from '../Tests/BrowserTests/visit.mjs'

const programs = process.argv[2] ?? fileURLToPath(new URL('../.build/release', import.meta.url))
/** The median of so many visits is printed. */
const rounds = 5

const median = (visits) => visits.sort((left, right) => left.time - right.time)[Math.floor(visits.length / 2)]
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)

await runSuite(async function visits() {
    const pages = await startPages(programs)
    await pages.put('agenda', 'Bring a pen.\n'.repeat(100))
    row('address', 'line', 'visit', 'requests', 'bytes', 'first text in ms')
    row('---', '---', '---', '---', '---', '---')
    for (const path of ['/d/agenda', '/']) {
        for (const line of Object.keys(lines)) {
            const found = { first: [], second: [] }
            for (let round = 0; round < rounds; round++) {
                const page = await pages.openPage('blank', undefined, 'light', 'about:')
                found.first.push(await measureVisit(page, pages.origin + path, line))
                await hasPageOffline(page)
                found.second.push(await measureVisit(page, pages.origin + path, line))
                await page.close()
            }
            for (const [name, visits] of Object.entries(found)) {
                const { requests, bytes, time } = median(visits)
                row(path, line, name, requests.length, bytes, Math.round(time))
            }
        }
    }
})
