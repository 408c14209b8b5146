import CaretWire

/// What is known of a file that is synced with a document.
///
/// Law: `head` contains all local changes up to `seen`, unless they are on their way in `push`. So a text on
/// disk that equals `seen` may be replaced by that of `head`, and one that differs from `seen` is a new local
/// change.
package struct SyncRecord: Codable, Equatable, Sendable {
    /// The document as it was last read.
    package struct Head: Equatable, Sendable {
        /// Nil if a push made the document, and it was deleted before anybody read it.
        package var epoch: String?
        var revision: Int
        package var text: String

        package init(epoch: String?, revision: Int, text: String) {
            self.epoch = epoch
            self.revision = revision
            self.text = text
        }

        package static func == (left: Head, right: Head) -> Bool {
            left.revision == right.revision && left.isOf(right.epoch) && left.text.isSame(as: right.text)
        }

        func isOf(_ epoch: String?) -> Bool {
            self.epoch.map { WireString($0) } == epoch.map { WireString($0) }
        }

        var stand: SyncNews.Stand? { epoch.map { SyncNews.Stand(epoch: $0, revision: revision) } }
        /// The base of a push of changes of this text. Where there is no document, the push makes one.
        var pushBase: Int { epoch == nil ? 0 : revision }
    }

    /// A push that is repeated byte by byte until its outcome is known.
    package struct Push: Codable, Equatable, Sendable {
        package var seq: Int
        /// Nil if the push creates the document.
        package var epoch: String?
        package var base: Int
        package var text: String
        /// The previous `seen`, which is restored if the push fails. Nil if the file was not known.
        var before: String?
        /// The displaced file that the text came from, if it was not the file itself.
        var displaced: Int?

        package init(
            seq: Int, epoch: String? = nil, base: Int, text: String, before: String? = nil,
            displaced: Int? = nil
        ) {
            self.seq = seq
            self.epoch = epoch
            self.base = base
            self.text = text
            self.before = before
            self.displaced = displaced
        }
    }

    /// A file that was replaced by another one and is in the state folder. A program may still write into it,
    /// or may have read it and save soon.
    package struct Displaced: Codable, Equatable, Sendable {
        package var number: Int
        package var text: String
        /// When, in milliseconds of the wall clock, which file times use too.
        var at: Int
        /// The text was saved here, instead of coming from elsewhere.
        var isOwn = false
        /// The state of the file as long as nobody writes into it, if it is known.
        var signature: SyncFolder.Signature?

        package init(
            number: Int, text: String, at: Int, isOwn: Bool = false, signature: SyncFolder.Signature? = nil
        ) {
            self.number = number
            self.text = text
            self.at = at
            self.isOwn = isOwn
            self.signature = signature
        }

        /// The text of the file, if it can be known without reading it.
        func content(_ status: FileStatus?) -> FileLook.Content? {
            guard let status, let signature, SyncFolder.Signature(status).hasBytes(of: signature) else {
                return nil
            }
            return .text(text, usesCRLF: nil)
        }
    }

    /// An earlier text of the file, in the state folder. An editor may have read it, and save hours later.
    package struct Older: Codable, Equatable, Sendable {
        var number: Int
        var at: Int
        var isOwn: Bool
        /// The state of the file as long as nobody writes into it.
        var signature: SyncFolder.Signature
    }

    /// A file that is being put in place. After a kill, the file in the state folder shows whether that
    /// happened.
    package struct Placing: Codable, Equatable, Sendable {
        var number: Int
        var inode: UInt
        /// The previous `seen`, which is restored if the file is not put in place. Nil if nothing was known.
        var before: String?
    }

    var path: String
    package var seen: String
    /// `seen` was saved here, instead of coming from elsewhere.
    var isSeenOwn = false
    /// Nil for a document that is being created.
    package var head: Head?
    /// The newest revision that is completely in the file, as far as that was recorded. The authors of later
    /// ones are reported.
    package var shown = 0
    var usesCRLF: Bool
    package var push: Push?
    var lastSeq = 0
    package var displaced: [Displaced] = []
    /// Oldest first. All are older than those that were just displaced.
    var older: [Older] = []
    var placing: Placing?
    /// The number of the file in the state folder while it is being removed.
    package var removing: Int?

    package init(
        path: String, seen: String, isSeenOwn: Bool = false, head: Head? = nil, shown: Int = 0,
        usesCRLF: Bool, push: Push? = nil, lastSeq: Int = 0, displaced: [Displaced] = [], older: [Older] = [],
        placing: Placing? = nil, removing: Int? = nil
    ) {
        self.path = path
        self.seen = seen
        self.isSeenOwn = isSeenOwn
        self.head = head
        self.shown = shown
        self.usesCRLF = usesCRLF
        self.push = push
        self.lastSeq = lastSeq
        self.displaced = displaced
        self.older = older
        self.placing = placing
        self.removing = removing
    }
}

extension SyncRecord {
    /// The record before a push that failed; nil if nothing was known.
    package var withdrawn: SyncRecord? {
        guard let before = push?.before, head != nil else { return nil }
        var record = self
        record.seen = before
        record.isSeenOwn = false
        record.push = nil
        return record
    }

