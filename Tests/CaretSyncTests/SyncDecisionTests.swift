import CaretSync
import Testing

@Suite("Decisions about a file and its document") struct SyncDecisionTests {
    private static let quietTimes = SyncDecision.QuietTime.self

    private func head(_ text: String, _ revision: Int = 5, epoch: String = "e") -> SyncRecord.Head {
        SyncRecord.Head(epoch: epoch, revision: revision, text: text)
    }

    private func record(_ seen: String, _ head: SyncRecord.Head? = nil) -> SyncRecord {
        SyncRecord(path: "f", seen: seen, head: head ?? self.head(seen), usesCRLF: false)
    }

    private func file(_ text: String?, quiet: Int = 10_000) -> ObservedFile {
        ObservedFile(content: text.map { .text($0, usesCRLF: false) } ?? .missing, quiet: quiet)
    }

    private let reported = ObservedDocument.reported(epoch: "e", revision: 5)

    private func step(
        _ record: SyncRecord?, _ file: ObservedFile, _ document: ObservedDocument, origin: String? = nil
    ) throws -> SyncStep {
        try SyncDecision(
            record: record, file: file, document: document, origin: origin, path: "f", nextSeq: 7
        ).step()
    }

    private func kept(_ step: SyncStep) throws -> SyncRecord {
        guard case .storeRecord(let record) = step else {
            Issue.record("\(step)")
            throw CancellationError()
        }
        return record
    }

    // MARK: Nothing to do, saves and changes

    @Test("a known file that equals its document needs no action")
    func nothingToDo() throws { #expect(try step(record("a\n"), file("a\n"), reported) == .nothingToDo) }

    @Test("a save is recorded with its base revision, and then pushed")
    func push() throws {
        let after = try kept(try step(record("a\n"), file("a\nb\n"), reported))
        #expect(after.seen == "a\nb\n")
        #expect(after.push == .init(seq: 7, epoch: "e", base: 5, text: "a\nb\n", before: "a\n"))
        #expect(try step(after, file("anything"), .reportedMissing) == .send(after.push!))
    }

    @Test("a recorded save has the next push number, and is marked as local")
    func savedRecord() throws {
        let push = SyncRecord.Push(seq: 10, epoch: "e", base: 5, text: "a\nb\n", before: "a\n")
        let known = SyncRecord(path: "f", seen: "a\n", head: head("a\n"), usesCRLF: false, lastSeq: 9)
        let saved = SyncRecord(
            path: "f", seen: "a\nb\n", isSeenOwn: true, head: head("a\n"), usesCRLF: false, push: push,
            lastSeq: 10)
        #expect(try step(known, file("a\nb\n"), reported) == .storeRecord(saved))
        let withdrawn = SyncRecord(path: "f", seen: "a\n", head: head("a\n"), usesCRLF: false, lastSeq: 10)
        #expect(saved.withdrawn == withdrawn)
        // After the ack, the file contains the head, unless the push was merged.
        #expect(saved.acked(as: head("a\nb\n", 6)).shown == 6)
        #expect(saved.acked(as: head("0\na\nb\n", 7)).shown == 0)
        let new = SyncRecord(
            path: "f", seen: "a\n", isSeenOwn: true, usesCRLF: false,
            push: SyncRecord.Push(seq: 7, base: 0, text: "a\n"), lastSeq: 7)
        #expect(try step(nil, file("a\n"), .reportedMissing) == .storeRecord(new))
    }

    @Test("a save is merged with a change that is not in the file yet")
    func pushBehind() throws {
        let after = try kept(try step(record("a\n", head("0\na\n")), file("a\nb\n"), reported))
        #expect(after.push?.text == "0\na\nb\n" && after.seen == "a\nb\n")
    }

    @Test("a change from elsewhere is read, recorded, and written to the file")
    func writeFile() throws {
        let known = record("a\n")
        #expect(try step(known, file("a\n"), .reported(epoch: "e", revision: 6)) == .readDocument)
        #expect(try step(known, file("a\n"), .reported(epoch: "f", revision: 1)) == .readDocument)
        let new = head("a\nb\n", 6)
        let after = try kept(try step(known, file("a\n"), .read(new, usesCRLF: false)))
        #expect(after.seen == "a\n" && after.head == new)
        #expect(
            try step(after, file("a\n"), .read(new, usesCRLF: false)) == .writeFile(new, usesCRLF: false))
    }

    @Test("an event of an older revision is ignored")
    func lateNews() throws {
        #expect(try step(record("a\n"), file("a\n"), .reported(epoch: "e", revision: 4)) == .nothingToDo)
    }

