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

// Imported history contains only the public ids of its clients. The stored id of such a client is a NUL byte
// and the public id. No client can choose such an id, so no client can push under it.
extension Pusher {
    package init(user: ByteString, publicClient: ByteString) {
        self.init(user: user, client: ByteString(utf8: [0] + publicClient.utf8))
    }

    /// The public id, if the history was imported and only this id is known; otherwise nil.
    package var publicClient: ByteString? {
        client.utf8.first == 0 ? ByteString(utf8: Array(client.utf8.dropFirst())) : nil
    }
}

/// What the store remembers of a pusher in a document: the highest committed push.
package struct PusherEntry: Hashable, Sendable {
    package let seq: Int64
    package let revision: Revision
    package let digest: Digest
    /// When the push was committed, in milliseconds. The store removes the entry some time later.
    package let used: Int64

    package init(seq: Int64, revision: Revision, digest: Digest, used: Int64) {
        self.seq = seq
        self.revision = revision
        self.digest = digest
        self.used = used
    }
}

/// A digest of 256 bits.
///
/// It does not store a `SIMD4`: an async function that keeps a vector of 32 bytes in such a value while it waits may write
/// beyond its memory (https://github.com/swiftlang/swift/issues/91639).
package struct Digest: Hashable, Sendable {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    package var words: SIMD4<UInt64> { SIMD4(first, second, third, fourth) }

    package init(_ words: SIMD4<UInt64>) {
        (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
    }
}
