package import CaretCore

/// The author of a push: a user and one of the user's clients.
package struct Pusher: Hashable, Sendable {
    package let user: ByteString
    package let client: ByteString

    package init(user: ByteString, client: ByteString) {
        self.user = user
        self.client = client
    }
}

// A client of which only the public id is known, because its history was imported. The stored id is a NUL
// byte and the public id. No client can choose such an id, so nobody can push under it.
extension Pusher {
    package init(user: ByteString, publicClient: ByteString) {
        self.init(user: user, client: ByteString(utf8: [0] + publicClient.utf8))
    }

    /// The public id, if no other one is known.
    package var publicClient: ByteString? {
        client.utf8.first == 0 ? ByteString(utf8: Array(client.utf8.dropFirst())) : nil
    }
}

/// What the store remembers of a pusher in a document: the highest committed push.
package struct PusherEntry: Hashable, Sendable {
    package let seq: Int64
    package let revision: Revision
    package let digest: Digest
    /// When it was committed, in milliseconds. The entry is forgotten after a while.
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