    @Test("a save that equals the document is not pushed")
    func sameSave() throws {
        let after = try kept(try step(record("a\n", head("a\nb\n")), file("a\nb\n"), reported))
        #expect(after.push == nil && after.seen == "a\nb\n")
    }

    @Test("a save that differs only in its Unicode normalization is pushed")
    func canonical() throws {
        let after = try kept(try step(record("\u{E9}\n"), file("e\u{301}\n"), reported))
        #expect(after.push.map { Array($0.text.unicodeScalars).count } == 3)
    }

    // MARK: Files that may be half written

    @Test("the sync waits after a write, and longer if the file may be incomplete")
    func quietTime() throws {
        let known = record("a\nb\n")
        #expect(try step(known, file("a\nx\n", quiet: 10), reported) == .wait(Self.quietTimes.text - 10))
        for text in ["", "a\n", nil] {
            #expect(try step(known, file(text, quiet: 10), reported) == .wait(Self.quietTimes.doubtful - 10))
        }
        #expect(
            try step(nil, file("a\n", quiet: 10), .reportedMissing) == .wait(Self.quietTimes.newFile - 10))
        #expect(try step(nil, file("", quiet: 10), .reportedMissing) == .wait(Self.quietTimes.doubtful - 10))
    }

    @Test("the sync waits no longer than a file must stay unchanged")
    func quietEnough() throws {
        let (times, known) = (Self.quietTimes, record("a\nb\n"))
        #expect(try kept(try step(known, file("a\nx\n", quiet: times.text), reported)).push != nil)
        #expect(try step(known, file(nil, quiet: times.doubtful), reported) == .readDocument)
        #expect(try kept(try step(nil, file("a\n", quiet: times.newFile), .reportedMissing)).push != nil)
    }

    @Test("a file that is empty when the program starts gets its text back")
    func emptyAfterPowerCut() throws {
        func old(_ text: String) -> ObservedFile {
            ObservedFile(content: .text(text, usesCRLF: nil), quiet: 10_000, isUnchangedSinceStart: true)
        }
        let known = record("a\n")
        #expect(try step(known, old(""), reported) == .writeFile(head("a\n"), usesCRLF: false))
        #expect(try kept(try step(known, file(""), reported)).push?.text == "")
        #expect(try kept(try step(known, old("b\n"), reported)).push?.text == "b\n")
        #expect(try step(record(""), old(""), reported) == .nothingToDo)
    }

    // MARK: New and deleted files

    @Test("a new file creates a document, and a new document creates a file")
    func new() throws {
        let made = try kept(try step(nil, file("a\n"), .reportedMissing))
        #expect(made.push == .init(seq: 7, epoch: nil, base: 0, text: "a\n", before: nil))
        #expect(made.withdrawn == nil)
        #expect(try step(nil, file(nil), reported) == .readDocument)
        #expect(
            try step(nil, file(nil), .read(head("a\n"), usesCRLF: true))
                == .writeFile(head("a\n"), usesCRLF: true))
        #expect(try step(nil, file(nil), .reportedMissing) == .nothingToDo)
    }

    @Test("the first merge of a file and a document keeps every line of both")
    func firstSync() throws {
        let known = try kept(
            try step(nil, file("1\na\n2\n"), .read(head("1\nb\n2\n"), usesCRLF: false)))
        #expect(known.push.map { ["1\na\nb\n2\n", "1\nb\na\n2\n"].contains($0.text) } == true)
        // A push that failed is made again from the document's next text.
        let withdrawn = try #require(known.withdrawn)
        #expect(withdrawn.head == nil && withdrawn.seen == "1\na\n2\n")
        let after = try kept(
            try step(withdrawn, file("1\na\n2\n"), .read(head("1\na\nb\n2\n"), usesCRLF: false)))
        #expect(after.push == nil && after.former == nil)
        let same = try kept(try step(nil, file("1\n"), .read(head("1\n"), usesCRLF: false)))
        #expect(try step(same, file("1\n"), reported) == .nothingToDo)
    }

    @Test("a deleted file deletes its document, unless others changed it")
    func deleteHere() throws {
        let known = record("a\n")
        #expect(try step(known, file(nil), reported) == .readDocument)
        #expect(try step(known, file(nil), .read(head("a\n"), usesCRLF: false)) == .deleteDocument)
        let changed = head("a\nb\n", 6)
        let after = try kept(try step(known, file(nil), .read(changed, usesCRLF: false)))
        #expect(
            try step(after, file(nil), .read(changed, usesCRLF: false))
                == .writeFile(changed, usesCRLF: false))
    }

    @Test("a deleted document deletes its file, unless the file was changed")
    func deleteElsewhere() throws {
        let known = record("a\n")
        #expect(try step(known, file("a\n"), .reportedMissing) == .readDocument)
        #expect(try step(known, file("a\n"), .missing) == .removeFile)
        let made = try kept(try step(known, file("a\nb\n"), .missing))
        #expect(made.head == nil && made.push?.epoch == nil && made.push?.text == "a\nb\n")
        #expect(try step(known, file(nil), .missing) == .forgetRecord)
    }

    @Test("a new file with the text of a missing file renames its document")
    func rename() throws {
        #expect(
            try step(nil, file("a\n"), .reportedMissing, origin: "old") == .renameDocument(from: "old"))
    }

    @Test("a binary file is left alone, with or without a document")
    func leftAlone() throws {
        let binary = ObservedFile(content: .other(.binary), quiet: 10_000)
        #expect(try step(nil, binary, .reportedMissing) == .leaveAlone(.binary))
        #expect(try step(record("a\n"), binary, reported) == .leaveAlone(.binary))
        #expect(try step(record("a\n"), binary, .missing) == .leaveAlone(.binary))
    }

    // MARK: Names that conflict

    @Test("if a folder replaces a file, only an unchanged document is deleted")
    func obstacles() throws {
        let (same, newer) = (head("a\n"), head("a\nb\n", 6))
        for (content, reason) in [
            (.folder, .folder), (.blocked(by: "x"), .blocked(by: "x")),
        ] as [(ObservedFile.Content, SkipReason)] {
            let file = ObservedFile(content: content, quiet: 10_000)
            #expect(try step(nil, file, .missing) == .nothingToDo)
            #expect(try step(nil, file, .reportedMissing) == .nothingToDo)
            #expect(try step(nil, file, reported) == .readDocument)
            #expect(try step(nil, file, .read(same, usesCRLF: false)) == .leaveAlone(reason))
            #expect(try step(record("a\n"), file, .missing) == .forgetRecord)
            #expect(try step(record("a\n"), file, reported) == .readDocument)
            #expect(try step(record("a\n"), file, .read(same, usesCRLF: false)) == .deleteDocument)
            #expect(
                try step(record("a\n", newer), file, .read(newer, usesCRLF: false)) == .moveDocumentAside)
            let recent = ObservedFile(content: content, quiet: 10)
            #expect(try step(nil, recent, .missing) == .nothingToDo)
            #expect(try step(record("a\n"), recent, reported) == .wait(Self.quietTimes.doubtful - 10))
        }
    }

    @Test("a file gets a new name if its document's name would conflict")
    func nameConflicts() throws {
        func step(
            _ record: SyncRecord?, _ text: String, _ document: ObservedDocument, origin: String? = nil
        ) throws -> SyncStep {
            try SyncDecision(
                record: record, file: file(text), document: document, origin: origin, path: "f", nextSeq: 7,
                hasNameConflict: true
            ).step()
        }
        #expect(try step(nil, "a\n", .missing) == .moveFileAside)
        #expect(try step(nil, "a\n", .reportedMissing, origin: "old") == .moveFileAside)
        // The document was deleted elsewhere. If the file or the document has changed since the last sync,
        // the file must not be removed.
        #expect(try step(record("a\n"), "a\nb\n", .missing) == .moveFileAside)
        #expect(try step(record("a\n", head("a\nb\n")), "a\n", .missing) == .moveFileAside)
        #expect(try step(record("a\n"), "a\n", .missing) == .removeFile)
    }

    // MARK: After a push, and after a replaced file

    @Test("after a refused push, the record has the text from before the push")
    func withdrawn() throws {
        let known = record("a\n")
        #expect(try kept(try step(known, file("b\n"), reported)).withdrawn.map { $0.seen } == "a\n")
    }

    @Test("a replacement interrupted by a kill is either complete or undone")
    func placed() {
        let known = record("a\n", head("b\n"))
        let placing = known.placing(number: 3, inode: 9, before: known.seen, replacing: true, at: 1)
        #expect(placing.seen == "b\n" && placing.displaced.map(\.text) == ["a\n"])
        #expect(placing.placed(isInPlace: true)?.seen == "b\n")
        #expect(placing.placed(isInPlace: false) == known.shownAs(placing))
        let own = SyncRecord(path: "f", seen: "a\n", isSeenOwn: true, head: head("b\n"), usesCRLF: false)
        let placingOwn = own.placing(number: 3, inode: 9, before: own.seen, replacing: true, at: 1)
        #expect(placingOwn.placed(isInPlace: false) == own.shownAs(placingOwn))
        let new = record("", head("b\n")).placing(number: 3, inode: 9, before: nil, replacing: false, at: 1)
        #expect(new.displaced.isEmpty && new.placed(isInPlace: false) == nil)
    }

    @Test("above the size limit, only the oldest and newest displaced texts stay")
    func boundedDisplaced() {
        var known = record("x")
        known.displaced = (0..<5).map { .init(number: $0, text: "\($0)\($0)", at: 0) }
        known.forgetDisplaced(beyond: 10)
        #expect(known.displaced.map(\.number) == [0, 1, 2, 3, 4])
        known.forgetDisplaced(beyond: 9)
        #expect(known.displaced.map(\.number) == [0, 2, 3, 4])
        known.forgetDisplaced(beyond: 4)
        #expect(known.displaced.map(\.number) == [0, 4])
        known.forgetDisplaced(beyond: 1)
        #expect(known.displaced.map(\.number) == [0])
    }

    // MARK: Displaced files

    private func displaced(_ text: String?, now: Int = 60_000, quiet: Int = 10_000) throws
        -> SyncDecision.DisplacedStep
    {
        var known = record("a\nb\n")
        known.displaced = [.init(number: 1, text: "a\n", at: 50_000)]
        return try SyncDecision.step(
            for: known.displaced[0], file(text, quiet: quiet), of: known, nextSeq: 7, now: now)
    }

    @Test("a displaced file without new writes is removed after a while")
    func dropped() throws {
        #expect(try displaced("a\n") == .resolve)
        #expect(try displaced(nil) == .resolve)
        #expect(try displaced("") == .resolve)
        #expect(try displaced("a\n", now: 50_010) == .wait(Self.quietTimes.displaced - 10))
    }

    @Test("a displaced file is checked only after it was unchanged for a while")
    func quietDisplaced() throws {
        let times = Self.quietTimes
        #expect(try displaced("a\n", now: 50_000 + times.displaced) == .resolve)
        #expect(try displaced("a\nc\n", quiet: 10) == .wait(times.text - 10))
        #expect(try displaced("a\nc\n", quiet: times.text) != .wait(0))
        for text in ["", "a"] {
            #expect(try displaced(text, quiet: 10) == .wait(times.doubtful - 10))
            #expect(try displaced(text, quiet: times.doubtful) == .resolve)
        }
    }

    @Test("a push from a displaced file has the next push number")
    func pushNumberOfDisplaced() throws {
        let displaced = SyncRecord.Displaced(number: 1, text: "a\n", at: 50_000)
        let known = SyncRecord(
            path: "f", seen: "a\nb\n", head: head("a\nb\n"), usesCRLF: false, lastSeq: 9,
            displaced: [displaced])
        let step = try SyncDecision.step(
            for: displaced, file("a\nc\n"), of: known, nextSeq: 7, now: 60_000)
        guard case .storeRecord(let after) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(after.push?.seq == 10)
    }

    /// A program wrote a line into the displaced file, and saved a text with the line at the path too.
    @Test(
        "a line that was written into a displaced file is not doubled",
        arguments: [
            ("a\n12345678\n", "0\na\n12345678\nb\n", true), ("a\n1234567\n", "0\na\n1234567\nb\n", false),
            ("a\n12345678\n", "0\na\n1234\nb\n", false), ("12345678\n", "0\na\n12345678\nb\n", false),
            ("a\n12345678\nabcdefgh\n", "0\na\n12345678\nb\n", false),
        ])
    func writtenTwice(text: String, head: String, isKnown: Bool) throws {
        var known = record(head)
        known.displaced = [.init(number: 1, text: "a\n", at: 50_000)]
        let step = try SyncDecision.step(
            for: known.displaced[0], file(text), of: known, nextSeq: 7, now: 60_000)
        #expect((step == .resolve) == isKnown)
    }

    @Test("a write into a displaced file is pushed before the file is removed")
    func writtenIntoDisplaced() throws {
        guard case .storeRecord(let after) = try displaced("a\nc\n") else {
            Issue.record("the step does not store a record")
            return
        }
        #expect(after.push.map { $0.text.contains("b\n") && $0.text.contains("c\n") } == true)
        #expect(after.seen == "a\nb\n" && after.withdrawn?.displaced.count == 1)
        #expect(after.push?.seq == 7)
        #expect(after.acked(as: head("a\nb\nc\n", 6)).displaced.isEmpty)
    }
}

extension SyncRecord {
    /// The same record, with the shown revision of another record.
    fileprivate func shownAs(_ other: SyncRecord) -> SyncRecord {
        var record = self
        record.shown = other.shown
        return record
    }
}
