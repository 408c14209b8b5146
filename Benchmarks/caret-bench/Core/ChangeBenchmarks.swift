import CaretCore
import TestSupport

/// Rebasing changes, and mapping carets and selections.
struct ChangeBenchmarks {
    let rounds: Int

    func run() {
        var table = Table(["", "of 1 edit", "of 100 edits"])
        let (one, hundred) = (pair(edits: 1), pair(edits: 100))
        table.row("a rebase over a change", rebase(one), rebase(hundred))
        table.row("a composition with a change", compose(one), compose(hundred))
        table.row("a selection mapped through a change", map(one), map(hundred))
        table.print(under: "Rebasing and composing changes, and mapping selections")
    }

    private func pair(edits count: Int) -> (Change, Change) {
        func change(seed: UInt64) -> Change {
            var random = Seeded(seed)
            return SampleChange.change(
                (0..<count).map { index in
                    let start = index * 100 + random.number(0...80)
                    return SampleChange.edit(start, start + random.number(0...9), SampleText.word(&random))
                })
        }
        return (change(seed: 5), change(seed: 6))
    }

    private func rebase(_ pair: (Change, Change)) -> String {
        time { consume(pair.0.rebased(over: pair.1, tie: .otherFirst)) }
    }

    private func compose(_ pair: (Change, Change)) -> String {
        time { consume(mustSucceed { try pair.0.composed(with: pair.1) }) }
    }

    private func map(_ pair: (Change, Change)) -> String {
        let middle = pair.0.edits[pair.0.edits.count / 2].range.lowerBound
        let selection = Selection(anchor: middle - 3, head: middle + 20)
        return time { consume(selection.mapped(through: pair.0)) }
    }

    private func time(_ body: () -> Void) -> String {
        let calls = 10_000
        return (best(of: rounds) { for _ in 0..<calls { body() } } / Double(calls)).time
    }
}
