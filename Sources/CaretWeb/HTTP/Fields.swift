/// The fields of a head, in the order received.
package struct Fields: Equatable, Sendable, Sequence {
    package struct Field: Equatable, Sendable {
        /// The name, in lower-case letters.
        package let name: String
        /// The value, without the blanks around it.
        package let value: [UInt8]

        /// Reads a line such as `Host: localhost`.
        init(_ line: [UInt8]) throws(RequestFault) {
            if line.first?.isBlank == true { throw .bad("a field must not continue on the next line") }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw .bad("a field needs a colon after its name")
            }
            let name = line[..<colon]
            guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else {
                throw .bad("the name of a field must be one word, directly before the colon")
            }
            let value = line[(colon + 1)...]
            guard value.allSatisfy(\.isFieldByte) else {
                throw .bad("the value of a field contains a control character")
            }
            self.name = String(decoding: name, as: UTF8.self).lowercased()
            self.value = Array(value.withoutBlanks)
        }
    }

    private var fields: [Field] = []

    package init() {}

    var count: Int { fields.count }

    package func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

    mutating func append(_ field: Field) { fields.append(field) }

    /// The values of all fields with this name, which must be in lower-case letters.
    package subscript(name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }

    /// Whether the fields with this name list `word`, in any case, with commas between the words.
    package func hasItem(_ word: String, inList name: String) -> Bool {
        self[name].contains { value in
            value.split(separator: UInt8(ascii: ",")).contains { $0.withoutBlanks.equals(word) }
        }
    }
}

extension Collection<UInt8> {
    /// Compares with a word in lower-case ASCII letters. The bytes may have capital letters.
    func equals(_ word: String) -> Bool { elementsEqual(word.utf8) { $0.lowerCase == $1 } }
}

extension BidirectionalCollection<UInt8> where SubSequence == Self {
    var withoutBlanks: Self {
        let end = lastIndex { !$0.isBlank }.map { index(after: $0) } ?? startIndex
        return self[..<end].drop(while: \.isBlank)
    }
}

extension UInt8 {
    /// A space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    var isControl: Bool { self < 0x20 || self == 0x7F }
    /// A printable character of ASCII, except the space.
    var isVisible: Bool { 0x21...0x7E ~= self }
    var isHexDigit: Bool { isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= lowerCase }
    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    var isCapital: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
    var lowerCase: UInt8 { isCapital ? self | 0x20 : self }
    fileprivate var isTokenByte: Bool { isVisible && !#""(),/:;<=>?@[\]{}"#.utf8.contains(self) }
    /// Any byte except control characters. The tab is allowed.
    fileprivate var isFieldByte: Bool { isBlank || isVisible || self >= 0x80 }
}
