import CaretCore
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("The counts and limits of upkeep") struct UpkeepCountsTests {
    @Test("the count of unmerged segments is exact after merges and trims")
    func unmerged() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        for round in 0..<4 {
            try await document.type(String(repeating: "a", count: 50))
            if round % 2 == 0 {
                #expect(
                    await store.trim(document.entry.id, through: document.head)
                        == .trimmed(start: document.head))
            }
            await store.runUpkeep(at: round % 2 == 0 ? 0 : .max)
            let loose = try scratch.number("SELECT loose FROM document")
            let plain = try scratch.number("SELECT count(*) FROM segment WHERE substr(body, 2, 1) = x'00'")
            #expect(loose == plain, "round \(round)")
        }
        await store.close()
    }

    @Test("a snapshot is due after over 256 changes, or over 32 if idle", arguments: [32, 256])
    func changes(most: Int) async throws {
        for count in [most, most + 1] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let store = try SQLiteStore(folder: scratch.path, settings: .withoutRounds)
            let document = try await TrackedDocument(on: store)
            await store.close()
            let append = try document.letters(String(repeating: "x", count: count))
            var pieces = try UpkeepPieces(scratch)
            let outcome = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            #expect(outcome == .committed(head: Revision(count)))
            let id = document.entry.id
            let due = try pieces.reader.next(for: id, isIdle: most == 32, isNew: true).get()
            if case .snapshot(_, nil, let covered)? = due?.step {
                #expect(count > most && covered == append.changes.reduce(0) { $0 + $1.logged.weight })
            } else {
                #expect(due == nil && count == most)
            }
        }
    }

    @Test("after much inserted text, upkeep makes a snapshot")
    func weight() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        let paste = String(repeating: "lorem ipsum dolor ", count: 10_000)
        for _ in 0..<6 {
            for text in [paste, ""] {
                let append = try document.append(
                    [SampleChange.edit(0, document.text.end.value, text)], seq: 1)
                #expect(await store.append(append) == .committed(head: document.head.next))
                try document.follow(append)
            }
        }
        await store.runUpkeep(at: .max)
        let snapshot = Int(try scratch.number("SELECT snapshot FROM document"))
        let behind = document.log[snapshot...].reduce(0) { $0 + $1.weight }
        #expect(behind <= UpkeepPolicy.mostWeight(sinceSnapshotOf: 0) && snapshot > 0)
        // No second snapshot is due, so the size stays the same.
        #expect(try scratch.number("SELECT behind FROM document") == behind)
        await store.close()
    }

    @Test("a removal step has a row and byte limit, but removes at least one row")
    func removals() async throws {
        for (bytes, atOnce) in [(10, 64), (400_000, 2), (1_200_000, 1)] {
            let scratch = try Scratch.inMemory()
            defer { scratch.remove() }
            let store = try SQLiteStore(folder: scratch.path)
            var document = try await TrackedDocument(on: store)
            await store.close()
            var pieces = try UpkeepPieces(scratch)
            let paste = String(repeating: "x", count: bytes)
            for _ in 0..<3 * atOnce {
                let append = try document.append(
                    [SampleChange.edit(0, document.text.end.value, paste)], seq: 1)
                let outcome = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
                #expect(outcome == .committed(head: document.head.next))
                try document.follow(append)
            }
            let (id, plan) = (
                document.entry.id, try pieces.prepareTrim(document.entry.id, through: document.head)
            )
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.trim(plan) })
            var left = try scratch.count("segment")
            while left > 0 {
                try pieces.commit { writer throws(StoreFault) in try writer.removeTrimmed(of: id) }
                let now = try scratch.count("segment")
                #expect(left - now == min(left, Int64(atOnce)), "rows of \(bytes) bytes")
                left = now
            }
        }
    }
}
