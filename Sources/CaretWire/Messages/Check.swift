package import CaretCore

/// The length and checksum of the text at a revision.
package struct Check: WireMessage {
    package static var type: StaticString { "check" }

    package var document: WireString
    package var revision: Revision
    /// The length of the text, in the agreed unit.
    package var length: Int
    /// The CRC-32 of the text as UTF-8.
    package var crc32: UInt32

    package init(document: WireString, revision: Revision, length: Int, crc32: UInt32) {
        self.document = document
        self.revision = revision
        self.length = length
        self.crc32 = crc32
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        revision = try fields.revision("rev")
        length = try fields.integer("length")
        crc32 = try fields.read("crc32", fields.value("crc32")) { value throws(FieldFault) in
            let digits = try value.string(atMost: .max, orElse: .badMessage)
            guard digits.utf8.count == 8, digits.utf8.allSatisfy({ $0.isLowercaseHexDigit }) else {
                throw .wrong(value, expected: "a string of eight lowercase hexadecimal digits")
            }
            return digits.utf8.reduce(0) { $0 << 4 | UInt32($1.hexDigit ?? 0) }
        }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision.value)
        writer.member("length", length)
        let digits = String(crc32, radix: 16)
        writer.member(
            "crc32", WireString(String(repeating: "0", count: 8 - digits.utf8.count) + digits))
    }
}

extension UInt8 {
    fileprivate var isLowercaseHexDigit: Bool { hexDigit != nil && (isDigit || self & 0x20 != 0) }
}

/// Reports that the client's text at a revision does not match `check`. The client then opens the document
/// again.
package struct Diverged: WireMessage {
    package static var type: StaticString { "diverged" }

    package var document: WireString
    package var revision: Revision

    package init(document: WireString, revision: Revision) {
        self.document = document
        self.revision = revision
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        revision = try fields.revision("rev")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision.value)
    }
}
