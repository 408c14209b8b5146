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

// Somebody of whom only the public id came with a history from elsewhere. Where others have a client's secret id he has
// this one behind a NUL, which no client's id has: so nobody can push as him.
extension Pusher {
    package init(user: ByteString, publicClient: ByteString) {
        self.init(user: user, client: ByteString(utf8: [0] + publicClient.utf8))
    }

    /// The public id, where no other one is known.
    package var publicClient: ByteString? {
        client.utf8.first == 0 ? ByteString(utf8: Array(client.utf8.dropFirst())) : nil
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
