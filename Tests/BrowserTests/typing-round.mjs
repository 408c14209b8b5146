// Rounds of random typing: tabs of one browser user in one document, until everything is healed and compared.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { pause } from '../CaretPageTests/support.mjs'
import { startServer } from '../NodeSupport/programs.mjs'
import { atEnd, within } from '../NodeSupport/suite.mjs'
import { startBrowser, unrelatedToCuts } from './browsers.mjs'
import { startSite, Tab } from './tabs.mjs'
import { TypingLink } from './typing-link.mjs'
import { faultsOf } from './typing-referee.mjs'

/** How long the tabs may need until all show the text of the server, in milliseconds; less if they have a fault. */
const [healTime, faultyHealTime] = [20_000, 2_000]

/** A browser, a server that can be killed, and the tabs, which stay open from one round to the next. */
export class TypingWorld {
    #programs
    #site
    #browser
    #server
    #context
    #tabs = []
    #killing = null
    /** The clipboard belongs to all tabs. */
    #clipboard = Promise.resolve()

    static async start(programs) {
        const world = new TypingWorld()
        world.#programs = programs
        world.#site = await startSite()
        world.#browser = await startBrowser('chromium')
        await world.#startServer()
        return world
    }

    get port() { return this.#server.port }

    async #startServer(place) {
        this.#server = await startServer(this.#programs, ['--web-origins', this.#site.origin], place)
    }

    /** Kills the server, and starts it again with the same data and port. */
    kill() {
        this.#killing ??= this.#kill().finally(() => { this.#killing = null })
        return this.#killing
    }

