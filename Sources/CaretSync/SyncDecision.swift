package import CaretCore

/// Decides the next step for one file and its document, from what is known of both.
package struct SyncDecision: Equatable, Sendable {
    /// How many milliseconds a file must have been unchanged before its text is used.
    package enum QuietTime {
        package static let text = 60
        /// The time for a new file. A program may rename a new file soon.
        package static let newFile = 300
        /// The time for a file that is missing, empty or cut short. An editor may still be saving this file.
        package static let doubtful = 2_000
        /// The time for a displaced file. When the sync replaced the file, a program may have been writing
        /// into it.
        package static let displaced = 3_000
    }

    var record: SyncRecord?
    var file: ObservedFile
    var document: ObservedDocument
    /// The path of the missing file that was renamed to this new file.
    var origin: String?
    var path: String
    /// A push number that was not used yet.
    var nextSeq: Int
    /// Earlier texts of the file, the oldest first. The displaced texts in `record` are newer than these.
    var older: [KnownTexts.Known] = []
    /// True if the file has no document, and a document for the file would conflict with existing documents.
    /// Either some documents are in a folder with the file's name, or a document has the name of one of the
    /// file's folders.
    var hasNameConflict = false

    package init(
        record: SyncRecord? = nil, file: ObservedFile, document: ObservedDocument, origin: String? = nil,
        path: String, nextSeq: Int, older: [KnownTexts.Known] = [], hasNameConflict: Bool = false
    ) {
        self.record = record
        self.file = file
        self.document = document
        self.origin = origin
        self.path = path
        self.nextSeq = nextSeq
        self.older = older
        self.hasNameConflict = hasNameConflict
    }

    package func step() throws(TextError) -> SyncStep {
        if let push = record?.push { return .send(push) }
        if let step = stepForNews { return step }
        if file.quiet < requiredQuietTime { return .wait(requiredQuietTime - file.quiet) }
        if let record, record.former == nil { return try step(record) }
        switch (file.content, document) {
        case (.missing, _) where record != nil, (.folder, _) where record != nil,
            (.blocked, _) where record != nil:
            return .forgetRecord
        case (.missing, .read(let head, let usesCRLF)): return .writeFile(head, usesCRLF: usesCRLF)
        case (.missing, _): return .nothingToDo
        case (.folder, .reportedMissing), (.folder, .missing), (.blocked, .reportedMissing),
            (.blocked, .missing):
            return .nothingToDo
        case (.folder, _): return .leaveAlone(.folder)
        case (.blocked(let file), _): return .leaveAlone(.blocked(by: file))
        case (.other(let reason), _): return .leaveAlone(reason)
        case (.text(let text, let usesCRLF), .read(let head, let crlf)):
            return try stepForFirstSync(text, usesCRLF ?? crlf, head)
        case (.text(let text, let usesCRLF), _):
            if hasNameConflict { return .moveFileAside }
            if let origin { return .renameDocument(from: origin) }
            return .storeRecord(
                recordForNewDocument(with: text, as: try withFormerText(text), usesCRLF ?? false))
        }
    }

    /// The step that updates the known state of the document. Nil if the known state is up to date.
    private var stepForNews: SyncStep? {
        switch document {
        case .reported(let epoch, let revision):
            guard let head = record?.head else { return .readDocument }
            return head.isOf(epoch) && revision <= head.revision ? nil : .readDocument
        // A file without a record was never pushed. Its first push will show whether the document exists.
        case .reportedMissing: return record == nil ? nil : .readDocument
        case .read(let head, _):
            guard var record, record.former == nil, record.head != head else { return nil }
            record.head = head
            return .storeRecord(record)
        case .missing: return nil
        }
    }

    private var requiredQuietTime: Int {
        switch file.content {
        case .missing, .folder, .blocked: record == nil ? 0 : QuietTime.doubtful
        case .other: QuietTime.doubtful
        case .text(let text, _):
            if text.utf8.isEmpty, record?.seen.utf8.isEmpty != true {
                QuietTime.doubtful
            } else if let record {
                text.isBeginning(of: record.seen) ? QuietTime.doubtful : QuietTime.text
            } else {
                QuietTime.newFile
            }
        }
    }

    /// The step for a file with a record, when no program is writing the file.
    private func step(_ record: SyncRecord) throws(TextError) -> SyncStep {
        guard let head = record.head else {
            return .storeRecord(recordForNewDocument(with: record.seen, record.usesCRLF))
        }
        let isClean = record.seen.isSame(as: head.text)
        switch file.content {
        case .other(let reason): return .leaveAlone(reason)
        case .missing, .folder, .blocked:
            if document == .missing { return .forgetRecord }
            // If the user deleted the file, but another client changed the document, the change is kept. The
            // deleted file did not contain that change.
            if !isClean {
                return file.content == .missing
                    ? .writeFile(head, usesCRLF: record.usesCRLF) : .moveDocumentAside
            }
            if case .reported = document { return .readDocument }
            return .deleteDocument
        case .text(let text, let usesCRLF):
            let usesCRLF = usesCRLF ?? record.usesCRLF
            let isSeen = text.isSame(as: record.seen)
            if document == .missing {
                if isSeen, isClean { return .removeFile }
                // If another client deleted the document, but the user changed the file, the change is kept.
                if hasNameConflict { return .moveFileAside }
                let merged = try TextMerge.merged(base: record.seen, own: text, other: head.text)
                return .storeRecord(recordForNewDocument(with: text, as: merged, usesCRLF))
            }
            // After a power cut, a recently saved file may be empty. No user emptied this file on purpose.
            if text.utf8.isEmpty, file.isUnchangedSinceStart, !isSeen {
                return .writeFile(head, usesCRLF: record.usesCRLF)
            }
            if isSeen { return isClean ? .nothingToDo : .writeFile(head, usesCRLF: usesCRLF) }
            let base = try base(of: text, record)
            let merged = try TextMerge.merged(base: base, own: text, other: head.text)
            return .storeRecord(recordAfterSave(text, usesCRLF, as: merged, record, head))
        }
    }

    /// The text from which a saved text was made.
    private func base(of text: String, _ record: SyncRecord) throws(TextError) -> String {
        let known = older + record.displaced.map { KnownTexts.Known(text: $0.text, isOwn: $0.isOwn) }
        return try KnownTexts(seen: record.seen, isSeenOwn: record.isSeenOwn, older: known).base(of: text)
    }

    /// Stores a record for a file and a document that were never synced with each other, or not in this state
    /// of the store.
    private func stepForFirstSync(
        _ text: String, _ usesCRLF: Bool, _ head: SyncRecord.Head
    ) throws(TextError) -> SyncStep {
        let own = try withFormerText(text)
        let base = own.isSame(as: head.text) ? own : try TextMerge.common(own, head.text)
        let merged = try TextMerge.merged(base: base, own: own, other: head.text)
        var known =
            record
            ?? SyncRecord(
                path: path, seen: text, isSeenOwn: !text.isSame(as: head.text), usesCRLF: usesCRLF)
        known.former = known.former ?? text
        return .storeRecord(recordAfterSave(text, usesCRLF, as: merged, known, head))
    }

    /// The text of a file, merged with what the document had in another state of the store.
    private func withFormerText(_ text: String) throws(TextError) -> String {
        guard let record, let former = record.former else { return text }
        let isCutOff = text.utf8.isEmpty && file.isUnchangedSinceStart
        if isCutOff || text.isSame(as: record.seen) { return former }
        return try TextMerge.merged(base: try base(of: text, record), own: text, other: former)
    }

    private func recordForNewDocument(with text: String, as merged: String? = nil, _ usesCRLF: Bool)
        -> SyncRecord
    {
        let before = record?.former == nil ? nil : record?.seen
        let push = SyncRecord.Push(seq: seq, epoch: nil, base: 0, text: merged ?? text, before: before)
        var new = SyncRecord(
            path: path, seen: text, isSeenOwn: true, head: nil, usesCRLF: usesCRLF, push: push, lastSeq: seq,
            displaced: record?.displaced ?? [], older: record?.older ?? [])
        new.former = record?.former
        return new
    }

    /// The record after a program saved a text in the file. `merged` is the text together with the head. The
    /// record has a push if the document does not contain the text.
    private func recordAfterSave(
        _ text: String, _ usesCRLF: Bool, as merged: String, _ record: SyncRecord, _ head: SyncRecord.Head
    ) -> SyncRecord {
        var record = record
        record.head = head
        if merged.isSame(as: head.text) {
            record.former = nil
        } else {
            record.push = SyncRecord.Push(
                seq: seq, epoch: head.epoch, base: head.pushBase, text: merged, before: record.seen)
            record.lastSeq = seq
        }
        if !text.isSame(as: record.seen) { record.isSeenOwn = true }
        record.seen = text
        record.usesCRLF = usesCRLF
        return record
    }

    private var seq: Int { max(nextSeq, (record?.lastSeq ?? 0) + 1) }
}

