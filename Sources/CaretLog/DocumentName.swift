/// The name of a document: parts separated by `/`, compared byte by byte.
///
/// Every name follows rule T1 of the protocol, so every stored name can be sent.
package struct DocumentName: Hashable, Comparable, Sendable {
    package static let longest = 512

    package let bytes: ByteString

    /// Why a string is not a valid name.
    package enum Fault: Error, Equatable, Sendable {
        case empty
        /// The name has too many bytes of UTF-8.
        case tooLong(bytes: Int)
        /// The part with this index is empty, `.` or `..`.
        case badPart(Int)
        /// There is a control character at this byte.
        case control(at: Int)
        /// The part with this index begins or ends with a space.
        case spaceAtEdge(part: Int)
        /// There is an invisible character at this byte. Only new names are refused for this reason.
        case invisible(at: Int)
    }

    package init(_ string: String) throws(Fault) {
        let utf8 = Array(string.utf8)
        if utf8.isEmpty { throw .empty }
        if utf8.count > DocumentName.longest { throw .tooLong(bytes: utf8.count) }
        if let control = DocumentName.firstControl(in: utf8) { throw .control(at: control) }
        let parts = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (number, part) in parts.enumerated() {
            if part.isEmpty || part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) {
                throw .badPart(number)
            }
            if part.first == UInt8(ascii: " ") || part.last == UInt8(ascii: " ") {
                throw .spaceAtEdge(part: number)
            }
        }
        bytes = ByteString(utf8: utf8)
    }

    package static func < (left: DocumentName, right: DocumentName) -> Bool { left.bytes < right.bytes }

    /// The index of the first control character: U+0000 to U+001F, or U+007F to U+009F. U+0080 to U+009F are
    /// encoded as C2 80 to C2 9F. In UTF-8 another byte always follows C2.
    private static func firstControl(in utf8: [UInt8]) -> Int? {
        utf8.indices.first { index in
            let byte = utf8[index]
            if byte < 0x20 || byte == 0x7F { return true }
            return byte == 0xC2 && utf8[index + 1] < 0xA0
        }
    }
}

extension DocumentName {
    /// Why no document may get this name; nil if it may. Documents that have such a name keep it: rule T8 of the
    /// protocol.
    package var newNameFault: Fault? {
        if bytes.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        let scalars = Array(bytes.string.unicodeScalars)
        var byte = 0
        for (index, scalar) in scalars.enumerated() {
            let before = index > 0 ? scalars[index - 1] : "/"
            let next = index + 1 < scalars.count ? scalars[index + 1] : "/"
            if scalar.isInvisible, !scalar.isAllowed(after: before, before: next) {
                return .invisible(at: byte)
            }
            byte += scalar.utf8.count
        }
        return nil
    }
}

extension Unicode.Scalar {
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether joiners and variation selectors have an effect beside this character.
    private var hasForms: Bool { !isASCII && !isInvisible }

    /// Whether this invisible character has an effect between its neighbours. Persian words and emoji have such
    /// characters.
    fileprivate func isAllowed(after before: Unicode.Scalar, before next: Unicode.Scalar) -> Bool {
        if properties.isVariationSelector { return before.hasForms }
        // A variation selector before a joiner was allowed itself.
        let followsForm = before.hasForms || before.properties.isVariationSelector
        return ["\u{200C}", "\u{200D}"].contains(self) && followsForm && next.hasForms
    }
}

extension DocumentName: CustomStringConvertible {
    package var description: String { bytes.string }
}

extension DocumentName.Fault {
    /// Says what is wrong with a name, in words for people.
    package var problem: String {
        switch self {
        case .empty: "is empty"
        case .tooLong(let bytes): "has \(bytes) bytes; at most \(DocumentName.longest) are allowed"
        case .badPart(let number):
            "has a part (number \(number), counted from 0) that is empty, \".\" or \"..\""
        case .control(let byte): "has a control character at byte \(byte)"
        case .spaceAtEdge(let part):
            "has a part (number \(part), counted from 0) that begins or ends with a space"
        case .invisible(let byte): "has an invisible character at byte \(byte)"
        }
    }
}
