/// Why TLS cannot be used: a fault of the files, of the peer's certificate, or of the connection.
package enum TLSFault: Error, Equatable, Sendable, CustomStringConvertible {
    // MARK: Files

    /// A file cannot be read. `reason` is the error text of the system.
    case unreadable(path: String, reason: String)
    /// `limit` is in bytes.
    case tooLarge(path: String, limit: Int)
    case notCertificate(path: String)
    case notKey(path: String)
    /// Other users may read the file of the key. `mode` has the permission bits.
    case keyReadableByOthers(path: String, mode: UInt32)
    case wrongKey(certificate: String, key: String)
    case certificateEnded(path: String, end: TLSTime)
    case certificateNotYetValid(path: String, start: TLSTime)
    /// OpenSSL refuses the certificate or the key, for example because the key is too short.
    case refused(path: String, reason: String)

    // MARK: The server's certificate, as a client sees it

    case serverCertificateEnded(host: String)
    case serverCertificateNotYetValid(host: String)
    case wrongHost(host: String)
    case unknownIssuer(host: String)
    /// The certificate is not the pinned one. `found` is its SHA-256 in hexadecimal digits.
    case notPinned(host: String, found: String)
    case serverCertificateRefused(host: String, reason: String)

    // MARK: Connections

    /// The peer sent bytes that are not TLS.
    case notTLS
    /// The peer ended the session with an alert.
    case alert(reason: String)
    /// The peer asks for new keys again and again, but does not read the answers.
    case floodedWithRequests
    /// `reason` is OpenSSL's.
    case failed(reason: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): the file cannot be read: \(reason)"
        case .tooLarge(let path, let limit):
            "\(path): the file has more than \(limit) bytes; is it really a PEM file?"
        case .notCertificate(let path):
            "\(path): the file contains no certificate; it must begin with -----BEGIN CERTIFICATE-----"
        case .notKey(let path):
            "\(path): the file contains no private key that can be read without a password"
        case .keyReadableByOthers(let path, let mode):
            "\(path): other users may read this private key: its mode is \(Self.octal(mode)); "
                + "run chmod 600 \(path)"
        case .wrongKey(let certificate, let key):
            "\(key): the private key does not belong to the first certificate of \(certificate)"
        case .certificateEnded(let path, let end):
            "\(path): the certificate ended at \(end); renew it"
        case .certificateNotYetValid(let path, let start):
            "\(path): the certificate is valid from \(start); check the clock of this machine"
        case .refused(let path, let reason): "\(path): OpenSSL refuses the file: \(reason)"
        case .serverCertificateEnded(let host):
            "the certificate of \(host) has ended; its operator must renew it"
        case .serverCertificateNotYetValid(let host):
            "the certificate of \(host) is not valid yet; check the clock of this machine"
        case .wrongHost(let host):
            "the server's certificate does not contain the name \(host); connect under a name that it contains"
        case .unknownIssuer(let host):
            "the certificate of \(host) was not issued by an authority that this machine trusts; "
                + "trust a file of certificates, or pin the certificate"
        case .notPinned(let host, let found):
            "the certificate of \(host) is not the pinned one; its SHA-256 is \(found)"
        case .serverCertificateRefused(let host, let reason):
            "the certificate of \(host) cannot be trusted: \(reason)"
        case .notTLS: "the peer does not speak TLS on this port"
        case .alert(let reason): "the peer refused TLS: \(reason)"
        case .floodedWithRequests: "the peer asked for new keys too often, without reading the answers"
        case .failed(let reason): "TLS failed: \(reason)"
        }
    }

    private static func octal(_ mode: UInt32) -> String { "0" + String(mode, radix: 8) }
}
