import CaretCore
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Killed while writing") struct KillTests {
    @Test("kill -9 at any moment loses nothing that was acked, doubles nothing and leaves no gap")
    func killed() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let rounds = isFullRun ? 200 : 12
        var acked = 0
        for round in 0..<rounds {
            var random = Seeded(UInt64(round))
            let heads = try killedWriter(in: scratch.path, after: 100 + random.number(0...150))
            acked += heads.lines
            try await check(heads.acked, in: scratch.path, "round \(round)")
        }
        print("kill -9: \(rounds) rounds, \(acked) acks before the kills, nothing lost")
    }

    @Test(
        "kill -9 right before a write, a sync or a truncation loses nothing either, inside of a checkpoint too"
    )
    func killedAtOperation() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let faulty = FaultyRun(seed: 3, rounds: 160)
        let whole = try faulty.outcome(in: scratch)
        var random = Seeded(1)
        var moments: [String] = []
        for (name, kind, count) in [("write", FaultTrace.Kind.wrote, 12), ("sync", .synced, 6)] {
            moments += whole.trace.someNumbers(isFullRun ? count * 10 : count, of: kind, &random)
                .map { "\(name):\($0)" }
        }
        moments += whole.trace.files(of: .truncated).indices.map { "truncate:\($0 + 1)" }
        var kills = 0
        for moment in moments {
            let outcome = try faulty.outcome(in: scratch, "kill=\(moment)")
            // A run whose upkeep falls otherwise may have fewer operations, and end first.
            #expect(outcome.end.status == nil || outcome.end.status == 0, "\(moment): \(outcome.end)")
            kills += outcome.end.status == nil ? 1 : 0
            let fault = try await faulty.fault(in: scratch.data, acked: outcome.acked)
            #expect(fault == nil, "killed at \(moment)")
        }
        #expect(kills > moments.count / 2)
        print("kill -9 at an operation: \(kills) kills")
    }

    /// Runs the writer until it has acked so often, kills it, and answers with the last head of each document that
    /// it told, and how many acks it told.
    private func killedWriter(in folder: String, after acks: Int) throws -> (acked: [String: Int], lines: Int)
    {
        let lines = try ChildProcess("store-writer", [folder]).killed(afterLines: acks).lines
        var heads: [String: Int] = [:]
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 2, let head = Int(String(words[1])) else {
                throw Unexpected(what: "the writer said: \(line)")
            }
            heads[String(words[0])] = head
        }
        return (heads, lines.count)
    }

    private func check(_ acked: [String: Int], in folder: String, _ round: String) async throws {
        let store = try SQLiteStore(folder: folder)
        for (name, head) in acked {
            let entry = try await store.find(DocumentName(name)).get()
            #expect(entry.head.value >= head, "\(round): \(name) has lost what was acked")
            let changes = try await store.read(entry.id, after: 0).get().segment.changes
            #expect(changes.map(\.seq) == (0..<entry.head.value).map { Int64($0 + 1) }, "\(round): \(name)")
            let text = try await store.text(of: entry.id).get().text
            #expect(text.length.utf8 == entry.head.value && text.length == entry.length, "\(round): \(name)")
            let pusher = try await store.pusher(SampleLog.ann, in: entry.id).get().entry
            #expect(
                pusher?.seq == Int64(entry.head.value) && pusher?.revision == entry.head, "\(round): \(name)")
        }
        await store.close()
    }
}
