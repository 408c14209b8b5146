import CaretSync
import Testing

@Suite("Decisions about a file and its document") struct SyncDecisionTests {
    private static let patience = SyncDecision.QuietTime.self

    private func head(_ text: String, _ revision: Int = 5, epoch: String = "e") -> SyncRecord.Head {
        SyncRecord.Head(epoch: epoch, revision: revision, text: text)
    }

    private func record(_ seen: String, _ head: SyncRecord.Head? = nil) -> SyncRecord {
        SyncRecord(path: "f", seen: seen, head: head ?? self.head(seen), usesCRLF: false)
    }

    private func file(_ text: String?, quiet: Int = 10_000) -> FileLook {
        FileLook(content: text.map { .text($0, usesCRLF: false) } ?? .missing, quiet: quiet)
    }

    private let told = DocumentLook.reported(epoch: "e", revision: 5)

    private func step(
        _ record: SyncRecord?, _ file: FileLook, _ document: DocumentLook, origin: String? = nil
    ) throws -> SyncStep {
        try SyncDecision(
            record: record, file: file, document: document, origin: origin, path: "f", nextSeq: 7
        ).step()
    }

    private func kept(_ step: SyncStep) throws -> SyncRecord {
        guard case .keep(let record) = step else {
            Issue.record("\(step)")
            throw CancellationError()
        }
        return record
    }

    // MARK: Nothing to do, saves and changes

    @Test("a known file that equals its document needs no action")
    func rest() throws { #expect(try step(record("a\n"), file("a\n"), told) == .rest) }

    @Test("a save is recorded, then pushed from the revision it was merged with")
    func push() throws {
        let after = try kept(try step(record("a\n"), file("a\nb\n"), told))
        #expect(after.seen == "a\nb\n")
        #expect(after.push == .init(seq: 7, epoch: "e", base: 5, text: "a\nb\n", before: "a\n"))
        #expect(try step(after, file("anything"), .reportedMissing) == .send(after.push!))
    }

    @Test("a save is merged with a change that is not in the file yet")
    func pushBehind() throws {
        let after = try kept(try step(record("a\n", head("0\na\n")), file("a\nb\n"), told))
        #expect(after.push?.text == "0\na\nb\n" && after.seen == "a\nb\n")
    }

    @Test("a change from elsewhere is read, recorded, and written to the file")
    func place() throws {
        let known = record("a\n")
        #expect(try step(known, file("a\n"), .reported(epoch: "e", revision: 6)) == .ask)
        #expect(try step(known, file("a\n"), .reported(epoch: "f", revision: 1)) == .ask)
        let new = head("a\nb\n", 6)
        let after = try kept(try step(known, file("a\n"), .read(new, usesCRLF: false)))
        #expect(after.seen == "a\n" && after.head == new)
        #expect(
            try step(after, file("a\n"), .read(new, usesCRLF: false)) == .place(new, usesCRLF: false))
    }

    @Test("an event of an older revision is ignored")
    func lateNews() throws {
        #expect(try step(record("a\n"), file("a\n"), .reported(epoch: "e", revision: 4)) == .rest)
    }

    @Test("a save that equals the document is not pushed")
    func sameSave() throws {
        let after = try kept(try step(record("a\n", head("a\nb\n")), file("a\nb\n"), told))
        #expect(after.push == nil && after.seen == "a\nb\n")
    }

    @Test("a canonically equivalent text is a different text")
    func canonical() throws {
        let after = try kept(try step(record("\u{E9}\n"), file("e\u{301}\n"), told))
        #expect(after.push.map { Array($0.text.unicodeScalars).count } == 3)
    }

    // MARK: Files that may be half written

    @Test("the sync waits after a write, and longer if the file may be incomplete")
    func patience() throws {
        let known = record("a\nb\n")
        #expect(try step(known, file("a\nx\n", quiet: 10), told) == .wait(Self.patience.text - 10))
        for text in ["", "a\n", nil] {
            #expect(try step(known, file(text, quiet: 10), told) == .wait(Self.patience.doubtful - 10))
        }
        #expect(try step(nil, file("a\n", quiet: 10), .reportedMissing) == .wait(Self.patience.newFile - 10))
        #expect(try step(nil, file("", quiet: 10), .reportedMissing) == .wait(Self.patience.doubtful - 10))
    }

