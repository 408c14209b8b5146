package import CaretCore

/// A change as it is committed: what changed, by whom, when, and what it was called when it was pushed.
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

    /// How much longer the text becomes.
    package var growth: TextLength {
        edits.reduce(.zero) { $0 + $1.edit.inserted - $1.removed }
    }

    /// What it counts in a bound of bytes: an edit alone, and what it inserts.
    package var weight: Int { edits.reduce(32) { $0 + 32 + $1.edit.inserted.utf8 } }

    package var change: Change {
        get throws(ChangeError) { try Change(edits.map(\.edit)) }
    }
}

/// A change on its way into the log, with what a repeat of it is told by.
package struct PushedChange: Equatable, Sendable {
    package let logged: LoggedChange
    /// Of the content as it was pushed: a repeat has the same one, another push of the same seq has not. The log does
    /// not keep it; the store remembers it with the pusher until he pushes again.
    package let digest: Digest

    package init(_ logged: LoggedChange, digest: Digest) {
        self.logged = logged
        self.digest = digest
    }
}

/// A committed edit with its place in all three units, so that it goes out in any unit without its text.
package struct LoggedEdit: Equatable, Sendable {
    package let edit: Edit
    /// The length of the old text in front of it.
    package let start: TextLength
    /// The length of the old text that it replaces.
    package let removed: TextLength

    /// An edit in the text that it was made against.
    package init(_ edit: Edit, in text: Text) throws(TextError) {
        self.edit = edit
        start = try text.length(before: edit.range.lowerBound)
        removed = try text.length(before: edit.range.upperBound) - start
    }

    /// An edit that was stored.
    package init(start: TextLength, removed: TextLength, text: String) throws(TextError) {
        edit = try Edit(Offset(start.utf16)..<Offset(start.utf16 + removed.utf16), text)
        self.start = start
        self.removed = removed
    }
}
