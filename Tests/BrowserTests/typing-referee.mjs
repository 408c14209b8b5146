// Judges a round of random typing from outside: it knows only what the users did, and the text of the server.
//
// Every character that users type is unique in the round. So the text shows which ones are lost, doubled or back.

/**
 * What is wrong with the final text; an empty list if nothing is. `lives` are what the tabs have recorded, one for
 * each time that a page was loaded: { tab, events, acked }. An event is certain if the client has said that it
 * survives the tab, or if the server has acked it.
 */
export function faultsOf(text, lives) {
    const counts = new Map()
    for (const token of tokensOf(text)) counts.set(token, (counts.get(token) ?? 0) + 1)
    const histories = historiesOf(lives)
    const acked = new Set(lives.flatMap((life) => life.acked))
    const faults = [...counts.keys()].filter((token) => !histories.has(token)).map((token) => `${show(token)} was never typed`)
    for (const [token, history] of histories) {
        const count = counts.get(token) ?? 0
        const { fewest, most } = expected(history, acked.has(token))
        if (count < fewest) faults.push(`${show(token)} is lost: ${describe(history, acked.has(token))}`)
        if (count > most) faults.push(`${show(token)} is in the text ${count} times, not ${most}: ${describe(history)}`)
    }
    return [...faults, ...disorder(text, lives, histories)]
}

function tokensOf(text) { return [...text].filter((character) => character !== '\n') }

function show(token) { return `U+${token.codePointAt(0).toString(16)}` }

function describe(history, isAcked = false) {
    const steps = history.map(({ tab, isInsertion, isKept }) => `tab ${tab} ${isInsertion ? 'inserted' : 'deleted'} it${isKept ? '' : ', perhaps'}`)
    return [...steps, ...(isAcked ? ['the server acked it'] : [])].join('; ')
}

/** For each character, its insertions and deletions: { life, tab, isInsertion, isKept }. */
function historiesOf(lives) {
    const histories = new Map()
    for (const [life, { tab, events }] of lives.entries()) {
        for (const { inserted, deleted, isKept } of events) {
            for (const [tokens, isInsertion] of [[deleted, false], [inserted, true]]) {
                for (const token of tokens) {
                    if (!histories.has(token)) histories.set(token, [])
                    histories.get(token).push({ life, tab, isInsertion, isKept })
                }
            }
        }
    }
    return histories
}

/** How often a character may be in the text. */
function expected(history, isAcked) {
    const insertions = history.filter(({ isInsertion }) => isInsertion)
    const deletions = history.filter(({ isInsertion }) => !isInsertion)
    // If a composition ends at the wrong moment, the browser enters its text twice.
    const certain = insertions.filter(({ isKept }) => isKept).length
    if (deletions.length === 0) return { fewest: Math.max(certain, isAcked ? 1 : 0), most: insertions.length }
    // Without undo, nothing brings a character back.
    if (insertions.length <= 1) return { fewest: 0, most: deletions.some(({ isKept }) => isKept) ? 0 : 1 }
    const isOfOneLife = history.every(({ life, isKept }) => life === history[0].life && isKept)
    if (isOfOneLife) {
        const left = insertions.length - deletions.length
        return { fewest: left, most: left }
    }
    // If several users delete the same character, and then undo, each of them brings it back.
    return { fewest: 0, most: insertions.length }
}

/** Characters that were typed together must stay in their order. */
function disorder(text, lives, histories) {
    const offsets = new Map(tokensOf(text).map((token, index) => [token, index]))
    const isPlain = (token) => offsets.has(token) && histories.get(token).filter(({ isInsertion }) => isInsertion).length === 1
    return lives.flatMap(({ events }) => events).flatMap(({ inserted }) => {
        const found = inserted.filter(isPlain).map((token) => offsets.get(token))
        const isSorted = found.every((offset, index) => index === 0 || found[index - 1] < offset)
        return isSorted ? [] : [`${inserted.map(show).join(' ')} were typed in this order`]
    })
}
