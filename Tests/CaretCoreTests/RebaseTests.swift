import CaretCore
import TestSupport
import Testing

@Suite("Rebasing concurrent changes") struct RebaseTests {
    @Test("both orders of two concurrent changes give the same text")
    func rebaseConverges() {
        checkLaw("rebaseConverges", cases: Seeds.share(of: 1_000_000, everyCommit: 200_000)) { random in
            let base = try TextBuffer(SampleText.make(upTo: 12, &random))
            let first = SampleChange.make(for: base, upTo: 3, &random)
            let second = SampleChange.make(for: base, upTo: 3, &random)
            let one = try base.applying(first).applying(second.rebased(over: first, tie: .otherFirst))
            let other = try base.applying(second).applying(first.rebased(over: second, tie: .selfFirst))
            return one == other ? nil : "\(first) and \(second) over \(readable(base.string)) diverge"
        }
    }

    @Test("rebased changes match the documented formulas and a second test model")
    func rebaseFollowsTheModels() {
        checkLaw("rebaseFollowsTheModels", cases: Seeds.share(of: 500_000, everyCommit: 100_000)) { random in
            let base = try TextBuffer(SampleText.make(upTo: 10, &random))
            let first = SampleChange.make(for: base, upTo: 4, &random)
            let second = SampleChange.make(for: base, upTo: 4, &random)
            return difference(from: models(first, second, base.string), base: base)
        }
    }

    /// Rule P4.
    @Test(
        "rebasing over a list of changes equals rebasing over them one by one"
    )
    func rebaseOverAList() {
        checkLaw("rebaseOverAList", cases: Seeds.share(of: 500_000, everyCommit: 100_000)) { random in
            let base = try TextBuffer(SampleText.make(upTo: 10, &random))
            let late = SampleChange.make(for: base, upTo: 3, &random)
            let isOtherFirst = random.chance(50)
            var (head, log, model) = (base, [Change](), late.model)
            for _ in 0..<random.number(1...5) {
                let next = SampleChange.make(for: head, upTo: 2, &random)
                try head.apply(next)
                log.append(next)
                model = FormulaModel.rebased(model, over: next.model, otherFirst: isOtherFirst)
            }
            let listed = late.rebased(over: log, tie: isOtherFirst ? .otherFirst : .selfFirst)
            if listed.model != model { return "\(late) over \(log): \(listed), by the formulas \(model)" }
            let after = try head.applying(listed)
            return Array(after.string.utf16) == apply(model, to: Array(head.string.utf16))
                ? nil : "applying the list gives another text"
        }
    }

    @Test("rebasing over a composition may differ from rebasing over its parts")
    func compositionIsNotClosed() throws {
        // In "ab", "x" is inserted after "a", then "a" is removed. In the composed change, "x" replaces "a".
        let first = SampleChange.change([SampleChange.edit(1, 1, "x")])
        let second = SampleChange.change([SampleChange.edit(0, 1, "")])
        let composed = try first.composed(with: second)
        let late = SampleChange.change([SampleChange.edit(0, 0, "z")])
        let head = try TextBuffer("xb")
        #expect(try head.applying(late.rebased(over: [first, second], tie: .otherFirst)).string == "zxb")
        #expect(try head.applying(late.rebased(over: composed, tie: .otherFirst)).string == "xzb")
    }

    /// Rule P4.
    @Test("an insertion inside a removed range survives")
    func insertionInsideRemoval() {
        let removal = SampleChange.change([SampleChange.edit(2, 6, "")])
        let insertion = SampleChange.change([SampleChange.edit(4, 4, "x")])
        #expect(
            removal.rebased(over: insertion, tie: .otherFirst).model
                == [ModelEdit(2, 4, []), ModelEdit(5, 7, [])])
        #expect(
            insertion.rebased(over: removal, tie: .otherFirst).model
                == [ModelEdit(2, 2, Array("x".utf16))])
    }

    /// Compares the module with both models for two concurrent changes. Returns whether each comparison
    /// succeeded.
    private func models(_ first: Change, _ second: Change, _ base: String) -> [(String, Bool)] {
        let units = Array(base.utf16)
        let (a, b) = (first.model, second.model)
        let moved = second.rebased(over: first, tie: .otherFirst).model
        let movedBack = first.rebased(over: second, tie: .selfFirst).model
        var identities = IdentityModel(units)
        identities.take(a)
        identities.take(b)
        return [
            ("formulas", moved == FormulaModel.rebased(b, over: a, otherFirst: true)),
            ("formulas with selfFirst", movedBack == FormulaModel.rebased(a, over: b, otherFirst: false)),
            ("identity model", apply(moved, to: apply(a, to: units)) == identities.text),
            ("identity model with selfFirst", apply(movedBack, to: apply(b, to: units)) == identities.text),
        ]
    }

    private func difference(from models: [(String, Bool)], base: TextBuffer) -> String? {
        models.first { !$0.1 }.map { "wrong by the \($0.0), over \(readable(base.string))" }
    }

    @Test("every pair of short changes is rebased as two test models rebase it")
    func allPairs() {
        var pairs = 0
        for length in 0...3 {
            let base = String("abc".prefix(length))
            let changes = AllChanges.over(length)
            for first in changes {
                for second in changes {
                    pairs += 1
                    let wrong = models(first, second, base).first { !$0.1 }
                    if let wrong {
                        Issue.record("\(second) over \(first): wrong by the \(wrong.0)")
                        return
                    }
                }
            }
        }
        print("all pairs of short changes: \(pairs) passed")
        #expect(pairs == 13_417)
    }
}
