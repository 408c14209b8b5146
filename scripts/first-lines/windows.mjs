#!/usr/bin/env node
// Windows of a browser, for a script in another language. Reads one command per line, and answers each with one line,
// when it has happened: `done`, or `failed: ` and the reason.
//
//     open URL      opens a window, and waits until a person can type in its field
//     type TEXT     types into the field of the window that was opened last
//     see TEXT      waits until the field of the first window has this text
//
// Before the first command it prints `ready`: the browser is there, without a window.
import { createInterface } from 'node:readline'
import { startBrowser } from '../../Tests/BrowserTests/browsers.mjs'
import { runSuite } from '../../Tests/NodeSupport/suite.mjs'

const windows = []
const commands = {
    async open(url) {
        const page = await browser.open(url)
        windows.push(page)
        const canType = () => document.querySelector('textarea') && !document.querySelector('textarea').readOnly
        await page.waitFor(canType, 'a field to type in')
    },
    async type(text) {
        const page = windows.at(-1)
        await page.evaluate(() => document.querySelector('textarea').focus())
        await page.insert(text)
    },
    async see(text) {
        const has = (text) => document.querySelector('textarea').value.includes(text)
        await windows[0].waitFor(has, `the text ${text}`, text)
    },
}

let browser
await runSuite(async function windowsOfABrowser() {
    browser = await startBrowser()
    console.log('ready')
    for await (const line of createInterface(process.stdin)) {
        const [, name, argument] = line.match(/^(\w+) (.*)$/)
        const problems = () => windows.flatMap((page) => page.problems).join('; ')
        await commands[name](argument).then(
            () => console.log('done'),
            (error) => console.log(`failed: ${error.message.replaceAll('\n', ' ')} ${problems()}`))
    }
})
