import CaretWire

/// What is known of a file that is kept together with a document.
///
/// Law: `head` holds all that `seen` was changed by here, unless it is on its way in `push`. So a text on disk that
/// equals `seen` may be replaced by that of `head`, and one that differs is a change of `seen` that nobody has yet.
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

    /// A push that is repeated, letter by letter, until its outcome is known.
    package struct Push: Codable, Equatable, Sendable {
        package var seq: Int
        /// Nil where the document is to be made.
        package var epoch: String?
        package var base: Int
        package var text: String
        /// What was seen before; it is again where the push comes to nothing. Nil where the file was not known.
        var before: String?
        /// The displaced file that it came from, if not from the file itself.
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

    /// A file that gave way to another one and lies in the state folder: a program may still write into it, or may have
    /// read it and save soon.
    package struct Displaced: Codable, Equatable, Sendable {
        package var number: Int
        package var text: String
        /// When, in milliseconds of the wall clock, since it is compared with the times of files.
        var at: Int
        /// The text was saved here, and not put into the file from elsewhere.
        var isOwn = false
        /// How the file looks as long as nobody writes into it, where that is known.
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

        /// What the file has, where that can be told without reading it.
        func content(_ status: FileStatus?) -> FileLook.Content? {
            guard let status, let signature, SyncFolder.Signature(status).hasBytes(of: signature) else {
                return nil
            }
            return .text(text, usesCRLF: nil)
        }
    }

    /// A text that the file had, whose bytes lie in the state folder: an editor may have read it, and save hours later.
    package struct Older: Codable, Equatable, Sendable {
        var number: Int
        var at: Int
        var isOwn: Bool
        /// How the file looks as long as nobody writes into it.
        var signature: SyncFolder.Signature
    }

    /// A file that is being put in place. Whether it was can be told, after a kill, from which file lies in the state
    /// folder.
    package struct Placing: Codable, Equatable, Sendable {
        var number: Int
        var inode: UInt
        /// What was seen before; it is again where the file is not put in place. Nil where nothing was known.
        var before: String?
    }

    var path: String
    package var seen: String
    /// `seen` was saved here, and not put into the file from elsewhere.
    var isSeenOwn = false
    /// Nil of a document that is being made.
    package var head: Head?
    /// The newest revision of which all is in the file, as far as that was noted: who has changed it since is told.
    package var shown = 0
    var usesCRLF: Bool
    package var push: Push?
    var lastSeq = 0
    package var displaced: [Displaced] = []
    /// The oldest one first; all are older than those that were displaced just now.
    var older: [Older] = []
    var placing: Placing?
    /// The number under which the file lies in the state folder while it is removed.
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
    /// As it was before a push that came to nothing; nil where nothing was known.
    package var withdrawn: SyncRecord? {
        guard let before = push?.before, head != nil else { return nil }
        var record = self
        record.seen = before
        record.isSeenOwn = false
        record.push = nil
        return record
    }

    /// The document has taken the push, and is now this.
    package func acked(as head: Head) -> SyncRecord {
        var record = self
        record.push = nil
        record.head = head
        if record.seen.isSame(as: head.text) { record.shown = head.revision }
        record.displaced.removeAll { $0.number == push?.displaced }
        return record
    }

    /// The text of the head is about to take the place of the file, or of none. `before` is what was seen, where anything was.
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

    /// Forgets texts that gave way, so that those that are kept have so many bytes at most: the oldest one stays, which an
    /// editor has that does not look at its file, and the newest ones, of which one that does has one.
    package mutating func forgetDisplaced(beyond bytes: Int) {
        var kept = displaced.reduce(0) { $0 + $1.text.utf8.count }
        while kept > bytes, displaced.count > 1 {
            kept -= displaced.remove(at: 1).text.utf8.count
        }
    }

    /// What is true after a kill, or a failure, of what was being put in place; nil where nothing is known then.
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

// The texts that a file had.
extension SyncRecord {
    /// How long an editor may hold a text, in milliseconds, and how many texts of a file are kept for it.
    package enum Keeping {
        package static let time = 24 * 3_600_000
        package static let count = 32
        /// Of one file, in bytes.
        static let bytes = 64 << 20
    }

    /// Those that are not kept any longer.
    func expired(at now: Int) -> [Older] {
        var (count, bytes) = (0, 0)
        return older.reversed().filter { old in
            count += 1
            bytes += old.signature.size
            return count > Keeping.count || bytes > Keeping.bytes && count > 1 || now - old.at > Keeping.time
        }
    }

    /// The displaced file is whole and nobody writes into it any more: from now on it is an older text.
    func settled(_ displaced: Displaced, _ signature: SyncFolder.Signature) -> SyncRecord {
        var record = self
        record.displaced.removeAll { $0.number == displaced.number }
        record.older.append(
            Older(number: displaced.number, at: displaced.at, isOwn: displaced.isOwn, signature: signature))
        return record
    }

    /// What a program wrote into a file that had given way was pushed: it has that text now, and may go on from there.
    func keepingLate(_ push: Push, status: FileStatus?) -> SyncRecord {
        guard let number = push.displaced, let status else { return self }
        var record = self
        record.older.append(
            Older(number: number, at: status.changed / 1_000_000, isOwn: true, signature: .init(status)))
        return record
    }

    /// The files in the state folder that belong to it.
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

// A record of version 0.1.0 has no older texts, and does not say which texts are its own.
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