    // MARK: New and deleted files

    @Test("a new file makes a document, and a new document makes a file")
    func new() throws {
        let made = try kept(try step(nil, file("a\n"), .reportedMissing))
        #expect(made.push == .init(seq: 7, epoch: nil, base: 0, text: "a\n", before: nil))
        #expect(made.withdrawn == nil)
        #expect(try step(nil, file(nil), told) == .ask)
        #expect(
            try step(nil, file(nil), .read(head("a\n"), usesCRLF: true))
                == .place(head("a\n"), usesCRLF: true))
        #expect(try step(nil, file(nil), .reportedMissing) == .rest)
    }

    @Test("the first merge of a file and a document keeps every line of both")
    func meet() throws {
        let known = try kept(
            try step(nil, file("1\na\n2\n"), .read(head("1\nb\n2\n"), usesCRLF: false)))
        #expect(known.seen == "1\n2\n" && known.push == nil)
        let after = try kept(try step(known, file("1\na\n2\n"), told))
        #expect(after.push.map { ["1\na\nb\n2\n", "1\nb\na\n2\n"].contains($0.text) } == true)
        let same = try kept(try step(nil, file("1\n"), .read(head("1\n"), usesCRLF: false)))
        #expect(try step(same, file("1\n"), told) == .rest)
    }

    @Test("a deleted file deletes its document, unless others changed it")
    func deleteHere() throws {
        let known = record("a\n")
        #expect(try step(known, file(nil), told) == .ask)
        #expect(try step(known, file(nil), .read(head("a\n"), usesCRLF: false)) == .deleteDocument)
        let changed = head("a\nb\n", 6)
        let after = try kept(try step(known, file(nil), .read(changed, usesCRLF: false)))
        #expect(
            try step(after, file(nil), .read(changed, usesCRLF: false)) == .place(changed, usesCRLF: false))
    }

    @Test("a deleted document deletes its file, unless the file was changed")
    func deleteElsewhere() throws {
        let known = record("a\n")
        #expect(try step(known, file("a\n"), .reportedMissing) == .ask)
        #expect(try step(known, file("a\n"), .missing) == .removeFile)
        let made = try kept(try step(known, file("a\nb\n"), .missing))
        #expect(made.head == nil && made.push?.epoch == nil && made.push?.text == "a\nb\n")
        #expect(try step(known, file(nil), .missing) == .forget)
    }

    @Test("a new file with the text of a missing file is treated as renamed")
    func rename() throws {
        #expect(
            try step(nil, file("a\n"), .reportedMissing, origin: "old") == .renameDocument(from: "old"))
    }

    @Test("a binary file is left alone, with or without a document")
    func leftAlone() throws {
        let binary = FileLook(content: .other(.binary), quiet: 10_000)
        #expect(try step(nil, binary, .reportedMissing) == .leaveAlone(.binary))
        #expect(try step(record("a\n"), binary, told) == .leaveAlone(.binary))
        #expect(try step(record("a\n"), binary, .missing) == .leaveAlone(.binary))
    }

    // MARK: After a push, and after a replaced file

    @Test("after a refused push, the record has the text from before the push")
    func withdrawn() throws {
        let known = record("a\n")
        #expect(try kept(try step(known, file("b\n"), told)).withdrawn.map { $0.seen } == "a\n")
    }

    @Test("a replacement interrupted by a kill is either complete or undone")
    func placed() {
        let known = record("a\n", head("b\n"))
        let placing = known.placing(number: 3, inode: 9, before: known.seen, replacing: true, at: 1)
        #expect(placing.seen == "b\n" && placing.displaced.map(\.text) == ["a\n"])
        #expect(placing.placed(isInPlace: true)?.seen == "b\n")
        #expect(placing.placed(isInPlace: false) == known.shownAs(placing))
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
        #expect(try displaced("a\n", now: 50_010) == .wait(Self.patience.displaced - 10))
    }

    @Test("a write into a displaced file is pushed before the file is removed")
    func writtenIntoDisplaced() throws {
        guard case .keep(let after) = try displaced("a\nc\n") else {
            Issue.record("not kept")
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
