#if canImport(Network)
    import CryptoKit
    import Dispatch
    import Foundation
    import Network
    import Security

    /// What a connection needs to reach a server: its address, and the certificates that the client trusts.
    package struct ResolvedServer: Sendable {
        private enum Trust: Sendable {
            case system
            case authorities([Data])
            case pinned([UInt8])
        }

        let endpoint: NWEndpoint
        /// Whether the server is reached over TCP without TLS.
        let isPlainTCP: Bool
        /// Nil without TLS.
        private let trust: Trust?

        /// Reads the certificates that the client trusts. Network.framework finds the server later.
        package init(_ address: ServerAddress) throws(ResolvingFault) {
            isPlainTCP = address.isPlainTCP
            switch address {
            case .unix(let path):
                endpoint = .unix(path: path)
                trust = nil
            case .tcp(let host, let port):
                endpoint = Self.endpoint(host, port)
                trust = nil
            case .tls(let host, let port, let trust):
                endpoint = Self.endpoint(host, port)
                switch trust {
                case .system: self.trust = .system
                case .file(let path): self.trust = .authorities(try Self.certificates(inFile: path))
                case .pinned(let digest): self.trust = .pinned(digest)
                }
            }
        }

        private static func endpoint(_ host: String, _ port: UInt16) -> NWEndpoint {
            .hostPort(host: NWEndpoint.Host(host), port: NWEndpoint.Port(integerLiteral: port))
        }

        /// How to connect. If the client does not trust the server, `fault` says why.
        func parameters(reporting fault: TrustFault, on queue: DispatchQueue) -> NWParameters {
            let tcp = NWProtocolTCP.Options()
            tcp.noDelay = true
            guard let trust else { return NWParameters(tls: nil, tcp: tcp) }
            let tls = NWProtocolTLS.Options()
            let options = tls.securityProtocolOptions
            sec_protocol_options_set_min_tls_protocol_version(options, .TLSv12)
            sec_protocol_options_add_tls_application_protocol(options, "caret/1")
            if let check = Self.check(trust, fault) {
                sec_protocol_options_set_verify_block(options, check, queue)
            }
            return NWParameters(tls: tls, tcp: tcp)
        }

        /// Checks the certificate of a server. Nil if Network.framework checks it.
        private static func check(_ trust: Trust, _ fault: TrustFault) -> sec_protocol_verify_t? {
            switch trust {
            case .system: return nil
            case .pinned(let digest):
                return { _, found, complete in
                    let chain = SecTrustCopyCertificateChain(sec_trust_copy_ref(found).takeRetainedValue())
                    let first = (chain as? [SecCertificate])?.first
                    let own = first.map { Array(SHA256.hash(data: SecCertificateCopyData($0) as Data)) }
                    if own != digest { fault.set("the certificate of the server is not the pinned one") }
                    complete(own == digest)
                }
            case .authorities(let certificates):
                return { _, found, complete in
                    let trust = sec_trust_copy_ref(found).takeRetainedValue()
                    let anchors = certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                    SecTrustSetAnchorCertificates(trust, anchors as CFArray)
                    SecTrustSetAnchorCertificatesOnly(trust, true)
                    var error: CFError?
                    let isTrusted = SecTrustEvaluateWithError(trust, &error)
                    if let error {
                        fault.set("the certificate cannot be trusted: \(error.localizedDescription)")
                    }
                    complete(isTrusted)
                }
            }
        }

        /// The certificates of a PEM file, in DER. At least one.
        private static func certificates(inFile path: String) throws(ResolvingFault) -> [Data] {
            let text: String
            do {
                text = try String(contentsOfFile: path, encoding: .utf8)
            } catch {
                throw ResolvingFault(
                    reason: "\(path): the file cannot be read: \(error.localizedDescription)")
            }
            let blocks = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
            let found = blocks.compactMap { block in
                block.components(separatedBy: "-----END CERTIFICATE-----").first.flatMap {
                    Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
                }
            }
            if found.isEmpty { throw ResolvingFault(reason: "\(path): the file contains no certificate") }
            return found
        }
    }
#endif
