import CaretCore
import CaretFormat
import CaretLog
import CaretPostgres
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

    @Test("the count of unmerged segments leaves out trimmed segments")
    func unmergedAfterTrim() async throws {
        let sample = try await PreparedDocument()
        defer { sample.scratch.remove() }
        do {
            var (pieces, document) = (try UpkeepPieces(sample.scratch), sample.document)
            for _ in 0..<50 { try pieces.append("x", to: &document) }
            let plan = try pieces.prepareTrim(document.entry.id, through: 40)
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.trim(plan) })
        }
        let store = try SQLiteStore(folder: sample.scratch.path, settings: .withoutRounds)
        await store.runUpkeep(at: 0)
        await store.close()
        #expect(try sample.scratch.count("segment") == 10)
        #expect(try sample.scratch.number("SELECT loose FROM document") == 10)
    }

    @Test("over PostgreSQL, a count of unmerged segments that is too high is corrected")
    func tooHigh() async throws {
        let cluster = try PostgresCluster()
        let store = try PostgresStore(
            PostgresAddress(cluster.newAddress()), node: "test", allowsUnreplicated: true)
        var document = try await TrackedDocument(on: store)
        try await document.type("0123456789")
        try cluster.execute("UPDATE store_1.document SET loose = 90")
        await store.runUpkeep(at: 0)
        // The command fails if this does not hold.
        try cluster.execute("DO 'BEGIN ASSERT (SELECT loose FROM store_1.document) = 10; END'")
        await store.close()
    }

    @Test("a merge is due once 64 segments are unmerged, and not before")
    func unmergedLimit() async throws {
        let sample = try await PreparedDocument()
        defer { sample.scratch.remove() }
        var (pieces, document) = (try UpkeepPieces(sample.scratch), sample.document)
        for count in 1...64 {
            try pieces.append("x", to: &document)
            let due = try pieces.reader.next(for: document.entry.id, isIdle: false, isNew: true).get()?
                .packed()
            #expect((due != nil) == (count == 64), "\(count) segments")
        }
    }

    @Test("a step's weight is the number of rows and pages that it writes")
    func weights() async throws {
        let sample = try await PreparedDocument()
        defer { sample.scratch.remove() }
        var (pieces, document, random) = (try UpkeepPieces(sample.scratch), sample.document, Seeded(1))
        let id = document.entry.id
        for _ in 0..<4 {
            // Texts that compress badly: the merged segment has several pages too.
            let bytes = (0..<20_000).map { _ in UInt8(random.number(32...126)) }
            let paste = String(decoding: bytes, as: UTF8.self)
            try pieces.append([SampleChange.edit(0, 0, paste)], to: &document)
        }
        let merge = try pieces.step(of: id, isIdle: true)
        guard case .merge(let replacement) = merge else { throw Unexpected(what: "no merge is due") }
        let old = try sample.scratch.number("SELECT sum(1 + length(body) / 4096) FROM segment")
        #expect(try pieces.commit { writer throws(StoreFault) in try writer.replace(replacement) })
        let new = try sample.scratch.number("SELECT length(body) / 4096 FROM segment")
        #expect(merge.weight == 1 + Int(old) + 2 * Int(new) && new > 4)
        #expect(try sample.scratch.number("SELECT loose FROM document") == 0)
        let append = try document.letters(String(repeating: "x", count: 600))
        _ = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
        let step = try pieces.step(of: id)
        guard case .snapshot(let snapshot, _, _) = step else { throw Unexpected(what: "no snapshot is due") }
        try pieces.commit { writer throws(StoreFault) in try writer.keep(snapshot) }
        let pages = try sample.scratch.number("SELECT length(body) / 4096 FROM snapshot")
        #expect(step.weight == 2 + Int(pages) && pages > 4)
        #expect(UpkeepStep.removeTrimmed.weight == 64)
        #expect(UpkeepStep.correctUnmerged(excess: 9).weight == 1)
    }

    @Test("a snapshot is due after over 256 changes, or 32 in an idle document", arguments: [32, 256])
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
            let due = try pieces.reader.next(for: id, isIdle: most == 32, isNew: true).get()?.packed()
            if case .snapshot(_, nil, let covered)? = due?.step {
                #expect(count > most && covered == append.changes.reduce(0) { $0 + $1.logged.weight })
            } else {
                #expect(due == nil && count == most)
            }
        }
    }

    @Test("a snapshot is due when more than 256 KiB were inserted and removed")
    func weightLimit() async throws {
        for excess in [0, 1] {
            let sample = try await PreparedDocument()
            defer { sample.scratch.remove() }
            var (pieces, document) = (try UpkeepPieces(sample.scratch), sample.document)
            // A change of one edit counts as 64 bytes and the text that it inserts. The second change removes
            // the text again.
            let count = UpkeepPolicy.mostWeight(sinceSnapshotOf: 0) - 128 + excess
            let paste = String(repeating: "x", count: count)
            try pieces.append([SampleChange.edit(0, 0, paste)], to: &document)
            try pieces.append([SampleChange.edit(0, count, "")], to: &document)
            #expect(document.log.reduce(0) { $0 + $1.weight } == 262_144 + excess)
            let due = try pieces.reader.next(for: document.entry.id, isIdle: false, isNew: true).get()?
                .packed()
            #expect((due != nil) == (excess > 0))
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
        // No second snapshot is due. So the size of the changes since the snapshot, which the store has
        // counted, stays the same.
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
