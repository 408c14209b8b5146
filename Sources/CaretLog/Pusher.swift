package import CaretCore

/// Who pushes: a user with one of the clients that he keeps.
package struct Pusher: Hashable, Sendable {
    package let user: ByteString
    package let client: ByteString

    package init(user: ByteString, client: ByteString) {
        self.user = user
        self.client = client
    }
}

/// What the store remembers of a pusher in a document: its highest committed push.
package struct PusherEntry: Hashable, Sendable {
    package let seq: Int64
    package let revision: Revision
    package let digest: Digest
    /// When that was, in milliseconds; an entry is forgotten some time after.
    package let used: Int64

    package init(seq: Int64, revision: Revision, digest: Digest, used: Int64) {
        self.seq = seq
        self.revision = revision
        self.digest = digest
        self.used = used
    }
}

/// A digest of 256 bits.
package struct Digest: Hashable, Sendable {
    package let words: SIMD4<UInt64>

    package init(_ words: SIMD4<UInt64>) { self.words = words }
}
