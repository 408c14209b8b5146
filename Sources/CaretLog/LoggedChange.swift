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

    /// Its weight in a bound of bytes: each edit counts, and so does the text that it inserts.
    package var weight: Int { edits.reduce(32) { $0 + 32 + $1.edit.inserted.utf8 } }

    package var change: Change {
        get throws(ChangeError) { try Change(edits.map(\.edit)) }
    }
}

/// A change on its way into the log, with the digest that recognises a repeat.
package struct PushedChange: Equatable, Sendable {
    package let logged: LoggedChange
    /// A digest of the content as pushed. A repeat has the same digest, another push with the same seq has a
    /// different one. The store keeps it with the pusher until the pusher's next push. The log does not
    /// contain it.
    package let digest: Digest

    package init(_ logged: LoggedChange, digest: Digest) {
        self.logged = logged
        self.digest = digest
    }
}

/// A committed edit with its offsets in all three units, so that it can be sent in any unit without the text.
package struct LoggedEdit: Equatable, Sendable {
    package let edit: Edit
    /// The length of the old text before it.
    package let start: TextLength
    /// The length of the old text that it replaces.
    package let removed: TextLength

    /// Makes an edit from the text that it was made against.
    package init(_ edit: Edit, in text: Text) throws(TextError) {
        self.edit = edit
        start = try text.length(before: edit.range.lowerBound)
        removed = try text.length(before: edit.range.upperBound) - start
    }

    /// Makes an edit from what was stored.
    package init(start: TextLength, removed: TextLength, text: String) throws(TextError) {
        edit = try Edit(Offset(start.utf16)..<Offset(start.utf16 + removed.utf16), text)
        self.start = start
        self.removed = removed
    }
}
