// Measures what a visit of the page costs until its first text appears.

/** Lines of different speed, for `Network.emulateNetworkConditions`. Chromium calls the second one "fast 3G". */
export const lines = {
    loopback: { latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
    'fast 3G': { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 },
}

/**
 * Opens an address in a page, and waits for its first text. Returns the names of the requests until then, the bytes
 * that they brought over the network, and the time in milliseconds.
 */
export async function measureVisit(page, url, line = 'loopback') {
    const visit = { requests: [], bytes: 0, time: 0 }
    const sizes = new Map()
    const listeners = {
        'Network.requestWillBeSent': ({ requestId, request }) => {
            // The browser asks for its own reasons for an icon, at any moment.
            if (!/icon/.test(request.url)) sizes.set(requestId, { path: new URL(request.url).pathname, bytes: 0 })
        },
        'Network.webSocketCreated': ({ requestId, url }) => sizes.set(requestId, { path: new URL(url).pathname, bytes: 0 }),
        'Network.dataReceived': ({ requestId, encodedDataLength }) => {
            if (sizes.has(requestId)) sizes.get(requestId).bytes += encodedDataLength
        },
    }
    await page.send('Network.enable')
    await page.send('Network.emulateNetworkConditions', { offline: false, ...lines[line] })
    const { identifier } = await page.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${noteFirstText})()` })
    for (const [name, listener] of Object.entries(listeners)) page.on(name, listener)
    await page.goTo(url)
    visit.time = await page.waitFor(() => window.firstText, 'the first text')
    const early = new Set(await page.evaluate(() => performance.getEntriesByType('resource')
        .filter(({ startTime }) => startTime < window.firstText).map(({ name }) => new URL(name).pathname)))
    for (const [name, listener] of Object.entries(listeners)) page.off(name, listener)
    await page.send('Page.removeScriptToEvaluateOnNewDocument', { identifier })
    for (const { path, bytes } of sizes.values()) {
        if (!early.has(path) && path !== new URL(url).pathname && path !== '/ws') continue
        visit.requests.push(path)
        visit.bytes += bytes
    }
    return visit
}

/** Runs in the page: notes the end of the first frame that shows text. */
function noteFirstText() {
    const channel = new MessageChannel()
    // A message that is sent in a frame arrives after the frame.
    channel.port1.onmessage = () => {
        const hasText = document.querySelector('textarea.text')?.value || document.querySelector('.entry:not(.waiting) .document b')
        if (hasText) window.firstText = performance.now()
        else look()
    }
    const look = () => requestAnimationFrame(() => channel.port2.postMessage(null))
    look()
}
