// The visible part of the page, from what the visual viewports of browsers report.
import assert from 'node:assert/strict'
import { followViewport, visiblePart } from '../../Sources/CaretPage/page/viewport.js'

// The events of a phone: [height, offsetTop, scale, innerHeight] and what is expected of them.
const recordings = {
    'Safari on an iPhone: the keyboard covers the page': [
        [[664, 0, 1, 664], { top: 0, height: 664, keyboard: false }],
        [[371, 0, 1, 664], { top: 0, height: 371, keyboard: true }],
        // Safari moves the view so that the field is above the keyboard.
        [[371, 112.33, 1, 664], { top: 112, height: 371, keyboard: true }],
        // A row with suggestions appears above the keyboard.
        [[327.67, 155.67, 1, 664], { top: 156, height: 328, keyboard: true }],
        [[664, 0, 1, 664], { top: 0, height: 664, keyboard: false }],
    ],
    'Safari on an iPhone: a rest of the movement without a keyboard': [
        [[664, 24, 1, 664], { top: 0, height: 664, keyboard: false }],
        [[664, -3, 1, 664], { top: 0, height: 664, keyboard: false }],
    ],
    'Safari in landscape': [
        [[331, 0, 1, 331], { top: 0, height: 331, keyboard: false }],
        [[143, 61, 1, 331], { top: 61, height: 143, keyboard: true }],
    ],
    'installed on an iPhone': [
        [[812, 0, 1, 812], { top: 0, height: 812, keyboard: false }],
        [[476, 0, 1, 812], { top: 0, height: 476, keyboard: true }],
        [[476, 336, 1, 812], { top: 336, height: 476, keyboard: true }],
    ],
    'an iPad with a real keyboard shows only a low bar': [[[1_111, 0, 1, 1_180], { top: 0, height: 1_180, keyboard: false }]],
    'Safari\u2019s bars are small or large': [[[746, 0, 1, 664], { top: 0, height: 664, keyboard: false }]],
    'a user enlarges the page with two fingers': [
        [[332, 80, 2, 664], { top: 0, height: 664, keyboard: false }],
        [[185, 80, 2, 664], { top: 0, height: 664, keyboard: false }],
    ],
    'Android: the layout becomes smaller with the keyboard': [
        [[412, 0, 1, 412], { top: 0, height: 412, keyboard: false }],
        // The scale is not exact after the page was enlarged.
        [[400.2, 0, 1.0004, 731], { top: 0, height: 400, keyboard: true }],
    ],
}

export const cases = Object.fromEntries(Object.entries(recordings).map(([name, events]) => [name, () => {
    for (const [[height, offsetTop, scale, inner], expected] of events) {
        assert.deepEqual(visiblePart({ height, offsetTop, scale }, inner), expected)
    }
}]))

cases['the variables of the page follow the keyboard, and go with it'] = () => {
    const variables = new Map()
    const classes = new Set()
    const root = {
        style: { setProperty: (name, value) => value ? variables.set(name, value) : variables.delete(name) },
        classList: { toggle: (name, isOn) => (isOn ? classes.add(name) : classes.delete(name)) },
    }
    const visualViewport = Object.assign(new EventTarget(), { height: 664, offsetTop: 0, scale: 1 })
    followViewport(root, { visualViewport, innerHeight: 664 })
    assert.deepEqual([variables.size, classes.size], [0, 0])
    Object.assign(visualViewport, { height: 371, offsetTop: 12 })
    visualViewport.dispatchEvent(new Event('resize'))
    assert.deepEqual([[...variables], [...classes]],
        [[['--viewport-top', '12px'], ['--viewport-height', '371px']], ['keyboard']])
    visualViewport.offsetTop = 40
    visualViewport.dispatchEvent(new Event('scroll'))
    assert.equal(variables.get('--viewport-top'), '40px')
    Object.assign(visualViewport, { height: 664, offsetTop: 0 })
    visualViewport.dispatchEvent(new Event('resize'))
    assert.deepEqual([variables.size, classes.size], [0, 0])
}
