/// What is known of a file that is kept together with a document.
///
/// Law: `head` holds all that `seen` was changed by here, unless it is on its way in `push`. So a text on disk that
/// equals `seen` may be replaced by that of `head`, and one that differs is a change of `seen` that nobody has yet.
struct SyncRecord: Codable, Equatable, Sendable {
    /// The document as it was last read.
    struct Head: Codable, Equatable, Sendable {
        var epoch: String
        var revision: Int
        var text: String

        static func == (left: Head, right: Head) -> Bool {
            left.revision == right.revision && left.epoch.isSame(as: right.epoch)
                && left.text.isSame(as: right.text)
        }
    }

    /// A push that is repeated, letter by letter, until its outcome is known.
    struct Push: Codable, Equatable, Sendable {
        var seq: Int
        /// Nil where the document is to be made.
        var epoch: String?
        var base: Int
        var text: String
        /// What was seen before; it is again where the push comes to nothing. Nil where the file was not known.
        var before: String?
        /// The displaced file that it came from, if not from the file itself.
        var displaced: Int?
    }

    /// A file that gave way to another one and lies in the state folder: somebody may still be writing it, or may have
    /// read it and write soon.
    struct Displaced: Codable, Equatable, Sendable {
        var number: Int
        var text: String
        /// When, in milliseconds of the wall clock, since it is compared with the times of files.
        var at: Int
    }

    /// A file that is being put in place. Whether it was can be told, after a kill, from which file lies in the state
    /// folder.
    struct Placing: Codable, Equatable, Sendable {
        var number: Int
        var inode: UInt
        /// Nil where there was no file.
        var before: String?
    }

    var path: String
    var seen: String
    /// Nil of a document that is being made.
    var head: Head?
    /// The newest revision of which all is in the file, as far as that was noted: who has changed it since is told.
    var shown = 0
    var usesCRLF: Bool
    var push: Push?
    var lastSeq = 0
    var displaced: [Displaced] = []
    var placing: Placing?
    /// The number under which the file lies in the state folder while it is removed.
    var removing: Int?
}

extension SyncRecord {
    /// As it was before a push that came to nothing; nil where nothing was known.
    var withdrawn: SyncRecord? {
        guard let before = push?.before, head != nil else { return nil }
        var record = self
        record.seen = before
        record.push = nil
        return record
    }

    /// The document has taken the push, and is now this.
    func acked(as head: Head) -> SyncRecord {
        var record = self
        record.push = nil
        record.head = head
        if record.seen.isSame(as: head.text) { record.shown = head.revision }
        record.displaced.removeAll { $0.number == push?.displaced }
        return record
    }

    /// The text of the head is about to take the place of the file, or of none.
    func placing(number: Int, inode: UInt, replacing: Bool, at now: Int) -> SyncRecord {
        var record = self
        record.placing = Placing(number: number, inode: inode, before: replacing ? seen : nil)
        if replacing { record.displaced.append(Displaced(number: number, text: seen, at: now)) }
        record.seen = head?.text ?? seen
        record.shown = head?.revision ?? shown
        return record
    }

    /// Forgets texts that gave way, so that those that are kept have so many bytes at most: the oldest one stays, which an
    /// editor has that does not look at its file, and the newest ones, of which one that does has one.
    mutating func forgetDisplaced(beyond bytes: Int) {
        var kept = displaced.reduce(0) { $0 + $1.text.utf8.count }
        while kept > bytes, displaced.count > 1 {
            kept -= displaced.remove(at: 1).text.utf8.count
        }
    }

    /// What is true after a kill, or a failure, of what was being put in place; nil where nothing is known then.
    func placed(isInPlace: Bool) -> SyncRecord? {
        guard let placing else { return self }
        var record = self
        record.placing = nil
        if isInPlace { return record }
        guard let before = placing.before else { return nil }
        record.seen = before
        record.displaced.removeAll { $0.number == placing.number }
        return record
    }
}
