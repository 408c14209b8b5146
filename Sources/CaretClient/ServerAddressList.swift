/// A list of addresses has an entry that is not an address.
public struct InvalidServerAddress: Error, Equatable, Sendable {
    /// The entry, without spaces around it.
    public let entry: String
    /// The number of the entry, from 1.
    public let number: Int
    /// How many entries the list has.
    public let count: Int

    package init(entry: String, number: Int, count: Int) {
        self.entry = entry
        self.number = number
        self.count = count
    }
}

extension InvalidServerAddress: CustomStringConvertible {
    public var description: String {
        let place = "address \(number) of \(count)"
        return entry.isEmpty ? "\(place) is empty" : "\(place) is not the address of a server: \"\(entry)\""
    }
}

extension ServerAddress {
    /// Reads the addresses of one or several servers, separated by commas. Spaces around an address are
    /// ignored, and so are repeated addresses.
    ///
    /// A comma always separates, so the path of a socket in the list cannot contain one.
    public static func list(_ text: String) throws(InvalidServerAddress) -> [ServerAddress] {
        let entries = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(Substring($0)).withoutOuterSpaces }
        var found: [ServerAddress] = []
        for (index, entry) in entries.enumerated() {
            guard let address = ServerAddress(entry) else {
                throw InvalidServerAddress(entry: entry, number: index + 1, count: entries.count)
            }
            if !found.contains(address) { found.append(address) }
        }
        return found
    }
}

extension String {
    fileprivate var withoutOuterSpaces: String {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let rest = utf8.drop(while: isSpace)
        let end = rest.lastIndex { !isSpace($0) }.map { rest.index(after: $0) } ?? rest.startIndex
        return String(Substring(rest[..<end]))
    }
}