extension SyncDecision {
    /// The next step for a displaced file. Displaced files are handled only while the file at the path has no
    /// unsynced change.
    package enum DisplacedStep: Equatable, Sendable {
        case wait(Int)
        /// The file contains nothing that must be merged.
        case resolve
        /// Store this record. The record has a push with the text of the displaced file.
        case storeRecord(SyncRecord)
    }

    /// `now` is in milliseconds of the wall clock, like the times of files.
    package static func step(
        for displaced: SyncRecord.Displaced, _ file: ObservedFile, of record: SyncRecord, nextSeq: Int,
        now: Int
    ) throws(TextError) -> DisplacedStep {
        let isDue = max(0, now - displaced.at)
        if isDue < QuietTime.displaced { return .wait(QuietTime.displaced - isDue) }
        guard case .text(let text, _) = file.content, let head = record.head,
            !text.isSame(as: displaced.text)
        else { return .resolve }
        let isDoubtful = text.utf8.isEmpty || text.isBeginning(of: displaced.text)
        let requiredQuietTime = isDoubtful ? QuietTime.doubtful : QuietTime.text
        if file.quiet < requiredQuietTime { return .wait(requiredQuietTime - file.quiet) }
        // A program has started to write this file again, and did not finish. So far it has written no new
        // text.
        if isDoubtful { return .resolve }
        // The program may have saved its text in the file at the path too.
        if try KnownTexts.hasInsertions(from: displaced.text, to: text, in: head.text) { return .resolve }
        let merged = try TextMerge.merged(base: displaced.text, own: text, other: head.text)
        if merged.isSame(as: head.text) { return .resolve }
        var record = record
        record.lastSeq = max(nextSeq, record.lastSeq + 1)
        record.push = SyncRecord.Push(
            seq: record.lastSeq, epoch: head.epoch, base: head.pushBase, text: merged, before: record.seen,
            displaced: displaced.number)
        return .storeRecord(record)
    }
}
