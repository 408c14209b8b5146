/// Why a line is not one strict JSON object, and at which byte.
struct JSONFault: Error, Equatable, Sendable {
    enum Reason: Equatable, Sendable {
        /// `found` does not begin what was expected. `found` is nil at the end of the line.
        case expected(Expected, found: UInt8?)
        case notUTF8
        case byteOrderMark
        /// A string contains an unescaped control character.
        case controlCharacter(UInt8)
        /// An escape that JSON does not define.
        case badEscape
        /// An escape is one half of a surrogate pair.
        case loneSurrogate
        /// A number has a leading zero.
        case leadingZero
        /// An integer is outside ±(2^53 − 1).
        case integerOutOfRange
        /// A number with a fraction or exponent is outside the range that every JSON reader supports.
        case numberOutOfRange
        /// Too many levels of objects and arrays.
        case tooDeep
        /// An object has the same key twice.
        case duplicateKey
        /// The line is too long for its offsets to be stored.
        case tooLong
    }

    enum Expected: Equatable, Sendable {
        case object, value, key, colon, commaOrBrace, commaOrBracket, digit, quote, end
    }

    let reason: Reason
    let byte: Int
}

extension JSONFault: CustomStringConvertible {
    var description: String {
        let what =
            switch reason {
            case .expected(let expected, let found): "expected \(expected), found \(JSONFault.name(found))"
            case .notUTF8: "the bytes are not UTF-8"
            case .byteOrderMark: "a byte order mark is not allowed"
            case .controlCharacter(let byte): "\(JSONFault.name(byte)) must be escaped in a string"
            case .badEscape: "JSON does not define this escape"
            case .loneSurrogate: "this surrogate escape is not part of a pair"
            case .leadingZero: "a number must not have leading zeros"
            case .integerOutOfRange: "an integer must lie within ±\(Limits.integer)"
            case .numberOutOfRange:
                "a number must lie between 1e-\(Limits.exponent) and 1e\(Limits.exponent + 1)"
            case .tooDeep: "there are more than \(Limits.nesting) levels of objects and arrays"
            case .duplicateKey: "this key occurs twice in its object"
            case .tooLong: "the line is too long to be read"
            }
        return "byte \(byte): \(what)"
    }

    private static func name(_ byte: UInt8?) -> String {
        guard let byte else { return "the end of the line" }
        if byte > 0x20 && byte < 0x7F { return "'\(Unicode.Scalar(byte))'" }
        let digits = String(byte, radix: 16, uppercase: true)
        return "the byte 0x\(digits.utf8.count < 2 ? "0" : "")\(digits)"
    }
}

extension JSONFault.Expected: CustomStringConvertible {
    var description: String {
        switch self {
        case .object: "an object"
        case .value: "a value"
        case .key: "a key in quotes"
        case .colon: "a colon"
        case .commaOrBrace: "a comma or '}'"
        case .commaOrBracket: "a comma or ']'"
        case .digit: "a digit"
        case .quote: "the end of the string"
        case .end: "the end of the line"
        }
    }
}
