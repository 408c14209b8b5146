/// The value found for a key.
package enum FoundValue {
    /// The value of an option or a variable, which is always text.
    case word(String)
    /// A value in the configuration file.
    case file(JSON5Value.Kind)

    /// The value for use in a message.
    var echoed: String {
        switch self {
        case .word(let text), .file(.string(let text)): text.echoed
        case .file(.number(let number)): number.written.count > 24 ? number.written.echoed : number.written
        case .file(.boolean(let claim)): claim ? "true" : "false"
        case .file(.null): "null"
        case .file(.array): "an array"
        case .file(.object): "an object"
        }
    }

    /// The value as a text; nil for other values.
    var text: String? {
        switch self {
        case .word(let text), .file(.string(let text)): text
        case .file: nil
        }
    }

    /// The value as a whole number without a unit; nil for other values.
    var whole: Int? {
        switch self {
        case .word(let text): Quantity.whole(text)
        case .file(.number(let number)): number.whole
        case .file: nil
        }
    }

    var yesNo: Bool? {
        switch self {
        case .word("true"), .file(.boolean(true)): true
        case .word("false"), .file(.boolean(false)): false
        case .word, .file: nil
        }
    }

    /// The items of a list. In the file, a list is an array or a single text. In an option or a variable, a
    /// list is a text with commas between the items, or `none`.
    var texts: [String]? {
        switch self {
        case .word("none"): return []
        case .word(let text):
            return text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed }
        case .file(.string(let text)): return [text]
        case .file(.array(let items)):
            let texts = items.compactMap { FoundValue.file($0.kind).text }
            return texts.count == items.count ? texts : nil
        case .file: return nil
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(String(drop { $0 == " " }.reversed()).drop { $0 == " " }.reversed())
    }
}