    async #kill() {
        const { child, data, port } = this.#server
        const ended = once(child, 'close')
        child.kill('SIGKILL')
        await ended
        await this.#startServer({ data, port })
    }

    /** Pastes while no other tab uses the clipboard. */
    paste(tab, text) {
        this.#clipboard = this.#clipboard.then(() => tab.paste(text))
        return this.#clipboard
    }

    /** Opens a page for a tab. */
    async open(tab) {
        this.#context ??= (await this.#browser.send('Target.createBrowserContext')).browserContextId
        const page = await this.#browser.open(this.#address(tab), { browserContextId: this.#context })
        await page.send('Inspector.enable')
        return page
    }

    async load(tab) { await tab.page.goTo(this.#address(tab)) }

    #address({ link, fault }) {
        const query = new URLSearchParams({ server: `http://127.0.0.1:${this.port}`, link: link.port, fault })
        return `${this.#site.origin}/typing-tab.html?${query}`
    }

    /** The text of the server, read from outside; null if it does not answer. */
    async read(name) {
        try {
            const response = await fetch(`http://127.0.0.1:${this.port}/docs/${name}`, { headers: { connection: 'close' } })
            return response.ok ? await response.text() : null
        } catch {
            return null
        }
    }

    /** Runs a plan in a new document, and returns what is wrong after it. `fault` is a fault that all tabs have. */
    async run(plan, name, fault = '') {
        while (this.#tabs.length < plan.length) this.#tabs.push(await TypingTab.start(this, this.#tabs.length))
        const tabs = this.#tabs.slice(0, plan.length)
        try {
            if (fault) for (const tab of tabs) await tab.setFault(fault)
            await Promise.all(tabs.map((tab) => tab.begin(name)))
            await Promise.all(tabs.map((tab, index) => tab.runAll(plan[index])))
            await this.#killing
            const faults = await new Healing(this, tabs, name).run(fault ? faultyHealTime : healTime)
            if (faults.length === 0) await Promise.all(tabs.map((tab) => tab.end()))
            if (fault || faults.length > 0) await this.#renew()
            return faults
        } catch (error) {
            await this.#killing?.catch(() => {})
            await this.#renew()
            return [`the round did not end: ${error.stack}`]
        }
    }

    /** New tabs for the next round, with an empty storage. */
    async #renew() {
        for (const { link } of this.#tabs.splice(0)) link.offline()
        await this.#browser.send('Target.disposeBrowserContext', { browserContextId: this.#context })
        this.#context = undefined
    }
}

/** A tab, its link, and what it has recorded. */
class TypingTab {
    fault = ''
    #world
    #number
    #tab
    #name
    #lives = []

    static async start(world, number) {
        const tab = new TypingTab()
        tab.#world = world
        tab.#number = number
        tab.link = await TypingLink.start(world.port)
        await tab.#open()
        return tab
    }

    get page() { return this.#tab.page }
    get lives() { return this.#lives }

    async setFault(fault) {
        this.fault = fault
        await this.#load()
    }

    async #open() {
        this.#tab = new Tab(await this.#world.open(this))
        await this.page.waitFor(() => document.title === 'ready', 'a page that is ready')
    }

    async #load() {
        await this.#world.load(this)
        await this.page.waitFor(() => document.title === 'ready', 'a page that is ready')
    }

    async begin(name) {
        this.#name = name
        this.#lives = []
        await this.page.evaluate((name) => beginRound(name), name)
        await this.page.waitFor(() => !document.querySelector('#field').readOnly, 'an open document')
    }

    async end() {
        await this.page.evaluate(() => endRound())
        // The lost connections are reported, and nothing else is.
        assert.deepEqual(unrelatedToCuts(this.page.problems.splice(0)), [])
    }

    async runAll(steps) { for (const step of steps) await this.#run(step) }

    async #run({ kind, text, time, ...rest }) {
        switch (kind) {
        case 'insert': return this.#tab.insert(text)
        case 'press': return this.#tab.press(text)
        case 'compose': return this.#compose(text)
        case 'paste': return this.#world.paste(this.#tab, text)
        case 'cut': return this.link.cut()
        case 'offline': return this.link.offline()
        case 'online': return this.heal()
        case 'stall': return this.link.stall()
        case 'flow': return this.link.flow()
        case 'crash': case 'reload': case 'leave': return this.#begin(kind)
        case 'kill': return this.#world.kill()
        case 'pause': return pause(time)
        case 'kept': return this.page.waitFor(() => report().events.every(({ isKept }) => isKept), 'edits that are kept')
        case 'arrival': return this.#arrival(text)
        default: return this.page.evaluate((step) => act(step), { kind, text, ...rest })
        }
    }

    async #compose(text) {
        await this.#tab.compose(text)
        await this.#tab.commit(text)
    }

    /** Waits until the server has a text that this tab has sent. */
    async #arrival(text) {
        const arrives = async () => {
            while (!(await this.#world.read(this.#name))?.includes(text)) await pause(10)
        }
        await within(arrives(), `${text} at the server`)
    }

    /** Ends the page in some way, and begins again with what it has kept. */
    async #begin(kind) {
        await this.record()
        switch (kind) {
        case 'crash': await this.#crash(); break
        case 'reload': await this.#load(); break
        case 'leave':
            await this.page.send('Page.close')
            await this.#open()
        }
        await this.page.evaluate((name) => beginRound(name), this.#name)
    }

    async #crash() {
        const crashed = once(this.page, 'Inspector.targetCrashed')
        this.page.send('Page.crash').catch(() => {})
        await within(crashed, 'the crash of a tab')
        await this.#load()
    }

    /** Loads the page again after everything is saved, as a user does later. */
    async loadAgain() {
        await this.#begin('reload')
    }

    /** Saves what the page has recorded, which ends with it. */
    async record() {
        this.#lives.push({ tab: this.#number, ...await this.page.evaluate(() => report()) })
    }

    heal() {
        this.link.online()
        this.link.flow()
    }

    look() { return this.page.evaluate(() => look()) }
    keptStates() { return this.page.evaluate((name) => keptStates(name), this.#name) }
}

/** The end of a round: all links work, and every tab must come to the text of the server. */
class Healing {
    #world
    #tabs
    #name

    constructor(world, tabs, name) {
        this.#world = world
        this.#tabs = tabs
        this.#name = name
    }

    /** What is wrong at the end. */
    async run(time) {
        for (const tab of this.#tabs) tab.heal()
        const difference = await this.#converge(performance.now() + time)
        for (const tab of this.#tabs) await tab.record()
        const text = await this.#world.read(this.#name)
        return [...difference, ...faultsOf(text, this.#tabs.flatMap((tab) => tab.lives))]
    }

    /** Waits until all show the same text. If they do not, says what they show. */
    async #converge(deadline) {
        for (;;) {
            const views = await Promise.all(this.#tabs.map((tab) => tab.look()))
            const isSaved = views.every(({ link, saving }) => link === 'online' && saving === 'saved')
            const kept = isSaved ? await this.#keptStates() : ['not read']
            const text = await this.#world.read(this.#name)
            const isSame = views.every((one) => [one.field, one.text, one.view].every((shown) => shown === text))
            if (kept.length === 0 && isSame) return []
            if (performance.now() > deadline) return [`not healed: ${JSON.stringify({ text, kept, views })}`]
            await pause(10)
        }
    }

    /** The edits that wait on the device. If a tab has left some that no other tab has found, a tab is loaded again. */
    async #keptStates() {
        const states = await this.#tabs[0].keptStates()
        if (states.includes('waiting')) await this.#tabs[0].loadAgain()
        return states
    }
}
