// How other users appear: names and colors, which they choose themselves.
import assert from 'node:assert/strict'
import { peerColor, peerName, textColorOn } from '../../Clients/javascript/peer-look.js'

export const cases = {
    'a color is used if it is one, and nothing else gets into a style'() {
        for (const color of ['#c33', '#CC3333']) assert.equal(peerColor({ color, client: 'a' }), color)
        const chosen = peerColor({ client: 'a' })
        assert.match(chosen, /^#[0-9a-f]{6}$/)
        for (const color of ['red', '#12345', 'url(//example.org)', '#c33;', '#c33\n', '', undefined]) {
            assert.equal(peerColor({ color, client: 'a' }), chosen)
        }
        assert.match(peerColor({}), /^#/)
        const colors = new Set(Array.from({ length: 100 }, (_, index) => peerColor({ client: `client ${index}` })))
        assert.equal(colors.size, 12)
        // White on each of the own colors is readable: a contrast of at least 4.5.
        for (const color of colors) {
            assert.equal(textColorOn(color), '#fff')
            assert.ok(contrastWithWhite(color) >= 4.5, `${color}: ${contrastWithWhite(color)}`)
        }
    },

    'the text on a color is black or white'() {
        for (const [color, expected] of [['#fff', '#000'], ['#000', '#fff'], ['#ff0', '#000'], ['#00f', '#fff'], ['#777777', '#000']]) {
            assert.equal(textColorOn(color), expected, color)
        }
    },

    'a name loses what would change the text around it, and has at most 64 characters'() {
        const rows = [
            [{ name: 'Ann', user: 'ann' }, 'Ann'], [{ user: 'ann' }, 'ann'], [{ name: '', user: 'ann' }, 'ann'], [{}, 'Somebody'],
            [{ user: 'anonymous' }, 'Somebody'], [{ user: 'link/3/8' }, 'Somebody'], [{ name: 'Eve', user: 'link/3/8' }, 'Eve'],
            [{ name: '\u202e', user: 'ann' }, 'Somebody'],
            [{ name: 'A\u202en\u2066n\u0007\n' }, 'Ann'], [{ name: '<b>' }, '<b>'], [{ name: '😀'.repeat(70) }, '😀'.repeat(64)],
        ]
        for (const [peer, expected] of rows) assert.equal(peerName(peer), expected)
    },
}

function contrastWithWhite(color) {
    const [red, green, blue] = color.slice(1).match(/../g).map((pair) => parseInt(pair, 16) / 255)
        .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}
