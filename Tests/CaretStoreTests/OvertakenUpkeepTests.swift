import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import TestSupport
import Testing

@Suite("Upkeep steps that are committed after other writes") struct OvertakenUpkeepTests {
    @Test("a late snapshot does not replace the snapshot at a history's new start")
    func snapshotAfterTrim() async throws {
        let sample = try await SnapshotDueDocument()
        defer { sample.scratch.remove() }
        do {
            var pieces = try UpkeepPieces(sample.scratch)
            guard case .snapshot(let snapshot, let old?, let covered) = try pieces.step(of: sample.id) else {
                throw Unexpected(what: "no snapshot is due that supersedes another snapshot")
            }
            #expect(old == 10)
            let plan = try pieces.prepareTrim(sample.id, through: 10)
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.trim(plan) })
            try pieces.commit { writer throws(StoreFault) in
                try writer.keep(snapshot, superseding: old, covering: covered)
            }
        }
        try await sample.check(from: 10)
    }

    @Test("a delayed snapshot is refused if its revision was trimmed")
    func snapshotBeforeStart() async throws {
        let sample = try await SnapshotDueDocument()
        defer { sample.scratch.remove() }
        do {
            var pieces = try UpkeepPieces(sample.scratch)
            guard case .snapshot(let snapshot, let old, let covered) = try pieces.step(of: sample.id) else {
                throw Unexpected(what: "no snapshot is due")
            }
            let append = try sample.document.append([SampleChange.edit(0, 0, "new")], seq: 999)
            let outcome = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            #expect(outcome == .committed(head: sample.document.head.next))
            let plan = try pieces.prepareTrim(sample.id, through: sample.document.head.next)
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.trim(plan) })
            #expect(throws: StoreFault.self) {
                try pieces.commit { writer throws(StoreFault) in
                    try writer.keep(snapshot, superseding: old, covering: covered)
                }
            }
        }
        #expect(try sample.scratch.number("SELECT snapshot FROM document") == sample.document.head.value + 1)
        #expect(try SQLiteStore.verify(folder: sample.scratch.path).isSound)
    }

    @Test("a delayed older snapshot does not count as the newest snapshot")
    func snapshotAfterNewer() async throws {
        let sample = try await SnapshotDueDocument()
        defer { sample.scratch.remove() }
        do {
            var pieces = try UpkeepPieces(sample.scratch)
            guard case .snapshot(let newest, _, let covered) = try pieces.step(of: sample.id) else {
                throw Unexpected(what: "no snapshot is due")
            }
            let late = try pieces.prepareTrim(sample.id, through: 200).snapshot
            try pieces.commit { writer throws(StoreFault) in try writer.keep(newest, covering: covered) }
            try pieces.commit { writer throws(StoreFault) in try writer.keep(late, superseding: 10) }
        }
        #expect(try sample.scratch.number("SELECT snapshot FROM document") == sample.document.head.value)
        try await sample.check(from: 0)
    }

    private func note(at revision: Revision) -> NoteContent {
        NoteContent(
            user: "ann", time: 7, text: "x", place: NotePlace(at: revision, Selection(anchor: 0, head: 1)))
    }

    @Test("a trim is prepared again if somebody has written a note in a text that it removes")
    func trimAfterNote() async throws {
        let sample = try await SnapshotDueDocument()
        defer { sample.scratch.remove() }
        var pieces = try UpkeepPieces(sample.scratch)
        let plan = try pieces.prepareTrim(sample.id, through: 200)
        let call = NoteCall.add(note(at: 199), to: sample.id, .sample)
        _ = try pieces.commit { writer throws(StoreFault) in try writer.run(call) }
        #expect(try !pieces.commit { writer throws(StoreFault) in try writer.trim(plan) })
        #expect(try sample.scratch.number("SELECT start FROM document") == 0)
    }

    @Test("a note that somebody changes while its place is moved is moved by the next step")
    func noteChangedMeanwhile() async throws {
        let sample = try await SnapshotDueDocument()
        defer { sample.scratch.remove() }
        var pieces = try UpkeepPieces(sample.scratch)
        let add = NoteCall.add(note(at: 5), to: sample.id, .sample)
        _ = try pieces.commit { writer throws(StoreFault) in try writer.run(add) }
        func moveStep() throws -> UpkeepStep {
            guard case .moveNotes(let notes) = try pieces.step(of: sample.id) else {
                throw Unexpected(what: "no place is moved")
            }
            return .moveNotes(notes)
        }
        let late = try moveStep()
        let resolve = NoteCall.change(NoteNumber(1), of: sample.id, version: 1, .resolve, .sample)
        _ = try pieces.commit { writer throws(StoreFault) in try writer.run(resolve) }
        let (place, id) = ("SELECT revision FROM note WHERE state = 1", sample.id)
        _ = try pieces.commit { writer throws(StoreFault) in try writer.run(late, of: id) }
        #expect(try sample.scratch.number(place) == 5)
        let next = try moveStep()
        _ = try pieces.commit { writer throws(StoreFault) in try writer.run(next, of: id) }
        #expect(try sample.scratch.number(place) == sample.document.head.value)
    }

    @Test("changes appended while a snapshot is made count for the next snapshot")
    func snapshotBesideAppend() async throws {
        let sample = try await SnapshotDueDocument()
        defer { sample.scratch.remove() }
        let weights = "SELECT behind FROM document"
        do {
            var pieces = try UpkeepPieces(sample.scratch)
            guard case .snapshot(let first, _, let covered) = try pieces.step(of: sample.id) else {
                throw Unexpected(what: "no snapshot is due")
            }
            let append = try sample.document.append([SampleChange.edit(0, 0, "new")], seq: 999)
            let outcome = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
            #expect(outcome == .committed(head: sample.document.head.next))
            guard case .snapshot(let second, _, let all) = try pieces.step(of: sample.id) else {
                throw Unexpected(what: "no second snapshot is due")
            }
            try pieces.commit { writer throws(StoreFault) in try writer.keep(first, covering: covered) }
            #expect(try sample.scratch.number(weights) == append.changes[0].logged.weight)
            // The second snapshot also covers the changes that the first one covers.
            try pieces.commit { writer throws(StoreFault) in try writer.keep(second, covering: all) }
            #expect(try sample.scratch.number(weights) == 0)
        }
        #expect(try SQLiteStore.verify(folder: sample.scratch.path).isSound)
    }

    @Test("a prepared trim fails after another trim of the same revisions")
    func trimAfterTrim() async throws {
        for (first, second) in [(50, 100), (100, 100), (10, 10)] as [(Revision, Revision)] {
            let sample = try await SnapshotDueDocument()
            defer { sample.scratch.remove() }
            do {
                var pieces = try UpkeepPieces(sample.scratch)
                let plans = [
                    try pieces.prepareTrim(sample.id, through: first),
                    try pieces.prepareTrim(sample.id, through: second),
                ]
                let answers = try plans.reversed().map { plan in
                    try pieces.commit { writer throws(StoreFault) in try writer.trim(plan) }
                }
                #expect(answers == [true, false], "\(first) and \(second)")
            }
            try await sample.check(from: second)
        }
    }

    @Test("a prepared trim fails if a merged segment reuses the old row's number")
    func reusedRow() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        for _ in 0..<4 { try await document.typeAtOnce("0123456789") }
        await store.close()
        do {
            var pieces = try UpkeepPieces(scratch)
            let trim = try pieces.prepareTrim(document.entry.id, through: 5)
            guard case .merge(let merge) = try pieces.step(of: document.entry.id, isIdle: true) else {
                throw Unexpected(what: "no merge is due")
            }
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.replace(merge) })
            // The table was empty for a moment, so SQLite numbers its rows from 1 again.
            #expect(try scratch.number("SELECT id FROM segment") == 1)
            let isDone = try pieces.commit { writer throws(StoreFault) in try writer.trim(trim) }
            #expect(!isDone)
        }
        let report = try SQLiteStore.verify(folder: scratch.path)
        #expect(report.isSound && report.revisions == 40)
    }

    @Test(
        "a prepared merge fails after a trim, and a prepared trim after a merge",
        arguments: [5, 10, 100] as [Revision])
    func mergeAndTrim(start: Revision) async throws {
        for isTrimFirst in [true, false] {
            let sample = try await SnapshotDueDocument()
            defer { sample.scratch.remove() }
            do {
                var pieces = try UpkeepPieces(sample.scratch)
                let snapshot = try pieces.prepareTrim(sample.id, through: 260).snapshot
                try pieces.commit { writer throws(StoreFault) in try writer.keep(snapshot) }
                guard case .merge(let merge) = try pieces.step(of: sample.id, isIdle: true) else {
                    throw Unexpected(what: "no merge is due")
                }
                let trim = try pieces.prepareTrim(sample.id, through: start)
                let answers =
                    try isTrimFirst
                    ? [
                        pieces.commit { writer throws(StoreFault) in try writer.trim(trim) },
                        pieces.commit { writer throws(StoreFault) in try writer.replace(merge) },
                    ]
                    : [
                        pieces.commit { writer throws(StoreFault) in try writer.replace(merge) },
                        pieces.commit { writer throws(StoreFault) in try writer.trim(trim) },
                    ]
                #expect(answers == [true, false], "\(isTrimFirst)")
            }
            // A merge lowers the count of unmerged segments. A trim leaves the count for a later step.
            #expect(try sample.scratch.number("SELECT loose FROM document") == (isTrimFirst ? 3 : 1))
            try await sample.check(from: isTrimFirst ? start : 0)
        }
    }

    @Test("a leftover snapshot older than the start of the history is removed")
    func snapshotLeftByTrim() async throws {
        let sample = try await SnapshotDueDocument()
        defer { sample.scratch.remove() }
        // Simulate a trim that stopped after it had removed the segments, but before it removed the snapshot.
        do {
            var pieces = try UpkeepPieces(sample.scratch)
            let plan = try pieces.prepareTrim(sample.id, through: 100)
            #expect(try pieces.commit { writer throws(StoreFault) in try writer.trim(plan) })
        }
        try Database(path: sample.scratch.databasePath, for: .write).execute(
            "DELETE FROM segment WHERE last <= 100")
        let old = "SELECT count(*) FROM snapshot WHERE revision < 100"
        #expect(try sample.scratch.number(old) == 1)
        do {
            var pieces = try UpkeepPieces(sample.scratch)
            guard case .removeTrimmed = try pieces.step(of: sample.id) else {
                throw Unexpected(what: "the removal is not due")
            }
            try pieces.commit { writer throws(StoreFault) in try writer.removeTrimmed(of: sample.id) }
        }
        #expect(try sample.scratch.number(old) == 0)
        try await sample.check(from: 100)
    }

    @Test("a trim at a stored snapshot succeeds while other calls write")
    func trimmedAtSnapshot() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let store = try SQLiteStore(folder: scratch.path)
        var documents: [TrackedDocument] = []
        for round in 0..<(isFullRun ? 400 : 16) {
            var document = try await TrackedDocument(on: store, "doc/\(round)")
            let id = document.entry.id
            try await document.typeAtOnce("0123456789")
            let kept = Snapshot(revision: 10, text: document.text)
            #expect(refusal(await store.putSnapshot(kept, of: id)) == nil)
            let append = try document.letters(String(repeating: "b", count: 257))
            async let outcome = store.append(append)
            // These calls delay the trim. So the store runs the append first in some rounds, and the trim
            // first in others.
            for _ in 0..<round % 8 { _ = await store.pusher(SampleLog.bob, in: id) }
            #expect(await store.trim(id, through: 10) == .trimmed(start: 10))
            #expect(await outcome == .committed(head: 267))
            try document.follow(append)
            documents.append(document)
        }
        await store.runUpkeep(at: .max)
        for document in documents {
            let text = try await store.text(of: document.entry.id, at: 150).get().text
            #expect(text == document.texts[150], "\(document.entry.name)")
        }
        await store.close()
    }
}

