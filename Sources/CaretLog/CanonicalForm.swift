package import CaretCore

/// A revision as bytes that say the same for ever, however it is encoded, packed or merged: what a hash is made of.
package struct CanonicalForm {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Makes the bytes those of a revision, in the place of the one before. Every number is eight bytes, the lowest
    /// first; every text has its length in front of it.
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