    /// The server has committed the push, and the document is now this.
    package func acked(as head: Head) -> SyncRecord {
        var record = self
        record.push = nil
        record.head = head
        if record.seen.isSame(as: head.text) { record.shown = head.revision }
        record.displaced.removeAll { $0.number == push?.displaced }
        return record
    }

    /// The text of the head will replace that of the file, if there is one. `before` is what was seen, if
    /// anything was.
    package func placing(
        number: Int, inode: UInt, before: String?, replacing: Bool, _ old: SyncFolder.Signature? = nil,
        at now: Int
    ) -> SyncRecord {
        var record = self
        record.placing = Placing(number: number, inode: inode, before: before)
        if replacing {
            record.displaced.append(
                Displaced(number: number, text: seen, at: now, isOwn: isSeenOwn, signature: old))
        }
        record.seen = head?.text ?? seen
        record.isSeenOwn = false
        record.shown = head?.revision ?? shown
        return record
    }

    /// Forgets displaced texts beyond a total size. Keeps the oldest one, for an editor that does not watch
    /// its file, and the newest ones, for an editor that does.
    package mutating func forgetDisplaced(beyond bytes: Int) {
        var kept = displaced.reduce(0) { $0 + $1.text.utf8.count }
        while kept > bytes, displaced.count > 1 {
            kept -= displaced.remove(at: 1).text.utf8.count
        }
    }

    /// The state after a kill or failure while a file was being put in place; nil if nothing is known then.
    package func placed(isInPlace: Bool) -> SyncRecord? {
        guard let placing else { return self }
        var record = self
        record.placing = nil
        if isInPlace { return record }
        guard let before = placing.before else { return nil }
        record.seen = before
        record.isSeenOwn = displaced.contains { $0.number == placing.number && $0.isOwn }
        record.displaced.removeAll { $0.number == placing.number }
        return record
    }
}

// Earlier texts of the file.
extension SyncRecord {
    /// How long an editor may hold a text, in milliseconds, and how many texts of a file are kept for
    /// editors.
    package enum Keeping {
        package static let time = 24 * 3_600_000
        package static let count = 32
        /// Per file, in bytes.
        static let bytes = 64 << 20
    }

    /// The texts that are no longer kept.
    func expired(at now: Int) -> [Older] {
        var (count, bytes) = (0, 0)
        return older.reversed().filter { old in
            count += 1
            bytes += old.signature.size
            return count > Keeping.count || bytes > Keeping.bytes && count > 1 || now - old.at > Keeping.time
        }
    }

    /// The displaced file is complete, and nobody writes into it any more. It becomes an older text.
    func settled(_ displaced: Displaced, _ signature: SyncFolder.Signature) -> SyncRecord {
        var record = self
        record.displaced.removeAll { $0.number == displaced.number }
        record.older.append(
            Older(number: displaced.number, at: displaced.at, isOwn: displaced.isOwn, signature: signature))
        return record
    }

    /// A program has written into a displaced file, and that was pushed. The program has this text now, and
    /// may continue from it.
    func keepingLate(_ push: Push, status: FileStatus?) -> SyncRecord {
        guard let number = push.displaced, let status else { return self }
        var record = self
        record.older.append(
            Older(number: number, at: status.changed / 1_000_000, isOwn: true, signature: .init(status)))
        return record
    }

    /// The files in the state folder that belong to the record.
    var files: [Int] { displaced.map(\.number) + older.map(\.number) + [removing].compactMap(\.self) }
}

// A head without an epoch is stored with an empty one.
extension SyncRecord.Head: Codable {
    private enum CodingKeys: CodingKey { case epoch, revision, text }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let epoch = try values.decode(String.self, forKey: .epoch)
        self.epoch = epoch.isEmpty ? nil : epoch
        revision = try values.decode(Int.self, forKey: .revision)
        text = try values.decode(String.self, forKey: .text)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(epoch ?? "", forKey: .epoch)
        try values.encode(revision, forKey: .revision)
        try values.encode(text, forKey: .text)
    }
}

// Records of version 0.1.0 have no older texts, and do not say which texts were saved here.
extension SyncRecord {
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        path = try values.decode(String.self, forKey: .path)
        seen = try values.decode(String.self, forKey: .seen)
        isSeenOwn = try values.decodeIfPresent(Bool.self, forKey: .isSeenOwn) ?? false
        head = try values.decodeIfPresent(Head.self, forKey: .head)
        shown = try values.decode(Int.self, forKey: .shown)
        usesCRLF = try values.decode(Bool.self, forKey: .usesCRLF)
        push = try values.decodeIfPresent(Push.self, forKey: .push)
        lastSeq = try values.decode(Int.self, forKey: .lastSeq)
        displaced = try values.decode([Displaced].self, forKey: .displaced)
        older = try values.decodeIfPresent([Older].self, forKey: .older) ?? []
        placing = try values.decodeIfPresent(Placing.self, forKey: .placing)
        removing = try values.decodeIfPresent(Int.self, forKey: .removing)
    }
}

extension SyncRecord.Displaced {
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        number = try values.decode(Int.self, forKey: .number)
        text = try values.decode(String.self, forKey: .text)
        at = try values.decode(Int.self, forKey: .at)
        isOwn = try values.decodeIfPresent(Bool.self, forKey: .isOwn) ?? false
        signature = try values.decodeIfPresent(SyncFolder.Signature.self, forKey: .signature)
    }
}
