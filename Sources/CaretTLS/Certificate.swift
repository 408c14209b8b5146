import COpenSSL
import Glibc

/// What a certificate says: its names, and from when until when it is valid.
package struct Certificate: Equatable, Sendable {
    /// The DNS names and IP addresses; without any, the common name.
    package let names: [String]
    package let start: TLSTime
    package let end: TLSTime
    /// SHA-256 of the certificate.
    package let fingerprint: [UInt8]

    /// The number of whole days until the certificate expires; negative if it has expired.
    package func daysLeft(at now: TLSTime) -> Int {
        Int((Double(end.seconds - now.seconds) / Double(TLSTime.secondsADay)).rounded(.down))
    }

    init(_ certificate: OpaquePointer) {
        start = Self.time(X509_get0_notBefore(certificate))
        end = Self.time(X509_get0_notAfter(certificate))
        let alternatives = Self.alternativeNames(of: certificate)
        names = alternatives.isEmpty ? Self.commonNames(of: certificate) : alternatives
        fingerprint = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { target, count in
            var size: UInt32 = 0
            X509_digest(certificate, EVP_sha256(), target.baseAddress, &size)
            count = Int(size)
        }
    }

    /// The fingerprint in hexadecimal digits.
    package var fingerprintText: String { Self.text(ofFingerprint: fingerprint) }

    package static func text(ofFingerprint bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> TLSTime {
        TLSTime(seconds: caret_seconds(time))
    }

    private static func alternativeNames(of certificate: OpaquePointer) -> [String] {
        guard let found = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
        let names = OpaquePointer(found)
        defer { caret_names_free(names) }
        return (0..<caret_names_count(names)).compactMap { index in
            guard let name = caret_name_at(names, index)?.pointee else { return nil }
            switch name.type {
            case GEN_DNS: return text(of: name.d.dNSName)
            case GEN_IPADD: return address(of: name.d.iPAddress)
            default: return nil
            }
        }
    }

    private static func commonNames(of certificate: OpaquePointer) -> [String] {
        let subject = X509_get_subject_name(certificate)
        let index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(subject, index),
            let name = text(of: X509_NAME_ENTRY_get_data(entry))
        else { return [] }
        return [name]
    }

    private static func text(of string: UnsafePointer<ASN1_STRING>?) -> String? {
        guard let string, let start = ASN1_STRING_get0_data(string) else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(string)))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func address(of string: UnsafePointer<ASN1_STRING>?) -> String? {
        guard let string, let start = ASN1_STRING_get0_data(string) else { return nil }
        let family = ASN1_STRING_length(string) == 4 ? AF_INET : AF_INET6
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, start, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