/// A document with a snapshot at revision 10, and so many later revisions that a new snapshot is due. The new
/// snapshot supersedes the old one.
private struct SnapshotDueDocument {
    let scratch: Scratch
    let document: TrackedDocument
    var id: DocumentID { document.entry.id }

    init() async throws {
        scratch = try Scratch.inMemory()
        let store = try SQLiteStore(folder: scratch.path)
        var document = try await TrackedDocument(on: store)
        try await document.typeAtOnce("0123456789")
        let kept = Snapshot(revision: 10, text: document.text)
        #expect(refusal(await store.putSnapshot(kept, of: document.entry.id)) == nil)
        try await document.typeAtOnce(String(repeating: "x", count: 250))
        await store.close()
        // One more append makes a snapshot due. No store is open, so no upkeep makes the snapshot.
        var pieces = try UpkeepPieces(scratch)
        let append = try document.letters(String(repeating: "y", count: 20))
        let outcome = try pieces.commit { writer throws(StoreFault) in try writer.append(append) }
        #expect(outcome == .committed(head: 280))
        try document.follow(append)
        self.document = document
    }

    /// Checks that the kept history is complete and sound.
    func check(from start: Revision) async throws {
        let store = try SQLiteStore(folder: scratch.path)
        #expect(try await store.find(document.entry.name).get().start == start)
        for revision in [start, start.next, 120, 260, 279, document.head] {
            let text = await store.text(of: id, at: revision)
            #expect(try text.get().text == document.texts[revision.value], "revision \(revision)")
        }
        let findings = try await store.verify().findings
        #expect(findings.isEmpty)
        await store.close()
    }
}
