/// Helpers to read fields from lines.
extension [String] {
    /// The line at this index, or an empty string.
    func line(_ number: Int) -> String { indices.contains(number) ? self[number] : "" }

    /// The value of `type` in each line.
    var types: [String] { map { $0.word(of: "type") } }

    /// The value of `code` in each error.
    var codes: [String] { map { $0.word(of: "code") }.filter { !$0.isEmpty } }

    /// The revisions of changes and acks, in order.
    var revisions: [Int] {
        filter { ["change", "ack"].contains($0.word(of: "type")) }.compactMap { $0.number(of: "rev") }
    }

    /// The size of all lines in bytes, with their line feeds.
    var bytes: Int { reduce(0) { $0 + $1.utf8.count + 1 } }
}

extension String {
    /// The string value after the key's first occurrence. The key must not occur inside a text.
    fileprivate func word(of key: String) -> String {
        guard let range = firstRange(of: "\"\(key)\":\"") else { return "" }
        return String(self[range.upperBound...].prefix { $0 != "\"" })
    }

    fileprivate func number(of key: String) -> Int? {
        guard let range = firstRange(of: "\"\(key)\":") else { return nil }
        return Int(self[range.upperBound...].prefix { $0.isNumber })
    }
}
