#if canImport(Glibc) && !canImport(Network)
    import CaretTLS

    /// What a connection needs to reach a server: the addresses of its host, and the rules for TLS.
    package struct ResolvedServer: Sendable {
        /// The name that the server's certificate must contain, and what the client trusts.
        package struct Security: Sendable {
            let host: String
            let context: TLSClientContext
        }

        /// The addresses of the server, the best one first.
        let addresses: [SystemAddress]
        /// Nil without TLS.
        let security: Security?
        /// Whether the server is reached over TCP without TLS.
        let isPlainTCP: Bool

        package init(_ addresses: [SystemAddress], _ security: Security? = nil) {
            self.addresses = addresses
            self.security = security
            isPlainTCP = false
        }

        /// Finds a server, and reads the certificates that the client trusts. May block while it waits for
        /// the network.
        package init(_ address: ServerAddress) throws(ResolvingFault) {
            addresses = try SystemAddress.resolved(address)
            isPlainTCP = address.isPlainTCP
            guard case .tls(let host, _, let trust) = address else {
                security = nil
                return
            }
            do throws(TLSFault) {
                security = Security(host: host, context: try TLSClientContext(trust.rules))
            } catch {
                throw ResolvingFault(reason: error.description)
            }
        }
    }

    extension ServerTrust {
        fileprivate var rules: TLSTrust {
            switch self {
            case .system: .system
            case .file(let path): .file(path)
            case .pinned(let digest): .pinned(digest)
            }
        }
    }
#endif
