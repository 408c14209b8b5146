/// Why a text is not valid JSON5, and where.
package struct JSON5Fault: Error, Equatable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        case tooLong(bytes: Int)
        case notUTF8
        case tooDeep
        /// `found` is nil at the end of the text.
        case wanted(Wanted, found: Unicode.Scalar?)
        case unknownWord(String)
        case notClosed(Bracket)
        case lineBreakInString
        case badEscape
        case loneSurrogate
        case badNumber(String)
        case doubledKey(String, first: TextPlace)
    }

    package enum Wanted: String, Sendable {
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
    package let place: TextPlace

    package var description: String {
        switch reason {
        case .tooLong(let bytes): "the text has \(bytes) bytes; at most \(JSON5Reader.longest) are read"
        case .notUTF8: "this is not UTF-8"
        case .tooDeep: "more than \(JSON5Reader.deepest) levels of arrays and objects"
        case .wanted(let wanted, let found?): "found \(found.shown), wanted \(wanted.rawValue)"
        case .wanted(let wanted, nil): "the text ends, wanted \(wanted.rawValue)"
        case .unknownWord(let word): "found \(word.echoed), wanted a value; a string stands in quotes"
        case .notClosed(let bracket): "the \(bracket.rawValue) that begins here is not closed"
        case .lineBreakInString: "a line break in a string; behind \\ it goes on, \\n means one"
        case .badEscape: "no such escape; a \\ itself is \\\\"
        case .loneSurrogate: "half of a surrogate pair is no character"
        case .badNumber(let text): "\(text.echoed) is no number"
        case .doubledKey(let key, let first): "\(key.echoed) is there already, at \(first)"
        }
    }
}

extension Unicode.Scalar {
    /// The scalar in a form that every message can show.
    fileprivate var shown: String {
        isShowable ? "'\(self)'" : "U+" + String(repeating: "0", count: 4 - min(4, hex.count)) + hex
    }

    private var hex: String { String(value, radix: 16, uppercase: true) }
}
