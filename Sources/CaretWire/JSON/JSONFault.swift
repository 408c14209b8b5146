/// Why a line is not one strict JSON object, and at which of its bytes.
struct JSONFault: Error, Equatable, Sendable {
    enum Reason: Equatable, Sendable {
        /// Something else stands where this is wanted; nil where the line ends.
        case wanted(Wanted, found: UInt8?)
        case notUTF8
        case byteOrderMark
        /// A control character stands in a string as itself.
        case controlCharacter(UInt8)
        /// A backslash is followed by nothing that JSON knows.
        case badEscape
        /// An escape is one half of a pair, without the other.
        case loneSurrogate
        /// A number begins with a zero that is not all of its integer part.
        case leadingZero
        /// An integer lies outside ±(2^53 − 1).
        case integerOutOfRange
        /// A number with a fraction or an exponent lies beyond what every reader can hold.
        case numberOutOfRange
        /// More levels of objects and arrays than may be.
        case tooDeep
        /// A key stands twice in one object.
        case duplicateKey
        /// More bytes than a place in a line can be counted with.
        case tooLong
    }

    enum Wanted: Equatable, Sendable {
        case object, value, key, colon, commaOrBrace, commaOrBracket, digit, quote, end
    }

    let reason: Reason
    let byte: Int
}

extension JSONFault: CustomStringConvertible {
    var description: String {
        let what =
            switch reason {
            case .wanted(let wanted, let found): "\(wanted) is wanted, found \(JSONFault.name(found))"
            case .notUTF8: "the bytes are not UTF-8"
            case .byteOrderMark: "a byte order mark is not allowed"
            case .controlCharacter(let byte): "\(JSONFault.name(byte)) must be escaped in a string"
            case .badEscape: "there is no such escape"
            case .loneSurrogate: "this surrogate escape is not half of a pair"
            case .leadingZero: "a number must not begin with a zero more"
            case .integerOutOfRange: "an integer must lie within ±\(Limits.integer)"
            case .numberOutOfRange:
                "a number must lie between 1e-\(Limits.exponent) and 1e\(Limits.exponent + 1)"
            case .tooDeep: "more than \(Limits.nesting) levels of objects and arrays"
            case .duplicateKey: "this key stands twice in its object"
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

extension JSONFault.Wanted: CustomStringConvertible {
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
        case .end: "nothing more"
        }
    }
}
