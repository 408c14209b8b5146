/// An element of a list in which a client weights what it accepts, such as `text/*;q=0.5`.
struct WeightedItem {
    /// In lower-case letters, and without parameters.
    let name: String
    /// The weight in thousandths: 0 means that the client does not accept this.
    let weight: Int

    fileprivate init(_ text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String(decoding: $0.withoutBlanks, as: UTF8.self).lowercased() }
        name = parts[0]
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
        // These comparisons are false for a weight that is not a number (NaN).
        self.weight = weight.map { $0 >= 1 ? 1_000 : $0 > 0 ? Int($0 * 1_000) : 0 } ?? 1_000
    }
}

extension Fields {
    /// The elements of all fields with this name, which must be in lower-case letters.
    func weightedItems(of name: String) -> [WeightedItem] {
        self[name].flatMap { $0.split(separator: UInt8(ascii: ",")) }.map(WeightedItem.init)
    }
}
