// How the page shows and prints texts: the length of lines, sizes, scripts from right to left, and paper.
import assert from 'node:assert/strict'
import { pressOn } from './page-support.mjs'
import { startPages, windows } from './pages.mjs'

const hasText = (page) => page.waitFor(() => document.querySelector('.editor[data-situation="saved"] .text'), 'the text')

export async function testPageText(programs) {
    const pages = await startPages(programs)
    await testLines(pages)
    await testRightToLeft(pages)
    await testNames(pages)
    await testPrinting(pages)
}

async function testLines({ testPage, put }) {
    await put('long', 'In a line of a book there are about as many letters as in this sentence, and then comes the next one. '.repeat(9))
    /** How many characters of the first paragraph are in its first line. */
    const firstLine = (page) => page.evaluate(() => {
        const field = document.querySelector('.text')
        const style = getComputedStyle(field)
        const mirror = document.createElement('div')
        mirror.style.cssText = `position: fixed; font: ${style.font}; white-space: pre-wrap; overflow-wrap: break-word; inline-size: ${field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)}px`
        mirror.textContent = field.value
        document.body.append(mirror)
        const range = document.createRange()
        const lineOf = (offset) => {
            range.setStart(mirror.firstChild, offset)
            range.setEnd(mirror.firstChild, offset + 1)
            return range.getBoundingClientRect().top
        }
        let end = 0
        while (lineOf(end) === lineOf(0)) end++
        mirror.remove()
        return [end, style.fontSize]
    })
    await testPage('a line has at most 72 characters in each size and font, and on a phone fewer', '/d/long', async (page) => {
        await hasText(page)
        for (const [words, size] of [['Normal', '16px'], ['Large', '19px'], ['Larger', '23px'], ['Monospace', '23px']]) {
            await pressOn(page, 'Settings')
            await pressOn(page, words)
            // A sheet that was closed goes only with its event.
            await page.evaluate(() => document.querySelector('dialog[open]').close())
            await page.waitFor(() => !document.querySelector('dialog'), 'no sheet')
            const [count, found] = await firstLine(page)
            assert.ok(count > 55 && count <= 73, `${count} characters, ${words}`)
            assert.equal(found, size)
        }
        await page.goTo(await page.evaluate(() => location.href))
        await hasText(page)
        assert.equal((await firstLine(page))[1], '23px')
    })
}

async function testRightToLeft({ testPage, put }) {
    const text = 'hello\n\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd\nhello again\n'
    const document = await put('scripts', text)
    await testPage('each paragraph has the direction of its first letter, and so have the carets in it', '/d/scripts', async (page) => {
        await hasText(page)
        /** Waits until the caret is at this place: its line, and the end of the line where it is. */
        const reaches = (offset, ...place) => {
            document.select([[offset, offset]])
            return page.waitFor((place) => {
                const field = window.document.querySelector('.text')
                const caret = field.nextElementSibling?.shadowRoot?.querySelector('.caret')
                if (!caret) return false
                const { left, top } = caret.getBoundingClientRect()
                const box = field.getBoundingClientRect()
                const style = getComputedStyle(field)
                const line = Math.round((top - box.top - parseFloat(style.paddingTop)) / parseFloat(style.lineHeight))
                const isAt = (x) => Math.abs(left - x) < 4
                const end = isAt(box.left + parseFloat(style.paddingLeft)) ? 'left' : isAt(box.right - parseFloat(style.paddingRight)) ? 'right' : ''
                return `${line} ${end}` === place
            }, `the caret in line ${place.join(', ')}`, place.join(' '))
        }
        await reaches(0, 0, 'left')
        await reaches(6, 1, 'right')
        await reaches(text.indexOf('hello again'), 2, 'left')
    })
}

