import COpenSSL

/// A context of OpenSSL with our rules, which makes sessions. OpenSSL frees the context
/// with the last session that uses it.
///
/// All threads may make sessions from a context. Its rules do not change after it is shared.
final class ContextHandle: Sendable {
    /// The context's address as a number, because pointers are not Sendable.
    private let address: UInt
    private var pointer: OpaquePointer {
        guard let pointer = OpaquePointer(bitPattern: address) else {
            preconditionFailure("a context has no address")
        }
        return pointer
    }

    /// The cipher suites allowed with TLS 1.2: they all have forward secrecy and authenticated encryption.
    /// TLS 1.3 has only such suites.
    private static let suites = "ECDHE+AESGCM:ECDHE+CHACHA20"

    init(_ method: OpaquePointer) {
        OpenSSLStart.ensure()
        guard let made = SSL_CTX_new(method), caret_tls_set_rules(made) == 1,
            SSL_CTX_set_cipher_list(made, Self.suites) == 1
        else { preconditionFailure("OpenSSL cannot make a context: \(OpenSSLErrors.takeFirst().reason)") }
        address = UInt(bitPattern: made)
    }

    deinit { SSL_CTX_free(pointer) }

    /// Calls `body` with the context, which is not freed before `body` returns.
    ///
    /// No property returns the pointer, because Swift may release a handle as soon as a property of it was read for the
    /// last time. OpenSSL would then use a freed context.
    func withPointer<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        return try body(pointer)
    }

    /// Calls `body` with this context and another one.
    func withPointer<Result>(
        and other: ContextHandle, _ body: (OpaquePointer, OpaquePointer) -> Result
    ) -> Result {
        withPointer { own in other.withPointer { body(own, $0) } }
    }

    func makeSession() -> OpaquePointer {
        guard let session = withPointer({ SSL_new($0) }) else {
            preconditionFailure("OpenSSL cannot make a session: \(OpenSSLErrors.takeFirst().reason)")
        }
        return session
    }
}
