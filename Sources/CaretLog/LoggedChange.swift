package import CaretCore

/// A committed change: what changed, by whom, when, and under which `seq` it was pushed.
package struct LoggedChange: Equatable, Sendable {
    package let pusher: Pusher
    package let seq: Int64
    /// Milliseconds since 1970.
    package let time: Int64
    package let edits: [LoggedEdit]

    package init(pusher: Pusher, seq: Int64, time: Int64, edits: [LoggedEdit]) {
        self.pusher = pusher
        self.seq = seq
        self.time = time
        self.edits = edits
    }

    /// By how much the text grows.
    package var growth: TextLength {
        edits.reduce(.zero) { $0 + $1.edit.inserted - $1.removed }
    }

    /// An estimate of the change's size in bytes, for limits. Each edit counts, and so does the text that it
    /// inserts.
    package var weight: Int { edits.reduce(32) { $0 + 32 + $1.edit.inserted.utf8 } }

    package var change: Change {
        get throws(ChangeError) { try Change(edits.map(\.edit)) }
    }
}

/// A change to append to the log, with the digest by which the store recognises a repeated push.
package struct PushedChange: Equatable, Sendable {
    package let logged: LoggedChange
    /// A digest of the pushed content. A repeated push has the same digest. Another push with the same seq
    /// has a different digest. The store keeps the digest until the pusher's next push. The log does not
    /// contain the digest.
    package let digest: Digest

    package init(_ logged: LoggedChange, digest: Digest) {
        self.logged = logged
        self.digest = digest
    }
}

/// A committed edit with its offsets in all three units. So the server can send it in any unit without
/// reading the text.
package struct LoggedEdit: Equatable, Sendable {
    package let edit: Edit
    /// The length of the old text before the edit.
    package let start: TextLength
    /// The length of the old text that the edit replaces.
    package let removed: TextLength

    /// Computes the offsets of an edit in the text that it was made against.
    package init(_ edit: Edit, in text: TextBuffer) throws(TextError) {
        self.edit = edit
        start = try text.length(before: edit.range.lowerBound)
        removed = try text.length(before: edit.range.upperBound) - start
    }

    /// Makes an edit from stored values.
    package init(start: TextLength, removed: TextLength, text: String) throws(TextError) {
        edit = try Edit(Offset(start.utf16)..<Offset(start.utf16 + removed.utf16), text)
        self.start = start
        self.removed = removed
    }
}
