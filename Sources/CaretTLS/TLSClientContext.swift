import COpenSSL

/// Which servers a client trusts.
package enum TLSTrust: Equatable, Sendable {
    /// Certificates that the system's authorities have issued.
    case system
    /// Certificates in a PEM file, and those that they have issued.
    case file(String)
    /// Only the certificate with this SHA-256. Its names and its times do not matter.
    case pinned([UInt8])
}

/// The rules of a client for its sessions.
package final class TLSClientContext: Sendable {
    private let trust: TLSTrust
    private let context: ContextHandle

    package init(_ trust: TLSTrust) throws(TLSFault) {
        self.trust = trust
        context = try Self.load(trust)
    }

    /// A session with the server `host`, a DNS name or an IP address. Its certificate must name `host`,
    /// unless the certificate is pinned. `time` is when the certificate must be valid; by default it is now.
    package func makeSession(
        to host: String, speaking spoken: ApplicationProtocol?, at time: TLSTime? = nil
    ) -> TLSSession {
        let session = TLSSession(
            context.makeSession(), as: .client(host: host, pinned: trust.pinned))
        session.setServer(host, checksName: trust.pinned == nil, at: time)
        if let spoken { session.offer(spoken) }
        return session
    }

    private static func load(_ trust: TLSTrust) throws(TLSFault) -> ContextHandle {
        let context = ContextHandle(TLS_client_method())
        try context.withPointer { (pointer) throws(TLSFault) in
            switch trust {
            case .system:
                SSL_CTX_set_default_verify_paths(pointer)
                SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            case .file(let path):
                let store = SSL_CTX_get_cert_store(pointer)
                for certificate in try PEMFile(path).certificates() {
                    certificate.withPointer { _ = X509_STORE_add_cert(store, $0) }
                }
                // The file may contain the certificate of the server itself.
                X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
                SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            // OpenSSL checks nothing here: `TLSSession` compares the certificate with the pinned one.
            case .pinned: SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
            }
        }
        OpenSSLErrors.clear()
        return context
    }
}

extension TLSTrust {
    fileprivate var pinned: [UInt8]? {
        switch self {
        case .system, .file: nil
        case .pinned(let fingerprint): fingerprint
        }
    }
}
