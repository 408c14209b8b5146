import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("Offsets, growth and weight of logged changes") struct LoggedChangeTests {
    @Test("a logged edit has offsets in all units and survives a round trip")
    func threeUnits() throws {
        let text = try TextBuffer("a😀é\u{301}b")
        let logged = try LoggedEdit(SampleChange.edit(1, 4, "😀x"), in: text)
        #expect(logged.start == TextLength(utf8: 1, utf16: 1, scalars: 1))
        #expect(logged.removed == TextLength(utf8: 6, utf16: 3, scalars: 2))
        #expect(try LoggedEdit(start: logged.start, removed: logged.removed, text: "😀x") == logged)
        #expect(throws: TextError.insideScalar(offset: 2)) {
            try LoggedEdit(SampleChange.edit(2, 3, ""), in: text)
        }
    }

    @Test("a change's `growth` is the length that it adds, in every unit")
    func growth() {
        for seed in Seeds.first(20_000) {
            var random = Seeded(seed)
            let fault = growthFault(&random)
            #expect(fault == nil, "\(Seeds.replay(seed, of: "LoggedChangeTests/growth"))")
            if fault != nil { return }
        }
    }

    @Test("a change's weight is 32 bytes, plus 32 and its text for each edit")
    func weight() throws {
        for (texts, weight) in [([], 32), ([""], 64), (["abc"], 67), (["é", "😀"], 102)] as [([String], Int)] {
            let edits = try texts.map { try LoggedEdit(start: .zero, removed: .zero, text: $0) }
            #expect(LoggedChange(pusher: SampleLog.ann, seq: 1, time: 1, edits: edits).weight == weight)
        }
    }

    private func growthFault(_ random: inout Seeded) -> String? {
        do {
            let before = try TextBuffer(SampleText.make(upTo: 10, &random))
            let change = SampleChange.make(for: before, upTo: 3, &random)
            let logged = try SampleLog.change(change, in: before, seq: 1)
            let after = try before.applying(change)
            return logged.growth == after.length - before.length ? nil : "\(change) has a wrong growth"
        } catch {
            return "threw \(error)"
        }
    }
}
