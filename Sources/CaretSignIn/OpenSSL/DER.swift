/// Writes ASN.1 in the form of DER, as OpenSSL reads keys and signatures.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { tagged(0x30, parts.flatMap { $0 }) }

    /// A number that is not negative, with its highest byte first.
    static func integer(_ number: [UInt8]) -> [UInt8] {
        var digits = Array(number.drop { $0 == 0 })
        // A highest bit of 1 would make the number negative.
        if (digits.first ?? 0x80) & 0x80 != 0 { digits.insert(0, at: 0) }
        return tagged(0x02, digits)
    }

    static func integer(_ number: UInt8) -> [UInt8] { integer([number]) }

    static func bits(_ bytes: [UInt8]) -> [UInt8] { tagged(0x03, [0] + bytes) }

    static func octets(_ bytes: [UInt8]) -> [UInt8] { tagged(0x04, bytes) }

    /// A part with an explicit tag.
    static func explicit(_ number: UInt8, _ part: [UInt8]) -> [UInt8] { tagged(0xA0 | number, part) }

    /// `numbers` are the encoded bytes of the name.
    static func name(_ numbers: [UInt8]) -> [UInt8] { tagged(0x06, numbers) }

    static let null = tagged(0x05, [])

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        precondition(count < 1 << 16, "a key has at most some KiB")
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }
}
