import CaretCore
import TestSupport
import Testing

@Suite("Applying, composing and inverting changes") struct ChangeTests {
    @Test("a composed change does the same as both changes in turn")
    func composeAppliesInTurn() {
        checkLaw("composeAppliesInTurn", cases: Seeds.share(of: 500_000, everyCommit: 150_000)) { random in
            let base = try TextBuffer(SampleText.make(upTo: 12, &random))
            let first = SampleChange.make(for: base, upTo: 4, &random)
            let middle = try base.applying(first)
            let second = SampleChange.make(for: middle, upTo: 4, &random)
            let composed = try first.composed(with: second)
            if !isNormal(composed) { return "\(composed) is not in normal form" }
            let expected = try middle.applying(second)
            return try base.applying(composed) == expected
                ? nil : "\(first) then \(second) is not \(composed)"
        }
    }

    @Test("a change's inverse undoes it, and the inverse's inverse is the change")
    func inverseRestores() {
        checkLaw("inverseRestores", cases: Seeds.share(of: 500_000, everyCommit: 150_000)) { random in
            let base = try TextBuffer(SampleText.make(upTo: 12, &random))
            let change = SampleChange.make(for: base, upTo: 4, &random)
            let after = try base.applying(change)
            let inverse = try change.inverted(in: base)
            if !isNormal(inverse) { return "\(inverse) is not in normal form" }
            if try after.applying(inverse) != base { return "\(inverse) does not undo \(change)" }
            return try inverse.inverted(in: after) == change ? nil : "\(inverse) inverted is not \(change)"
        }
    }

    @Test("selections move by the documented formulas and keep their direction")
    func mappedSelections() {
        checkLaw("mappedSelections", cases: Seeds.share(of: 500_000, everyCommit: 150_000)) { random in
            let base = try TextBuffer(SampleText.make(upTo: 12, &random))
            let change = SampleChange.make(for: base, upTo: 4, &random)
            let after = try base.applying(change)
            let places = SampleChange.scalarBoundaries(of: base.string)
            let (anchor, head) = (random.pick(places), random.pick(places))
            let mapped = Selection(anchor: Offset(anchor), head: Offset(head)).mapped(through: change)
            let (start, end) = FormulaModel.selection(
                min(anchor, head), max(anchor, head), through: change.model)
            if (mapped.start.value, mapped.end.value) != (start, end) {
                return "\(anchor)…\(head) through \(change) is \(mapped), by the formulas \(start)…\(end)"
            }
            if anchor != head, !mapped.isCaret, (anchor < head) != (mapped.anchor < mapped.head) {
                return "\(mapped) has changed its direction"
            }
            let fits = after.isScalarBoundary(mapped.start) && after.isScalarBoundary(mapped.end)
            return fits && mapped.start <= mapped.end
                ? nil : "\(mapped) is not inside \(readable(after.string))"
        }
    }

    @Test(
        "every short change moves every selection as two test models do"
    )
    func allSelections() {
        var cases = 0
        for length in 0...4 {
            for change in AllChanges.over(length) {
                for anchor in 0...length {
                    for head in 0...length {
                        cases += 1
                        if let wrong = wronglyMapped(anchor, head, of: length, through: change) {
                            Issue.record("\(wrong)")
                            return
                        }
                    }
                }
            }
        }
        print("selections after all short changes: \(cases) cases passed")
        #expect(cases == 8289)
    }

    /// A report if the module maps a selection differently than the models.
    private func wronglyMapped(_ anchor: Int, _ head: Int, of length: Int, through change: Change) -> String?
    {
        let mapped = Selection(anchor: Offset(anchor), head: Offset(head)).mapped(through: change)
        let (low, high) = (min(anchor, head), max(anchor, head))
        let formulas = FormulaModel.selection(low, high, through: change.model)
        let start = IdentityModel.caret(low, of: length, through: change.model)
        let end = low == high ? start : max(start, IdentityModel.end(high, of: length, through: change.model))
        let found = (mapped.start.value, mapped.end.value)
        if found == formulas && found == (start, end) { return nil }
        return
            "\(anchor)…\(head) through \(change) is \(mapped); formulas \(formulas), identities \((start, end))"
    }

