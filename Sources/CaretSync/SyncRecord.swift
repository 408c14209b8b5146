import CaretWire
import FoundationEssentials

/// What is known of a file that is synced with a document.
///
/// Law: `head` contains all local changes up to `seen`, except changes that are still in `push`. So a file
/// whose text equals `seen` may get the text of `head`. A file whose text differs from `seen` has a new local
/// change.
package struct SyncRecord: Codable, Equatable, Sendable {
    /// The document as it was last read.
    package struct Head: Equatable, Sendable {
        /// Nil if a push created the document, and the document was deleted before this sync read it.
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

        var position: ServerDocuments.DocumentPosition? {
            epoch.map { ServerDocuments.DocumentPosition(epoch: $0, revision: revision) }
        }
        /// The base of a push that changes this text. If there is no document, the base is 0 and the push
        /// creates one.
        var pushBase: Int { epoch == nil ? 0 : revision }
    }

    /// A push that is repeated with the same bytes until its result is known.
    package struct Push: Codable, Equatable, Sendable {
        package var seq: Int
        /// Nil if the push creates the document.
        package var epoch: String?
        package var base: Int
        package var text: String
        /// The previous `seen`, which is restored if the push fails. Nil if the file had no record.
        var before: String?
        /// The number of the displaced file that contained the text. Nil if the text was in the file itself.
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

    /// A file that the sync has replaced and moved into the state folder. A program may still write into this
    /// file, or may have read it and save soon.
    package struct Displaced: Codable, Equatable, Sendable {
        package var number: Int
        package var text: String
        /// When the file was replaced, in milliseconds of the wall clock, like the times of files.
        var at: Int
        /// True if a program saved the text on this machine. False if the sync wrote the text.
        var isOwn = false
        /// The signature of the file when it was replaced, if known. A later write changes the signature.
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

        /// The text of the file, if the signature shows that the file was not changed. Otherwise nil.
        func content(_ status: FileStatus?) -> ObservedFile.Content? {
            guard let status, let signature, SyncFolder.Signature(status).hasBytes(of: signature) else {
                return nil
            }
            return .text(text, usesCRLF: nil)
        }
    }

    /// An earlier text of the file, in the state folder. An editor may have read this text, and may save
    /// hours later.
    package struct OlderText: Codable, Equatable, Sendable {
        var number: Int
        var at: Int
        var isOwn: Bool
        /// The signature of the unchanged file. A later write changes the signature.
        var signature: SyncFolder.Signature
    }

    /// The move of a new file to its path. After a crash, the file in the state folder shows whether
    /// the move happened.
    package struct PendingMove: Codable, Equatable, Sendable {
        var number: Int
        var inode: UInt
        /// The previous `seen`, which is restored if the move fails. Nil if the file had no record.
        var before: String?
    }

    package var path: String
    package var seen: String
    /// True if a program saved `seen` on this machine. False if the sync wrote `seen`.
    var isSeenOwn = false
    /// Nil for a document that is being created.
    package var head: Head?
    /// Before the first sync of the file with its document, or with the present state of the store: the text
    /// of the record so far. Nil after the document contains this text.
    package var former: String?
    /// The newest revision that the file is known to contain completely. When the sync writes a later
    /// revision into the file, it reports the authors of all revisions after this one.
    package var shown = 0
    var usesCRLF: Bool
    package var push: Push?
    var lastSeq = 0
    package var displaced: [Displaced] = []
    /// Earlier texts of the file, the oldest first. They are older than the texts in `displaced`.
    var older: [OlderText] = []
    var placing: PendingMove?
    /// The number of the file in the state folder, while the file is being removed. Otherwise nil.
    package var removing: Int?

    package init(
        path: String, seen: String, isSeenOwn: Bool = false, head: Head? = nil, shown: Int = 0,
        usesCRLF: Bool, push: Push? = nil, lastSeq: Int = 0, displaced: [Displaced] = [],
        older: [OlderText] = [],
        placing: PendingMove? = nil, removing: Int? = nil
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
    /// The record before the failed push. Nil if the file had no record before the push.
    package var withdrawn: SyncRecord? {
        guard let before = push?.before, head != nil || former != nil else { return nil }
        var record = self
        record.seen = before
        record.isSeenOwn = false
        record.push = nil
        if former != nil { record.head = nil }
        return record
    }

    /// The record after the server turned out to have another state of its store. The file is then compared
    /// with a document as if they had never been synced. The texts of the record stay: the new state may lack
    /// some of them, and editors may have read them.
    package var unbound: SyncRecord {
        var record = self
        record.former = push?.text ?? head?.text ?? former ?? seen
        (record.head, record.push, record.shown) = (nil, nil, 0)
        return record
    }

    /// The record after the server has committed the push. `head` is the document after the push.
    package func acked(as head: Head) -> SyncRecord {
        var record = self
        record.push = nil
        record.former = nil
        record.head = head
        if record.seen.isSame(as: head.text) { record.shown = head.revision }
        record.displaced.removeAll { $0.number == push?.displaced }
        return record
    }

    /// The record while a new file with the text of `head` is moved to its path. `replacing` says whether the
    /// path already has a file. `before` is the previous `seen`.
    package func placing(
        number: Int, inode: UInt, before: String?, replacing: Bool, _ old: SyncFolder.Signature? = nil,
        at now: Int
    ) -> SyncRecord {
        var record = self
        record.placing = PendingMove(number: number, inode: inode, before: before)
        if replacing {
            record.displaced.append(
                Displaced(number: number, text: seen, at: now, isOwn: isSeenOwn, signature: old))
        }
        record.seen = head?.text ?? seen
        record.isSeenOwn = false
        record.shown = head?.revision ?? shown
        return record
    }

    /// Removes displaced texts until the total size is within the limit. The oldest text stays, for an editor
    /// that does not watch its file. The newest texts stay, for an editor that watches its file.
    package mutating func forgetDisplaced(beyond bytes: Int) {
        var kept = displaced.reduce(0) { $0 + $1.text.utf8.count }
        while kept > bytes, displaced.count > 1 {
            kept -= displaced.remove(at: 1).text.utf8.count
        }
    }

    /// The record after a new file was moved to its path, or after the move failed. Nil if the move failed
    /// and the file had no record before.
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
    /// How long the older texts of a file are kept for editors, in milliseconds, and how many of them.
    package enum OlderTextLimits {
        package static let time = 24 * 3_600_000
        package static let count = 32
        /// The total size of the older texts of one file, in bytes.
        static let bytes = 64 << 20
    }

    /// The older texts that are no longer kept.
    func expired(at now: Int) -> [OlderText] {
        var (count, bytes) = (0, 0)
        return older.reversed().filter { old in
            count += 1
            bytes += old.signature.size
            return count > OlderTextLimits.count || bytes > OlderTextLimits.bytes && count > 1
                || now - old.at > OlderTextLimits.time
        }
    }

    /// The record after a displaced file has become an older text. This happens when no program writes into
    /// the displaced file any more.
    func resolved(_ displaced: Displaced, _ signature: SyncFolder.Signature) -> SyncRecord {
        var record = self
        record.displaced.removeAll { $0.number == displaced.number }
        record.older.append(
            OlderText(
                number: displaced.number, at: displaced.at, isOwn: displaced.isOwn, signature: signature))
        return record
    }

    /// The record after the text of a displaced file was pushed. This text becomes an older text, because the
    /// program that wrote it may continue from it.
    func withOlderText(_ push: Push, status: FileStatus?) -> SyncRecord {
        guard let number = push.displaced, let status else { return self }
        var record = self
        record.older.append(
            OlderText(number: number, at: status.changed / 1_000_000, isOwn: true, signature: .init(status)))
        return record
    }

    /// The files in the state folder that belong to the record.
    package var files: [Int] { displaced.map(\.number) + older.map(\.number) + [removing].compactMap(\.self) }
}

// The bytes of a record in the state folder.
extension SyncRecord {
    var stored: [UInt8] { get throws { Array(try JSONEncoder().encode(self)) } }

    /// Nil if the bytes are not those of a record.
    package init?(stored bytes: [UInt8]) {
        // This program wrote these bytes, so Foundation's decoder may read them. Bytes from the network are never passed
        // to Foundation's decoders.
        guard let record = try? JSONDecoder().decode(SyncRecord.self, from: Data(bytes)) else { return nil }
        self = record
    }
}

// A head without an epoch is stored with an empty epoch.
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

// Records of version 0.1.0 have no older texts, and do not say which texts were saved on this machine.
extension SyncRecord {
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        path = try values.decode(String.self, forKey: .path)
        seen = try values.decode(String.self, forKey: .seen)
        isSeenOwn = try values.decodeIfPresent(Bool.self, forKey: .isSeenOwn) ?? false
        head = try values.decodeIfPresent(Head.self, forKey: .head)
        // Equal texts share their memory.
        if head?.text.isSame(as: seen) == true { head?.text = seen }
        former = try values.decodeIfPresent(String.self, forKey: .former)
        shown = try values.decode(Int.self, forKey: .shown)
        usesCRLF = try values.decode(Bool.self, forKey: .usesCRLF)
        push = try values.decodeIfPresent(Push.self, forKey: .push)
        lastSeq = try values.decode(Int.self, forKey: .lastSeq)
        displaced = try values.decode([Displaced].self, forKey: .displaced)
        older = try values.decodeIfPresent([OlderText].self, forKey: .older) ?? []
        placing = try values.decodeIfPresent(PendingMove.self, forKey: .placing)
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
