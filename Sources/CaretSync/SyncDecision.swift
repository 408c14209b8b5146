package import CaretCore

/// Decides the next step for one file and its document, from what is known of both.
package struct SyncDecision: Equatable, Sendable {
    /// How many milliseconds a file must have been unchanged before it is trusted.
    package enum Patience {
        package static let text = 60
        /// For an unknown file, which may be about to be renamed.
        package static let newFile = 300
        /// For what an editor may leave while it saves: no file, an empty one, or the beginning of one.
        package static let doubtful = 2_000
        /// By then a program that was writing into a file when it was replaced has finished.
        package static let displaced = 3_000
    }

    var record: SyncRecord?
    var file: FileLook
    var document: DocumentLook
    /// A missing file whose text this new file has.
    var origin: String?
    var path: String
    /// A number for a push that nobody has used.
    var nextSeq: Int
    /// Earlier texts of the file, oldest first. Texts that were just displaced follow these.
    var older: [KnownTexts.Known] = []
    /// The file has no document, and no folder could contain it together with the existing ones: some are in
    /// a folder with its name, or one has the name of a folder that it is in.
    var isCrossed = false

    package init(
        record: SyncRecord? = nil, file: FileLook, document: DocumentLook, origin: String? = nil,
        path: String, nextSeq: Int, older: [KnownTexts.Known] = [], isCrossed: Bool = false
    ) {
        self.record = record
        self.file = file
        self.document = document
        self.origin = origin
        self.path = path
        self.nextSeq = nextSeq
        self.older = older
        self.isCrossed = isCrossed
    }

    package func step() throws(TextError) -> SyncStep {
        if let push = record?.push { return .send(push) }
        if let step = stepForNews { return step }
        if file.quiet < patience { return .wait(patience - file.quiet) }
        if let record { return try step(record) }
        switch (file.content, document) {
        case (.missing, .read(let head, let usesCRLF)): return .place(head, usesCRLF: usesCRLF)
        case (.missing, _): return .rest
        case (.folder, .toldMissing), (.folder, .missing), (.blocked, .toldMissing), (.blocked, .missing):
            return .rest
        case (.folder, _): return .leaveAlone(.folder)
        case (.blocked(let file), _): return .leaveAlone(.behind(file))
        case (.other(let reason), _): return .leaveAlone(reason)
        case (.text(let text, let usesCRLF), .read(let head, let crlf)):
            return try meet(text, usesCRLF ?? crlf, head)
        case (.text(let text, let usesCRLF), _):
            if isCrossed { return .moveFileAside }
            if let origin { return .renameDocument(from: origin) }
            return .keep(creation(of: text, usesCRLF ?? false))
        }
    }

    /// Updates what is known of the document.
    private var stepForNews: SyncStep? {
        switch document {
        case .told(let epoch, let revision):
            guard let head = record?.head else { return .ask }
            return head.isOf(epoch) && revision <= head.revision ? nil : .ask
        // For a file that was never pushed, the push will show it.
        case .toldMissing: return record == nil ? nil : .ask
        case .read(let head, _):
            guard var record, record.head != head else { return nil }
            record.head = head
            return .keep(record)
        case .missing: return nil
        }
    }

    private var patience: Int {
        switch file.content {
        case .missing, .folder, .blocked: record == nil ? 0 : Patience.doubtful
        case .other: Patience.doubtful
        case .text(let text, _):
            if text.utf8.isEmpty, record?.seen.utf8.isEmpty != true {
                Patience.doubtful
            } else if let record {
                text.isBeginning(of: record.seen) ? Patience.doubtful : Patience.text
            } else {
                Patience.newFile
            }
        }
    }

    /// The step for a known file that is not being written.
    private func step(_ record: SyncRecord) throws(TextError) -> SyncStep {
        guard let head = record.head else { return .keep(creation(of: record.seen, record.usesCRLF)) }
        let isClean = record.seen.isSame(as: head.text)
        switch file.content {
        case .other(let reason): return .leaveAlone(reason)
        case .missing, .folder, .blocked:
            if document == .missing { return .forget }
            // A change from elsewhere wins over a deletion by somebody who has not seen it.
            if !isClean {
                return file.content == .missing
                    ? .place(head, usesCRLF: record.usesCRLF) : .moveDocumentAside
            }
            if case .told = document { return .ask }
            return .deleteDocument
        case .text(let text, let usesCRLF):
            let usesCRLF = usesCRLF ?? record.usesCRLF
            let isSeen = text.isSame(as: record.seen)
            if document == .missing {
                if isSeen, isClean { return .removeFile }
                // A change made here wins over a deletion elsewhere.
                if isCrossed { return .moveFileAside }
                let merged = try TextMerge.merged(base: record.seen, own: text, other: head.text)
                return .keep(creation(of: text, as: merged, usesCRLF))
            }
            // After a power cut, a file that was just saved may be empty. Nobody has emptied it on purpose.
            if text.utf8.isEmpty, file.isFromBefore, !isSeen {
                return .place(head, usesCRLF: record.usesCRLF)
            }
            if isSeen { return isClean ? .rest : .place(head, usesCRLF: usesCRLF) }
            let known = older + record.displaced.map { KnownTexts.Known(text: $0.text, isOwn: $0.isOwn) }
            let base = try KnownTexts(seen: record.seen, older: known).base(of: text)
            return .keep(try capture(text, usesCRLF, since: base, record, head))
        }
    }

    /// The file and the document were never synced with each other.
    private func meet(
        _ text: String, _ usesCRLF: Bool, _ head: SyncRecord.Head
    ) throws(TextError) -> SyncStep {
        let seen = text.isSame(as: head.text) ? text : try TextMerge.common(text, head.text)
        return .keep(SyncRecord(path: path, seen: seen, head: head, usesCRLF: usesCRLF))
    }

    private func creation(of text: String, as merged: String? = nil, _ usesCRLF: Bool) -> SyncRecord {
        let push = SyncRecord.Push(seq: seq, epoch: nil, base: 0, text: merged ?? text, before: nil)
        return SyncRecord(
            path: path, seen: text, isSeenOwn: true, head: nil, usesCRLF: usesCRLF, push: push, lastSeq: seq,
            displaced: record?.displaced ?? [], older: record?.older ?? [])
    }

    /// Handles a text that was saved here.
    private func capture(
        _ text: String, _ usesCRLF: Bool, since base: String, _ record: SyncRecord, _ head: SyncRecord.Head
    ) throws(TextError) -> SyncRecord {
        var record = record
        let merged = try TextMerge.merged(base: base, own: text, other: head.text)
        if !merged.isSame(as: head.text) {
            record.push = SyncRecord.Push(
                seq: seq, epoch: head.epoch, base: head.pushBase, text: merged, before: record.seen)
            record.lastSeq = seq
        }
        record.seen = text
        record.isSeenOwn = true
        record.usesCRLF = usesCRLF
        return record
    }

    private var seq: Int { max(nextSeq, (record?.lastSeq ?? 0) + 1) }
}

