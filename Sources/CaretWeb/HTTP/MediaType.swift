/// The forms in which the server sends documents, differences and histories.
package enum MediaType: String, CaseIterable, Sendable {
    case text = "text/plain"
    case json = "application/json"
    /// A difference in the format of `patch`.
    case patch = "text/x-diff"
    /// JSON, one value on each line.
    case jsonLines = "application/x-ndjson"

    /// The value of the field `Content-Type`.
    var contentType: String {
        switch self {
        case .text, .patch: "\(rawValue); charset=utf-8"
        case .json, .jsonLines: rawValue
        }
    }

    /// The form of `types` that a request prefers, by its fields `Accept`. Nil if it accepts none of them.
    package static func preferred(by fields: Fields, among types: [MediaType]) -> MediaType? {
        let ranges = fields.weightedItems(of: "accept")
        if ranges.isEmpty { return types.first }
        let weights = types.map { type in
            // The most specific range decides.
            (type, ranges.filter { $0.covers(type) }.max { $0.precision < $1.precision }?.weight ?? 0)
        }
        // `max` returns the first of two equal elements, so the first type is preferred.
        return weights.max { $0.1 < $1.1 }.flatMap { $0.1 > 0 ? $0.0 : nil }
    }

    /// The type in a field `Content-Type`, in lower-case letters and without its parameters.
    package static func sent(in value: [UInt8]) -> String {
        String(
            decoding: value.prefix { $0 != UInt8(ascii: ";") }.withoutBlanks.map(\.lowerCase), as: UTF8.self)
    }

    /// The character encodings that a field `Content-Type` names, in lower-case letters.
    package static func charsets(in value: [UInt8]) -> [String] {
        let parameters = value.map(\.lowerCase).split(separator: UInt8(ascii: ";")).dropFirst()
        return parameters.compactMap { parameter in
            let parts = parameter.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0].withoutBlanks.elementsEqual("charset".utf8) else { return nil }
            let text = String(decoding: parts.last ?? [], as: UTF8.self)
            return parts.count < 2 ? "" : text.trimmingQuotes
        }
    }
}

extension String {
    /// The text without blanks around it, and without the quotes of a quoted string.
    fileprivate var trimmingQuotes: String {
        let text = Array(utf8)[...].withoutBlanks
        let isQuoted = text.count >= 2 && text.first == UInt8(ascii: "\"") && text.last == UInt8(ascii: "\"")
        return String(decoding: isQuoted ? text.dropFirst().dropLast() : text, as: UTF8.self)
    }
}

extension WeightedItem {
    fileprivate func covers(_ type: MediaType) -> Bool {
        name == type.rawValue || name == "*/*" || name == type.rawValue.prefix { $0 != "/" } + "/*"
    }

    fileprivate var precision: Int { name == "*/*" ? 0 : name.hasSuffix("/*") ? 1 : 2 }
}
