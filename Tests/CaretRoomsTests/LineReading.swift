/// What tests look for in lines.
extension [String] {
    /// The line of this number, or none.
    func line(_ number: Int) -> String { indices.contains(number) ? self[number] : "" }

    /// The words of their types.
    var types: [String] { map { $0.word(of: "type") } }

    /// The words of the errors among them.
    var codes: [String] { map { $0.word(of: "code") }.filter { !$0.isEmpty } }

    /// The revisions that changes and acks bring, in their order.
    var revisions: [Int] {
        filter { ["change", "ack"].contains($0.word(of: "type")) }.compactMap { $0.number(of: "rev") }
    }

    /// Bytes, with their ends.
    var bytes: Int { reduce(0) { $0 + $1.utf8.count + 1 } }
}

extension String {
    /// The string behind a key, where that is no part of a text.
    fileprivate func word(of key: String) -> String {
        guard let range = firstRange(of: "\"\(key)\":\"") else { return "" }
        return String(self[range.upperBound...].prefix { $0 != "\"" })
    }

    fileprivate func number(of key: String) -> Int? {
        guard let range = firstRange(of: "\"\(key)\":") else { return nil }
        return Int(self[range.upperBound...].prefix { $0.isNumber })
    }
}