extension SyncDecision {
    /// The step for a displaced file, given its current state, while the file that replaced it is as it was
    /// seen.
    package enum DisplacedStep: Equatable, Sendable {
        case wait(Int)
        /// Nothing was written into it that matters.
        case settle
        /// Store this record. The displaced file is removed once its text was pushed.
        case keep(SyncRecord)
    }

    /// `now` is in milliseconds of the wall clock.
    package static func step(
        for displaced: SyncRecord.Displaced, _ look: FileLook, of record: SyncRecord, nextSeq: Int, now: Int
    ) throws(TextError) -> DisplacedStep {
        let isDue = max(0, now - displaced.at)
        if isDue < Patience.displaced { return .wait(Patience.displaced - isDue) }
        guard case .text(let text, _) = look.content, let head = record.head,
            !text.isSame(as: displaced.text)
        else { return .settle }
        let isDoubtful = text.utf8.isEmpty || text.isBeginning(of: displaced.text)
        let patience = isDoubtful ? Patience.doubtful : Patience.text
        if look.quiet < patience { return .wait(patience - look.quiet) }
        // Its writer has begun it again and will not finish. That takes nothing away from the current file.
        if isDoubtful { return .settle }
        let merged = try TextMerge.merged(base: displaced.text, own: text, other: head.text)
        if merged.isSame(as: head.text) { return .settle }
        var record = record
        record.lastSeq = max(nextSeq, record.lastSeq + 1)
        record.push = SyncRecord.Push(
            seq: record.lastSeq, epoch: head.epoch, base: head.pushBase, text: merged, before: record.seen,
            displaced: displaced.number)
        return .keep(record)
    }
}
