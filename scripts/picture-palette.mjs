// Writes what a page shows as a PNG file with 256 colors, which has half the size of Chromium's own or less.
import { writeFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'

/** Writes a picture of a page. */
export async function writePicture(page, path) {
    const { width, height, palette, bytes } = await page.evaluate(reduceColors, await page.picture())
    const pixels = Buffer.from(bytes, 'base64')
    // PNG begins each row with the number of its filter. 0 means no filter.
    const rows = Buffer.alloc((width + 1) * height)
    for (let row = 0; row < height; row++) pixels.copy(rows, row * (width + 1) + 1, row * width, (row + 1) * width)
    const header = Buffer.alloc(13)
    header.writeUInt32BE(width, 0)
    header.writeUInt32BE(height, 4)
    // 8 bits for a pixel, which are an index in the palette.
    header.set([8, 3, 0, 0, 0], 8)
    writeFileSync(path, Buffer.concat([
        Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('PLTE', Buffer.from(palette.flat())),
        chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0)),
    ]))
}

function chunk(type, content) {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(content.length, 0)
    ends.writeUInt32BE(checksum(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

/** The CRC-32 of PNG. */
function checksum(bytes) {
    let sum = ~0
    for (const byte of bytes) {
        sum ^= byte
        for (let bit = 0; bit < 8; bit++) sum = sum >>> 1 ^ (sum & 1 ? 0xedb88320 : 0)
    }
    return ~sum >>> 0
}

/** Finds the best 256 colors of a PNG image, and the index of each pixel's color. Runs in the page. */
async function reduceColors(png) {
    const image = new Image()
    image.src = `data:image/png;base64,${png}`
    await image.decode()
    const { width, height } = image
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context.drawImage(image, 0, 0)
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)

    const counts = new Map()
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
    const colors = [...counts].map(([pixel, count]) => (
        { pixel, weight: Math.sqrt(count), parts: [pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255], error: Infinity, index: 0 }
    ))
    // The next color is always the one for which the colors so far are the worst.
    const palette = []
    for (let index = 0; index < Math.min(256, colors.length); index++) {
        const { parts } = colors.reduce((worst, one) => (
            one.weight * Math.min(one.error, 1e6) > worst.weight * Math.min(worst.error, 1e6) ? one : worst
        ))
        palette.push(parts)
        for (const color of colors) {
            const error = color.parts.reduce((sum, part, place) => sum + (part - parts[place]) ** 2, 0)
            if (error < color.error) Object.assign(color, { error, index })
        }
    }
    const indexes = new Map(colors.map(({ pixel, index }) => [pixel, index]))
    const url = await new Promise((done) => {
        const reader = new FileReader()
        reader.onload = () => done(reader.result)
        reader.readAsDataURL(new Blob([Uint8Array.from(pixels, (pixel) => indexes.get(pixel))]))
    })
    return { width, height, palette, bytes: url.slice(url.indexOf(',') + 1) }
}