async function testNames({ testPage, put, connectAs }) {
    const lines = Array.from({ length: 12 }, (_, index) => `Line ${index}\n`)
    await put('crowd', lines.join(''))
    const at = (line) => lines.slice(0, line).join('').length
    const open = async (name) => {
        const opened = (await connectAs({ name })).open('crowd')
        await opened.opened()
        return opened
    }
    const carets = (page, count) => page.waitFor((count) => document.querySelector('.text').nextElementSibling?.shadowRoot?.querySelectorAll('.caret').length === count, `${count} carets`, count)
    /** Waits until these names are shown over the text, each above or below its caret. */
    const names = (page, ...wanted) => page.waitFor((wanted) => {
        const carets = [...document.querySelector('.text').nextElementSibling?.shadowRoot?.querySelectorAll('.caret.named') ?? []]
        return JSON.stringify(carets.map((caret) => [caret.textContent, caret.matches('.low') ? 'below' : 'above'])) === wanted
    }, `the names ${wanted.join('; ')}`, JSON.stringify(wanted))

    await testPage('a name is never over the line of the user: it is below its caret, or missing', '/d/crowd', async (page) => {
        await hasText(page)
        const eve = await open('Eve')
        const go = async (own, line) => {
            await page.evaluate((own) => document.querySelector('.text').setSelectionRange(own, own), at(own))
            eve.select([[at(line) + 1, at(line) + 1]])
        }
        for (const [own, line, place] of [[2, 6, 'above'], [2, 3, 'below'], [1, 0, 'above'], [3, 2, 'above'], [4, 5, 'below']]) {
            await go(own, line)
            await names(page, ['Eve', place])
        }
        // There is no room above the first line of the view.
        await page.evaluate(() => {
            const field = document.querySelector('.text')
            field.scrollTop = parseFloat(getComputedStyle(field).paddingTop) + 3 * parseFloat(getComputedStyle(field).lineHeight)
        })
        await go(6, 3)
        await names(page, ['Eve', 'below'])
        await go(4, 3)
        await names(page)
        eve.close()
    }, { width: 900, height: 320, scale: 1, insets: {} })

    await testPage('with more than eight carets in the view, only those who type have a name', '/d/crowd', async (page) => {
        await hasText(page)
        await page.evaluate(() => document.querySelector('.text').blur())
        const people = await Promise.all(Array.from({ length: 9 }, (_, index) => open(`Person ${index}`)))
        for (const [index, document] of people.entries()) document.select([[at(index + 2), at(index + 2)]])
        await carets(page, 9)
        await names(page)
        people[4].edit([{ range: [at(6), at(6)], text: 'x' }])
        people[4].select([[at(6) + 1, at(6) + 1]])
        await names(page, ['Person 4', 'above'])
        people[0].close()
        await carets(page, 8)
        people[3].select([[at(5) + 2, at(5) + 2]])
        await page.waitFor(() => [...document.querySelector('.text').nextElementSibling.shadowRoot.querySelectorAll('.named')].some((one) => one.textContent === 'Person 3'), 'the name of who has moved')
    })
}

async function testPrinting({ testPage, put }) {
    const lines = Array.from({ length: 300 }, (_, index) => `Line ${index + 1}`)
    const document = await put('long/list', `${lines.join('\n')}\n`)
    document.replaceText(`${lines.slice(0, 200).join('\n')}\n`)
    await document.saved()
    /** The text on paper, and how many sheets there are. */
    const printed = async (page) => {
        await page.evaluate(() => addEventListener('beforeprint', () => {
            const seen = [...window.document.querySelectorAll('body *')].filter((node) => node.checkVisibility() && node.matches('h1, p, div, textarea, button, nav'))
            window.printed = seen.map((node) => node.innerText)
        }, { once: true }))
        await page.send('Emulation.setEmulatedMedia', { media: 'print' })
        const { data } = await page.send('Page.printToPDF')
        await page.send('Emulation.setEmulatedMedia', { media: '' })
        const sheets = Buffer.from(data, 'base64').toString('latin1').match(/\/Type ?\/Page\b/g).length
        return { sheets, texts: await page.evaluate(() => window.printed) }
    }
    await testPage('paper has the whole text with its name and the date, and no controls', '/d/long/list', async (page) => {
        await hasText(page)
        await page.waitFor(() => window.document.querySelector('.rows'), 'the list')
        const { sheets, texts: [name, date, text, ...others] } = await printed(page)
        assert.deepEqual([name, text, others], ['long/list', `${lines.slice(0, 200).join('\n')}\n`, []])
        assert.match(date, /\d\d\d\d.*\d:\d\d/)
        assert.ok(sheets >= 4, `${sheets} sheets`)
        assert.equal(await page.evaluate(() => window.document.querySelector('.print')), null)
    }, windows.phone)

    await testPage('an old revision is printed with its number', '/d/long/list?rev=1', async (page) => {
        await page.waitFor(() => window.document.querySelector('.history-text pre')?.textContent.includes('Line 300'), 'the old text')
        const { sheets, texts: [name, about] } = await printed(page)
        assert.equal(name, 'long/list')
        assert.match(about, /^Revision 1, printed /)
        assert.ok(sheets >= 6, `${sheets} sheets`)
    })
}
