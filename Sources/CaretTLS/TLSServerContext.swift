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
package final class TLSServerContext: Sendable {
    private struct State {
        var context: ContextHandle
        let certificate: Certificate
    }

    private let files: TLSFiles
    private let state: Mutex<State>

    /// Reads and checks the files.
    package init(_ files: TLSFiles, at now: TLSTime = .now) throws(TLSFault) {
        self.files = files
        state = Mutex(try Self.load(files, at: now))
    }

    /// The certificate of new sessions.
    package var certificate: Certificate { state.withLock { $0.certificate } }

    /// Reads and checks the files again.
    package func reload(at now: TLSTime = .now) throws(TLSFault) {
        let loaded = try Self.load(files, at: now)
        state.withLock { $0 = loaded }
    }

    /// Replaces the keys that encrypt session tickets. So a stolen key decrypts only sessions from the time
    /// in which it was used. Clients with older tickets make a full handshake.
    package func renewTicketKeys() {
        state.withLock { state in
            let renewed = Self.makeContext()
            guard caret_tls_copy_identity(renewed.pointer, state.context.pointer) == 1 else {
                preconditionFailure("a loaded certificate is refused: \(OpenSSLErrors.takeFirst().reason)")
            }
            state.context = renewed
        }
    }

    /// A session that waits for a client.
    package func makeSession() -> TLSSession {
        TLSSession(state.withLock { $0.context }.makeSession(), as: .server)
    }

    private static func makeContext() -> ContextHandle {
        let context = ContextHandle(TLS_server_method())
        caret_tls_accept_protocols(context.pointer)
        return context
    }

    private static func load(_ files: TLSFiles, at now: TLSTime) throws(TLSFault) -> State {
        let chain = try PEMFile(files.certificate).certificates()
        let key = try PEMFile(files.key, isSecret: true).privateKey()
        defer { EVP_PKEY_free(key) }
        guard X509_check_private_key(chain[0].pointer, key) == 1 else {
            OpenSSLErrors.clear()
            throw .wrongKey(certificate: files.certificate, key: files.key)
        }
        // Clients refuse a chain as soon as one of its certificates has expired.
        for certificate in chain {
            try check(Certificate(certificate.pointer), of: files.certificate, at: now)
        }
        let context = makeContext()
        guard SSL_CTX_use_certificate(context.pointer, chain[0].pointer) == 1,
            SSL_CTX_use_PrivateKey(context.pointer, key) == 1,
            chain.dropFirst().allSatisfy({ caret_tls_add_chain_certificate(context.pointer, $0.pointer) == 1 }
            )
        else { throw .refused(path: files.certificate, reason: OpenSSLErrors.takeFirst().reason) }
        return State(context: context, certificate: Certificate(chain[0].pointer))
    }

    private static func check(
        _ certificate: Certificate, of path: String, at now: TLSTime
    ) throws(TLSFault) {
        if now > certificate.end { throw .certificateEnded(path: path, end: certificate.end) }
        if now < certificate.start { throw .certificateNotYetValid(path: path, start: certificate.start) }
    }
}
