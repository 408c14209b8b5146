import COpenSSL

/// A context of OpenSSL with our rules, which makes sessions. OpenSSL frees the context
/// with the last session that uses it.
///
/// All threads may make sessions from a context. Its rules do not change after it is shared.
final class ContextHandle: Sendable {
    /// The context's address as a number, because pointers are not Sendable.
    private let address: UInt

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

    var pointer: OpaquePointer {
        guard let pointer = OpaquePointer(bitPattern: address) else {
            preconditionFailure("a context has no address")
        }
        return pointer
    }

    func makeSession() -> OpaquePointer {
        guard let session = SSL_new(pointer) else {
            preconditionFailure("OpenSSL cannot make a session: \(OpenSSLErrors.takeFirst().reason)")
        }
        return session
    }
}
