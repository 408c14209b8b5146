package import CaretCore

/// The bytes of a revision over which hashes are computed. These bytes stay the same, however the revision is
/// encoded, compressed or merged.
package struct CanonicalForm {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Replaces `bytes` by the bytes of another revision. Every number has eight bytes, the lowest first. The
    /// length of a text comes before the text.
    package mutating func write(_ change: LoggedChange, at revision: Revision) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(256)
        append(revision.value)
        append(Int(change.time))
        append(change.pusher.user.utf8)
        append(change.pusher.client.utf8)
        append(Int(change.seq))
        append(change.edits.count)
        for edit in change.edits {
            for length in [edit.start, edit.removed] {
                append(length.utf8)
                append(length.utf16)
                append(length.scalars)
            }
            append(edit.edit.text.utf8)
        }
    }

    private mutating func append(_ number: Int) {
        withUnsafeBytes(of: Int64(number).littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: some Collection<UInt8>) {
        append(text.count)
        bytes.append(contentsOf: text)
    }
}
