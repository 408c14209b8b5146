import CaretCore
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Processes killed while writing") struct KillTests {
    /// Rule P1.
    @Test("kill -9 at any moment loses no acked change and repeats none")
    func killed() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        var (acked, slowest) = (0, Duration.zero)
        let rounds = Seeds.slowed(isFullRun ? 200 : 12)
        for round in 0..<rounds {
            var random = Seeded(UInt64(round))
            let writer = try ChildProcess("store-writer", [scratch.path])
            let lines = try writer.killProcess(afterLines: 100 + random.number(0...150)).lines
            acked += lines.count
            slowest = max(slowest, try await check(lines, in: scratch.path, "round \(round)"))
        }
        print(
            "kill -9: \(rounds) rounds, \(acked) acks before the kills, nothing lost, reopened within \(slowest)"
        )
    }

    @Test(
        "kill -9 at each step of a write loses no acked change and repeats none",
        arguments: [
            "committing", "committed", "checkpointing", "checkpointed", "snapshotting", "merging", "merged",
            "copying", "migrating",
        ])
    func killedAtMoment(moment: String) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        var (acked, slowest) = (0, Duration.zero)
        let rounds = Seeds.slowed(isFullRun ? 25 : 2)
        for round in 0..<rounds {
            var random = Seeded(UInt64(round))
            var lines: [Substring] = []
            let count = 100 + random.number(0...100)
            // The migration runs when the store is opened. So another process writes the data first, and the
            // process below is killed while it migrates them.
            if moment == "migrating" {
                lines = try ChildProcess("store-writer", [scratch.path]).killProcess(afterLines: count).lines
            }
            let end = try ChildProcess(
                "store-writer", [scratch.path, moment, "\(lines.isEmpty ? count : 0)"]
            ).waitForExit()
            #expect(end.status == nil, "\(moment), round \(round): \(end.lines.suffix(1))")
            lines += end.lines
            #expect(lines.count >= count)
            acked += lines.count
            slowest = max(slowest, try await check(lines, in: scratch.path, "\(moment), round \(round)"))
            for backup in try scratch.backups() {
                #expect(try SQLiteStore.verify(backup: backup).isSound, "\(moment), round \(round)")
            }
        }
        print(
            "kill -9 at \(moment): \(rounds) rounds, \(acked) acks before the kills, nothing lost, reopened within \(slowest)"
        )
    }

    @Test(
        "kill -9 before a write, sync or truncation loses no acked change"
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
            // Upkeep may run at other moments, so this run may have fewer operations and end before the kill.
            #expect(outcome.end.status == nil || outcome.end.status == 0, "\(moment): \(outcome.end)")
            kills += outcome.end.status == nil ? 1 : 0
            let fault = try await faulty.fault(in: scratch.data, acked: outcome.acked)
            #expect(fault == nil, "killed at \(moment)")
        }
        #expect(kills > moments.count / 2)
        print("kill -9 at an operation: \(kills) kills")
    }

    /// Compares the output of a writer with its store. Returns how long the store took to open.
    private func check(_ lines: [Substring], in folder: String, _ round: String) async throws -> Duration {
        let began = ContinuousClock.now
        let store = try SQLiteStore(folder: folder) { event in
            switch event {
            case .namesRebuilt, .renewed, .damaged, .damagedRow, .diskFailed, .filesLost, .diskFull,
                .checkpointDiskFull:
                Issue.record("\(round): \(event)")
            case .migrating, .writing, .committing, .committed, .checkpointing, .checkpointed, .snapshotting,
                .merging, .merged, .trimmed, .redacted, .erasing, .emptyingLog, .erased, .purged,
                .pushersForgotten, .clockIsBehind:
                break
            }
        }
        var heads: [String: Int] = [:]
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 2, let head = Int(String(words[1])) else {
                throw Unexpected(what: "unexpected output of the writer: \(line)")
            }
            heads[String(words[0])] = head
        }
        let took = ContinuousClock.now - began
        for (name, head) in heads {
            let entry = try await store.find(DocumentName(name)).get()
            #expect(entry.head.value >= head, "\(round): \(name) has lost acked changes")
            let changes = try await store.read(entry.id, after: 0).get().segment.changes
            #expect(changes.map(\.seq) == (0..<entry.head.value).map { Int64($0 + 1) }, "\(round): \(name)")
            let text = try await store.text(of: entry.id).get().text
            #expect(text.length.utf8 == entry.head.value && text.length == entry.length, "\(round): \(name)")
            let pusher = try await store.pusher(SampleLog.ann, in: entry.id).get().entry
            #expect(
                pusher?.seq == Int64(entry.head.value) && pusher?.revision == entry.head, "\(round): \(name)")
        }
        #expect(try await store.verify().isSound, "\(round)")
        await store.close()
        return took
    }
}
