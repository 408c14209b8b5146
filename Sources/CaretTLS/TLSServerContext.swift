import COpenSSL
import Synchronization

/// The PEM files of a server: the certificate with its chain, and the private key.
package struct TLSFiles: Equatable, Sendable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The certificate and the private key of a server. All I/O loops make their TLS sessions from
/// this context.
///
/// A reload changes only later sessions. If the reload fails, new sessions use the earlier certificate.
///
/// Session tickets are encrypted with the current of two keys. Tickets with the previous key are accepted too, and then
/// replaced.
package final class TLSServerContext: Sendable {
    private struct State {
        var context: ContextHandle
        let certificate: Certificate
    }

    private let files: TLSFiles
    private let state: Mutex<State>

    /// Reads and checks the files. The new context accepts the session tickets of `earlier`.
    package init(
        _ files: TLSFiles, continuing earlier: TLSServerContext? = nil, at now: TLSTime = .now
    ) throws(TLSFault) {
        self.files = files
        let loaded = try Self.load(files, at: now)
        earlier?.state.withLock { Self.copyTicketKeys(to: loaded.context, from: $0.context) }
        state = Mutex(loaded)
    }

    /// The certificate of new sessions.
    package var certificate: Certificate { state.withLock { $0.certificate } }

    /// Reads and checks the files again. The keys of session tickets stay.
    package func reload(at now: TLSTime = .now) throws(TLSFault) {
        let loaded = try Self.load(files, at: now)
        state.withLock { state in
            Self.copyTicketKeys(to: loaded.context, from: state.context)
            state = loaded
        }
    }

    /// Makes a new key for session tickets, and forgets the key before the current one. So a stolen key is of use only
    /// for a limited time. Clients with tickets of the forgotten key make a full handshake.
    package func renewTicketKeys() {
        state.withLock { state in
            let renewed = Self.makeContext()
            renewed.withPointer(and: state.context) { renewed, current in
                guard caret_tls_copy_identity(renewed, current) == 1 else {
                    preconditionFailure(
                        "a loaded certificate is refused: \(OpenSSLErrors.takeFirst().reason)")
                }
                caret_tls_accept_tickets(renewed, current)
            }
            state.context = renewed
        }
    }

    /// A session that waits for a client.
    package func makeSession() -> TLSSession {
        TLSSession(state.withLock { $0.context }.makeSession(), as: .server)
    }

    private static let ticketKeysIndex = caret_ticket_keys_index()

    private static func makeContext() -> ContextHandle {
        let context = ContextHandle(TLS_server_method())
        context.withPointer { pointer in
            caret_tls_accept_protocols(pointer)
            guard caret_tls_make_ticket_keys(pointer, ticketKeysIndex) == 1 else {
                preconditionFailure("no keys for session tickets: \(OpenSSLErrors.takeFirst().reason)")
            }
        }
        return context
    }

    private static func copyTicketKeys(to context: ContextHandle, from other: ContextHandle) {
        context.withPointer(and: other) { caret_tls_copy_ticket_keys($0, $1) }
    }

    private static func load(_ files: TLSFiles, at now: TLSTime) throws(TLSFault) -> State {
        let chain = try PEMFile(files.certificate).certificates()
        let key = try PEMFile(files.key, isSecret: true).privateKey()
        defer { EVP_PKEY_free(key) }
        guard chain[0].withPointer({ X509_check_private_key($0, key) }) == 1 else {
            OpenSSLErrors.clear()
            throw .wrongKey(certificate: files.certificate, key: files.key)
        }
        // Clients refuse a chain as soon as one of its certificates has expired.
        for certificate in chain {
            try check(certificate.withPointer { Certificate($0) }, of: files.certificate, at: now)
        }
        let context = makeContext()
        guard use(chain, key, in: context) else {
            throw .refused(path: files.certificate, reason: OpenSSLErrors.takeFirst().reason)
        }
        return State(context: context, certificate: chain[0].withPointer { Certificate($0) })
    }

    /// Gives the context a certificate with its chain, and the private key. Returns whether OpenSSL accepts them.
    private static func use(_ chain: [X509Reference], _ key: OpaquePointer, in context: ContextHandle) -> Bool
    {
        context.withPointer { context in
            chain[0].withPointer { SSL_CTX_use_certificate(context, $0) } == 1
                && SSL_CTX_use_PrivateKey(context, key) == 1
                && chain.dropFirst().allSatisfy { certificate in
                    certificate.withPointer { caret_tls_add_chain_certificate(context, $0) } == 1
                }
        }
    }

    private static func check(
        _ certificate: Certificate, of path: String, at now: TLSTime
    ) throws(TLSFault) {
        if now > certificate.end { throw .certificateEnded(path: path, end: certificate.end) }
        if now < certificate.start { throw .certificateNotYetValid(path: path, start: certificate.start) }
    }
}
