// When unsaved edits are stored: conversations with KeepSchedule, which has no clock and no storage.
import assert from 'node:assert/strict'
import { KeepSchedule } from '../../Clients/javascript/keep-schedule.js'
import { makeRandom } from './support.mjs'

const [write, remove, push] = ['write', 'remove', 'push'].map((word) => ({ do: word }))
const wake = (at) => ({ do: 'wake', at })

export const cases = {
    'the first unsaved edit is stored at once, the next ones after 250 ms'() {
        const schedule = new KeepSchedule()
        assert.deepEqual(schedule.changed(true, 1000), [write])
        assert.equal(schedule.isKept, false)
        assert.deepEqual(schedule.changed(true, 1001), [])
        assert.deepEqual(schedule.finished(1002), [wake(1250)])
        assert.equal(schedule.isKept, false)
        assert.deepEqual(schedule.changed(true, 1003), [wake(1250)])
        assert.deepEqual(schedule.timePassed(1250), [write])
        assert.deepEqual(schedule.finished(1252), [])
        assert.equal(schedule.isKept, true)
    },

    'the pause between two writes is at least 20 times what a write takes'() {
        const schedule = new KeepSchedule()
        schedule.changed(true, 0)
        schedule.finished(100)
        assert.deepEqual(schedule.changed(true, 200), [wake(2000)])
        assert.deepEqual(schedule.timePassed(1999), [wake(2000)])
        assert.deepEqual(schedule.timePassed(2000), [write])
    },

    'what changes none of the stored edits is not stored again, and leaves them kept'() {
        for (const isStored of [true, false]) {
            const schedule = new KeepSchedule()
            schedule.changed(true, 0)
            schedule.finished(10)
            assert.deepEqual(schedule.changed(true, 20, { isStored: () => isStored }), isStored ? [] : [wake(250)])
            assert.equal(schedule.isKept, isStored)
        }
        // The edits that the user has dropped must go, whatever was stored.
        const schedule = new KeepSchedule({ isStored: true })
        assert.deepEqual(schedule.changed(false, 0, { isOwn: true, isStored: () => true }), [remove])
    },

    'a push waits until it is stored, and does not wait for the pause'() {
        const schedule = new KeepSchedule()
        schedule.changed(true, 0)
        assert.deepEqual(schedule.pushed(0), [])
        assert.deepEqual(schedule.finished(5), [push])
        schedule.changed(true, 10)
        assert.deepEqual(schedule.pushed(10), [write])
        assert.deepEqual(schedule.changed(true, 11), [])
        assert.deepEqual(schedule.finished(12), [push, wake(260)])
    },

    'a write that began before a push does not store the push'() {
        const schedule = new KeepSchedule()
        schedule.changed(true, 0)
        schedule.changed(true, 1)
        assert.deepEqual(schedule.pushed(1), [])
        assert.deepEqual(schedule.finished(2), [write])
        assert.deepEqual(schedule.finished(3), [push])
    },

    'a push that was dropped is not sent'() {
        for (const drop of [(schedule) => schedule.pushDropped(), (schedule) => schedule.changed(false, 1)]) {
            const schedule = new KeepSchedule()
            schedule.changed(true, 0)
            schedule.pushed(0)
            drop(schedule)
            assert.ok(!schedule.finished(2).includes(push))
        }
    },

    'saved edits are removed from the storage after the pause'() {
        const schedule = new KeepSchedule()
        schedule.changed(true, 0)
        schedule.finished(1)
        assert.deepEqual(schedule.changed(false, 10), [wake(250)])
        assert.equal(schedule.isKept, true)
        assert.deepEqual(schedule.timePassed(250), [remove])
        assert.deepEqual(schedule.finished(251), [])
        assert.deepEqual(schedule.changed(false, 300), [])
    },

    'edits that the user has undone are removed from the storage at once'() {
        const schedule = new KeepSchedule()
        schedule.changed(true, 0)
        schedule.finished(1)
        assert.deepEqual(schedule.changed(false, 10, { isOwn: true }), [remove])
        assert.equal(schedule.isKept, false)
        schedule.finished(11)
        assert.equal(schedule.isKept, true)
        // The same while they are being stored.
        assert.deepEqual(schedule.changed(true, 20), [write])
        assert.deepEqual(schedule.changed(false, 21, { isOwn: true }), [])
        assert.equal(schedule.isKept, false)
        assert.deepEqual(schedule.finished(22), [remove])
        assert.deepEqual([schedule.finished(23), schedule.isKept], [[], true])
    },

    'when the page may end, nothing waits'() {
        const schedule = new KeepSchedule()
        schedule.changed(true, 0)
        schedule.changed(true, 1)
        assert.deepEqual(schedule.hurried(2), [])
        assert.deepEqual(schedule.finished(3), [write])
        schedule.finished(4)
        schedule.changed(false, 5)
        assert.deepEqual(schedule.hurried(6), [remove])
    },

    'if the storage fails, pushes are sent, and the storage is tried again'() {
        const schedule = new KeepSchedule()
        schedule.changed(true, 0)
        schedule.pushed(0)
        assert.deepEqual(schedule.failed(10), [push, wake(5010)])
        assert.equal(schedule.isKept, false)
        assert.deepEqual(schedule.changed(true, 20), [wake(5010)])
        assert.deepEqual(schedule.pushed(20), [push, wake(5010)])
        assert.deepEqual(schedule.timePassed(5010), [write])
        schedule.finished(5011)
        assert.equal(schedule.isKept, true)
    },

    'a restored document is kept, and is removed when it is saved'() {
        const schedule = new KeepSchedule({ isStored: true })
        assert.equal(schedule.isKept, true)
        assert.deepEqual(schedule.changed(true, 0), [write])
        schedule.finished(1)
        assert.deepEqual(schedule.changed(false, 300), [remove])
    },

    'no push is sent before a working storage has it, in 2,000 random runs'() {
        for (let seed = 0; seed < 2000; seed++) randomRun(makeRandom(seed))
    },
}

