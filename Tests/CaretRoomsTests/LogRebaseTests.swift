import CaretCore
import CaretLog
import CaretRooms
import TestSupport
import Testing

@Suite("Rebasing over a log") struct LogRebaseTests {
    /// Makes `count` logged changes, each from the text after the one before.
    private static func log(
        of count: Int, from start: TextBuffer, _ random: inout Seeded
    ) throws -> [LoggedChange] {
        var (text, log) = (start, [LoggedChange]())
        for seq in 0..<count {
            let change = SampleChange.make(for: text, upTo: random.chance(70) ? 1 : 3, &random)
            log.append(try SampleLog.change(change, in: text, seq: Int64(seq + 1)))
            try text.apply(change)
        }
        return log
    }

    @Test("a change rebased over a log equals the change rebased over its changes")
    func law() throws {
        for seed in Seeds.first(Seeds.share(of: 20_000, everyCommit: 1000)) {
            var random = Seeded(seed)
            let text = try TextBuffer(String(repeating: "some text 😀 ", count: random.number(0...12)))
            let pushed = SampleChange.make(for: text, upTo: 3, &random)
            let log = try Self.log(of: random.number(0...30), from: text, &random)
            let wanted = pushed.rebased(over: try log.map { try $0.change }, tie: .otherFirst)
            let found = ChangeWork.rebaseOverLog(pushed, log).done()
            #expect(found == wanted, "\(Seeds.replay(seed, of: "LogRebaseTests"))")
            if found != wanted { return }
        }
    }

    @Test("a long text is rebased like a short one", arguments: [4095, 4096, 4097])
    func longText(count: Int) throws {
        var random = Seeded(UInt64(count))
        let text = try TextBuffer(String(repeating: "line\n", count: 40))
        let pushed = SampleChange.change([
            SampleChange.edit(100, 100, String(repeating: "x", count: count))
        ])
        let log = try Self.log(of: 60, from: text, &random)
        let wanted = pushed.rebased(over: try log.map { try $0.change }, tie: .otherFirst)
        #expect(ChangeWork.rebaseOverLog(pushed, log).done() == wanted)
    }
}
