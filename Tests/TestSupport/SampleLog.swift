package import CaretCore
package import CaretLog

/// Changes as a store receives them, for tests.
package enum SampleLog {
    package static let ann = Pusher(user: "ann", client: "ann-client")
    package static let bob = Pusher(user: "bob", client: "bob-client")

    /// A change made in `text`. Its time is derived from its seq.
    package static func change(
        _ change: Change, in text: TextBuffer, by pusher: Pusher = ann, seq: Int64
    ) throws(TextError) -> LoggedChange {
        var edits: [LoggedEdit] = []
        for edit in change.edits { edits.append(try LoggedEdit(edit, in: text)) }
        return LoggedChange(pusher: pusher, seq: seq, time: 1000 + seq, edits: edits)
    }

    /// Makes the same change as `change`, in the form in which a room passes it to the store.
    package static func pushed(
        _ change: Change, in text: TextBuffer, by pusher: Pusher = ann, seq: Int64
    ) throws(TextError) -> PushedChange {
        PushedChange(try self.change(change, in: text, by: pusher, seq: seq), digest: digest(seq))
    }

    package static func digest(_ seq: Int64) -> Digest { Digest(SIMD4(repeating: UInt64(bitPattern: seq))) }
}