    @Test("touching edits are joined in order, and empty edits are dropped")
    func normalForm() {
        let change = SampleChange.change([
            SampleChange.edit(0, 0, "a"), SampleChange.edit(0, 0, "b"), SampleChange.edit(0, 2, "c"),
            SampleChange.edit(2, 3, ""), SampleChange.edit(4, 4, ""), SampleChange.edit(5, 6, "d"),
        ])
        #expect(
            change == SampleChange.change([SampleChange.edit(0, 3, "abc"), SampleChange.edit(5, 6, "d")]))
        #expect(change.edits.count == 2)
    }

    @Test("out-of-order or overlapping edits throw an error that names the edit")
    func outOfOrder() {
        let edits = [SampleChange.edit(3, 5, "a"), SampleChange.edit(4, 6, "b")]
        #expect(throws: ChangeError.outOfOrder(edit: 1)) { try Change(edits) }
        let descending = [
            SampleChange.edit(3, 3, "a"), SampleChange.edit(3, 4, ""), SampleChange.edit(1, 1, "b"),
        ]
        #expect(throws: ChangeError.outOfOrder(edit: 2)) { try Change(descending) }
    }

    @Test("if an edit does not fit the text, nothing changes; the error names it")
    func allOrNothing() throws {
        let text = try TextBuffer("a😀b")
        var copy = text
        // Edits are applied from the last to the first, and only the first edit of `cut` is invalid. The text
        // still stays unchanged, because all edits are checked before any edit is applied.
        let cut = SampleChange.change([SampleChange.edit(2, 2, "x"), SampleChange.edit(3, 4, "y")])
        #expect(throws: ChangeError.misplaced(edit: 0, .insideScalar(offset: 2))) { try copy.apply(cut) }
        let beyond = SampleChange.change([SampleChange.edit(0, 1, "x"), SampleChange.edit(3, 5, "y")])
        #expect(throws: ChangeError.misplaced(edit: 1, .outside(offset: 5, end: 4))) {
            try copy.apply(beyond)
        }
        let single = SampleChange.change([SampleChange.edit(0, 2, "x")])
        #expect(throws: ChangeError.misplaced(edit: 0, .insideScalar(offset: 2))) { try copy.apply(single) }
        #expect(throws: ChangeError.misplaced(edit: 0, .insideScalar(offset: 2))) {
            try single.inverted(in: text)
        }
        #expect(copy == text)
    }

    @Test("composing fails if the second change splits a scalar of the first")
    func composeRefusesCuts() {
        let first = SampleChange.change([SampleChange.edit(0, 0, "a😀b")])
        for (start, end, text) in [(2, 2, "x"), (2, 3, ""), (0, 2, ""), (1, 2, "x")] {
            let second = SampleChange.change([SampleChange.edit(start, end, text)])
            #expect(throws: ChangeError.misplaced(edit: 0, .insideScalar(offset: 2)), "\(second)") {
                try first.composed(with: second)
            }
        }
        let later = SampleChange.change([SampleChange.edit(0, 0, "y"), SampleChange.edit(2, 3, "")])
        #expect(throws: ChangeError.misplaced(edit: 1, .insideScalar(offset: 2))) {
            try first.composed(with: later)
        }
    }

    @Test("apply and invert throw the same error for an edit that does not fit")
    func misplaced() throws {
        let text = try TextBuffer("a😀b")
        for start in 0...6 {
            for end in start...6 {
                let reason: TextError? =
                    if end > 4 {
                        .outside(offset: end, end: 4)
                    } else if start == 2 || end == 2 {
                        .insideScalar(offset: 2)
                    } else {
                        nil
                    }
                let expected = reason.map { ChangeError.misplaced(edit: 0, $0) }
                let change = SampleChange.change([SampleChange.edit(start, end, "x")])
                #expect(refusal { _ = try text.applying(change) } == expected, "\(change)")
                #expect(refusal { _ = try change.inverted(in: text) } == expected, "\(change)")
            }
        }
    }

    private func refusal(_ body: () throws -> Void) -> ChangeError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ChangeError
        }
    }

    @Test("an edit with a carriage return or a negative offset is refused")
    func edgesOfAnEdit() {
        #expect(throws: TextError.carriageReturn(at: 3)) { try Edit(0..<0, "é\u{0}\r\n") }
        #expect(throws: TextError.outside(offset: -1, end: 0)) { try Edit(-1..<0, "") }
        let farthest = Edit.farthestOffset
        #expect(throws: TextError.outside(offset: farthest + 1, end: farthest)) {
            try Edit(0..<Offset(farthest + 1), "")
        }
        // The largest offset does not overflow, although no text is that long.
        let far = SampleChange.change([SampleChange.edit(farthest, farthest, "x")])
        let near = SampleChange.change([SampleChange.edit(0, 0, "y")])
        #expect(
            far.rebased(over: near, tie: .otherFirst).model == [ModelEdit(farthest + 1, farthest + 1, [120])])
    }

    @Test("edits with different bytes are not equal, even if they look the same")
    func bytesAreCompared() {
        let texts = ["ab", "ac", "bb", "a", "é", "e\u{301}", "Å", "\u{212B}", "a\u{30A}", "😀", "😁", ""]
        let ranges = [(1, 2), (0, 2), (1, 3), (2, 2)]
        let edits = ranges.flatMap { start, end in texts.map { SampleChange.edit(start, end, $0) } }
        for (index, edit) in edits.enumerated() {
            for (otherIndex, other) in edits.enumerated() {
                #expect((edit == other) == (index == otherIndex), "\(edit) and \(other)")
            }
        }
    }

    private func isNormal(_ change: Change) -> Bool {
        zip(change.edits, change.edits.dropFirst()).allSatisfy { $0.range.upperBound < $1.range.lowerBound }
            && change.edits.allSatisfy { !$0.range.isEmpty || !$0.text.isEmpty }
    }
}
