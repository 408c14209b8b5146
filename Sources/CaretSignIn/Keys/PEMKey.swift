import COpenSSL
import CaretTLS

/// The text of a PEM file with one key.
struct PEMKey {
    private let text: [UInt8]
    /// The words between `-----BEGIN ` and the dashes after them, of each block.
    private let labels: [String]

    init(_ text: [UInt8]) {
        self.text = text
        let start = Array("-----BEGIN ".utf8)
        labels = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.compactMap { line in
            guard line.starts(with: start) else { return nil }
            let label = line.dropFirst(start.count).prefix { $0 != UInt8(ascii: "-") }
            return String(decoding: label, as: UTF8.self)
        }
    }

    private var isPrivate: Bool { labels.contains { $0.hasSuffix("PRIVATE KEY") } }

    func publicMaterial() throws(KeyProblem) -> KeyMaterial {
        if isPrivate { throw .privateKey }
        if labels.contains("CERTIFICATE") { throw .certificate }
        if labels.count > 1 { throw .severalPEM(labels.count) }
        guard labels == ["PUBLIC KEY"] else { throw .notKeys }
        return try KeyMaterial(publicPartOf: read { PEM_read_bio_PUBKEY($0, nil, nil, nil) })
    }

    func privateHandle() throws(KeyProblem) -> KeyHandle {
        guard isPrivate else { throw labels.isEmpty ? .notKeys : .notPrivate }
        return try read {
            // Without a password given here, OpenSSL would ask for one at the terminal.
            var password = [CChar](repeating: 0, count: 1)
            return PEM_read_bio_PrivateKey($0, nil, nil, &password)
        }
    }

    private func read(_ body: (OpaquePointer?) -> OpaquePointer?) throws(KeyProblem) -> KeyHandle {
        OpenSSLStart.ensure()
        let key = text.withUnsafeBufferPointer { bytes in
            let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer {
                BIO_free(bio)
                ERR_clear_error()
            }
            return body(bio)
        }
        guard let key else { throw .badPEM }
        return KeyHandle(owning: key)
    }
}
