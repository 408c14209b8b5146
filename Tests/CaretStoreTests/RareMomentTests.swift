import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Foundation
import TestSupport
import Testing

@Suite("Rare cases of forgetting, trimming and kills") struct RareMomentTests {
    @Test("a pusher who pushes again just before being forgotten is remembered")
    func pushesMeanwhile() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        try await document.type("a")
        try await document.type("b", by: SampleLog.bob)
        await store.close()
        let id = document.entry.id
        do {
            var pieces = try UpkeepPieces(scratch)
            let old = try pieces.reader.pushers(of: id, usedBefore: 1003).get()
            #expect(old.count == 2)
            // After the reader has chosen Ann's entry for removal, Ann pushes again, at the time 1003.
            let append = try document.append([SampleChange.edit(2, 2, "c")], seq: 3)
            let outcome = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            #expect(outcome == .committed(head: 3))
            try document.follow(append)
            try pieces.commit { writer throws(StoreFault) in
                try writer.forget(old, of: id, usedBefore: 1003)
            }
        }
        let again = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        #expect(try await again.pusher(SampleLog.ann, in: id).get().entry?.seq == 3)
        #expect(try await again.pusher(SampleLog.bob, in: id).get().entry == nil)
        #expect(try await again.verify().isSound)
        await again.close()
    }

    @Test("the pushers with the oldest pushes are forgotten first")
    func oldestFirst() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
        var document = try await TrackedDocument(on: store)
        // The order of the authors' numbers is the opposite of the order of their last pushes.
        let crowd = (0..<4).map { Pusher(user: ByteString("user \($0)"), client: "client") }
        for pusher in crowd { try await document.type("x", by: pusher) }
        for pusher in crowd.reversed() { try await document.type("y", by: pusher) }
        await store.close()
        let pieces = try UpkeepPieces(scratch)
        let found = try pieces.reader.pushers(of: document.entry.id, usedBefore: .max).get()
        #expect(found == found.sorted(by: >) && found.count == 4)
    }

    @Test("trimming by time is exact to one revision inside merged segments")
    func mergedAndTrimmed() async throws {
        for start in [1, 63, 64, 65, 150, 199] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
            var document = try await TrackedDocument(on: store)
            // Change n has the time 1000 + n.
            for _ in 0..<200 { try await document.type("x") }
            await store.runUpkeep(at: .max)
            await store.close()
            #expect(try scratch.count("segment") < 10)
            #expect(
                try scratch.number("SELECT count(*) FROM segment WHERE time <> 1000 + last") == 0,
                "a merged segment does not have the time of its last revision")
            var settings = StoreSettings.withoutRounds
            settings.keepHistory = .time(5_000)
            let again = try SQLiteStore(folder: scratch.path, settings: settings)
            await again.runUpkeep(at: Int64(1_000 + start + 1 + 5_000))
            #expect(try await again.find(document.entry.name).get().start == Revision(start))
            #expect(try await again.text(of: document.entry.id).get().text == document.text)
            let kept = try await again.read(document.entry.id, after: Revision(start)).get().segment
            #expect(kept.changes == Array(document.log[start...]))
            #expect(try await again.verify().isSound)
            await again.close()
        }
    }

    @Test("a process killed while its disk is full loses no acked change")
    func fullAndKilled() async throws {
        var moments = Set<String>()
        for bound in stride(from: 400_000, through: 1_600_000, by: isFullRun ? 4_096 : 60_000) {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            try scratch.makeData()
            let orders = [scratch.data, "bound=\(bound)", "seed=\(bound)", "rounds=300", "then=die"]
            let end = try ChildProcess("store-faults", orders).waitForExit()
            #expect(end.status == nil, "\(bound): \(end.lines.suffix(5))")
            moments.insert(end.lines.last { $0.hasPrefix("answer: ") }.map(String.init) ?? "")
            let faulty = FaultyRun(seed: UInt64(bound), rounds: 300, atOnce: 1)
            let fault = try await faulty.fault(
                in: scratch.data, acked: end.numbers(after: "acked").last ?? 0)
            #expect(fault == nil, "\(bound) bytes")
        }
        print("killed while the disk was full: \(moments.sorted())")
    }
}