/** Plays a document and a storage at random, and checks the laws of KeepSchedule. */
function randomRun(random) {
    const schedule = new KeepSchedule()
    let [now, version, stored, running, waiting, hasUnsaved, hasFailed, mustForget] = [0, 0, null, null, null, false, false, false]
    const run = (actions) => {
        for (const action of actions) {
            switch (action.do) {
            case 'write': case 'remove':
                assert.equal(running, null, 'one action at a time')
                assert.equal(action.do === 'write', hasUnsaved)
                running = { isWrite: action.do === 'write', version }
                break
            case 'push':
                assert.notEqual(waiting, null, 'only a push that waits is sent')
                assert.ok(hasFailed || stored >= waiting, `the storage has ${stored}, the push is ${waiting}`)
                waiting = null
                break
            case 'wake': assert.ok(action.at > now)
            }
        }
        assert.equal(schedule.isKept, hasUnsaved ? stored === version : !mustForget)
    }
    for (let step = 0; step < 60; step++) {
        now += random.below(200)
        const event = random.below(100)
        if (event < 40) {
            const had = hasUnsaved
            hasUnsaved = random.chance(75)
            const isOwn = random.chance(50)
            if (had || hasUnsaved) {
                version++
                mustForget = !hasUnsaved && isOwn && (stored !== null || running !== null)
            }
            if (!hasUnsaved) waiting = null
            const actions = schedule.changed(hasUnsaved, now, { isOwn })
            run(actions)
            if (!hasUnsaved || !random.chance(60)) continue
            waiting = version
            run(schedule.pushed(now))
        } else if (event < 70 && running) {
            hasFailed = random.chance(15)
            if (hasFailed) {
                mustForget &&= stored !== null
            } else {
                stored = running.isWrite ? running.version : null
                if (!running.isWrite) mustForget = false
            }
            running = null
            run(schedule[hasFailed ? 'failed' : 'finished'](now))
        } else if (event < 80) {
            run(schedule.hurried(now))
        } else {
            run(schedule.timePassed(now))
        }
    }
    while (running) {
        stored = running.isWrite ? running.version : null
        if (!running.isWrite) mustForget = false
        ;[running, hasFailed] = [null, false]
        run(schedule.finished(now))
    }
    run(schedule.hurried(now))
    assert.equal(waiting, null, 'every push is sent in the end')
}
