// A text and people for the pictures, and pages that show them.
export const agenda = `# Agenda

Monday, 10:00. Bring the plans for the greenhouse,
and last year's list of what grew and what did not.

- tomatoes: six plants, the south wall
- beans along the fence
- somebody waters on weekends

Then eat together.
`

/** A page of somebody with a name and a color. */
export async function openAs(pages, person, path, window, scheme, origin = pages.origin) {
    const page = await pages.openPage('/healthz', window, scheme, origin)
    await page.evaluate((person) => localStorage.setItem('caret.settings', JSON.stringify(person)), person)
    if (path !== '/healthz') await page.goTo(`${origin}${path}`)
    return page
}

/** Waits until the page has its content, and nothing moves any more. */
export async function settle(page) {
    await page.waitFor(() => document.querySelector('.screen') && !document.querySelector('[aria-busy="true"]'), 'a screen')
    await rest(page)
}

/** Waits until nothing moves any more, but for what moves all the time. */
export async function rest(page) {
    await page.evaluate(async () => {
        await document.fonts.ready
        const ends = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
        await Promise.all(ends.map((one) => one.finished.catch(() => {})))
        for (let frames = 0; frames < 30; frames++) await new Promise(requestAnimationFrame)
    })
}

export const ann = { name: 'Ann', color: '#1074cc' }
export const eve = { name: 'Eve', color: '#8658d7' }
