/// Why a text is not valid JSON5, with the position.
package struct JSON5Fault: Error, Equatable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        case tooLong(bytes: Int)
        case notUTF8
        case tooDeep
        /// `found` is nil at the end of the text.
        case expected(Expected, found: Unicode.Scalar?)
        case unknownWord(String)
        case notClosed(Bracket)
        case lineBreakInString
        case badEscape
        case loneSurrogate
        case badNumber(String)
        case doubledKey(String, first: TextPosition)
    }

    package enum Expected: String, Sendable {
        case value = "a value"
        case key = "a key"
        case colon = "':'"
        case commaOrBrace = "',' or '}'"
        case commaOrBracket = "',' or ']'"
        case end = "the end of the text"
    }

    package enum Bracket: String, Sendable {
        case string, comment, array, object
    }

    package let reason: Reason
    package let position: TextPosition

    package var description: String {
        switch reason {
        case .tooLong(let bytes): "the text has \(bytes) bytes; at most \(JSON5Reader.longest) are allowed"
        case .notUTF8: "this byte is not valid UTF-8"
        case .tooDeep: "there are more than \(JSON5Reader.deepest) levels of arrays and objects"
        case .expected(let expected, let found?): "found \(found.shown), expected \(expected.rawValue)"
        case .expected(let expected, nil): "the text ends, expected \(expected.rawValue)"
        case .unknownWord(let word): "found \(word.echoed), expected a value; a string needs quotes"
        case .notClosed(let bracket): "the \(bracket.rawValue) that begins here is not closed"
        case .lineBreakInString: "a string must not contain a line break; write \\n instead"
        case .badEscape: "unknown escape; write \\\\ for a backslash"
        case .loneSurrogate: "half of a surrogate pair is not a character"
        case .badNumber(let text): "\(text.echoed) is not a number"
        case .doubledKey(let key, let first): "the key \(key.echoed) exists already, at \(first)"
        }
    }
}

extension Unicode.Scalar {
    /// The scalar in quotes, or its number if it is not visible.
    fileprivate var shown: String {
        isShowable ? "'\(self)'" : "U+" + String(repeating: "0", count: 4 - min(4, hex.count)) + hex
    }

    private var hex: String { String(value, radix: 16, uppercase: true) }
}
