/// A set of slices of all documents. Each document belongs to one of 16,384 slices, by its id.
///
/// A server tells the others in which slices it has documents open, in one message. With 1,000 open documents, it gets 6 %
/// of the news that it does not need.
package struct DocumentSlices: Equatable, Sendable {
    package static let count = 16_384
    package static let none = DocumentSlices()
    package static let all = DocumentSlices(words: Array(repeating: .max, count: count / 64))

    private var words: [UInt64]

    private init(words: [UInt64]) { self.words = words }

    package init() { self.init(words: Array(repeating: 0, count: DocumentSlices.count / 64)) }

    package init(_ slices: some Sequence<Int>) {
        self.init()
        for slice in slices { insert(slice) }
    }

    /// The store numbers documents in the order of their creation, so documents that were created together are in
    /// different slices.
    package static func slice(of document: DocumentID) -> Int {
        Int(UInt64(bitPattern: document.value) % UInt64(count))
    }

    package func contains(_ slice: Int) -> Bool { words[slice / 64] & (1 << UInt64(slice % 64)) != 0 }

    package mutating func insert(_ slice: Int) { words[slice / 64] |= 1 << UInt64(slice % 64) }

    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    package mutating func formUnion(_ others: DocumentSlices) {
        for index in words.indices { words[index] |= others.words[index] }
    }

    package func subtracting(_ others: DocumentSlices) -> DocumentSlices {
        DocumentSlices(words: zip(words, others.words).map { $0 & ~$1 })
    }

    package var slices: [Int] {
        words.indices.flatMap { index in
            var (rest, slices) = (words[index], [Int]())
            while rest != 0 {
                slices.append(64 * index + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
            return slices
        }
    }

    // MARK: As text

    /// A set of more slices than this is written as the set of all, so that each set fits into one message: at most one
    /// letter for each slice, and one or two more for each of the gaps of at least 32 slices.
    private static let mostWritten = 7_000
    private static let everything = "*"
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8)
    private static let values: [UInt8: Int] = Dictionary(
        uniqueKeysWithValues: digits.enumerated().map { ($1, $0) })

    /// The numbers of slices that lie between two of the set, five bits a letter.
    package var text: String {
        let slices = slices
        if slices.count > DocumentSlices.mostWritten { return DocumentSlices.everything }
        var (letters, next) = ([UInt8](), 0)
        for slice in slices {
            var gap = slice - next
            while gap >= 32 {
                letters.append(DocumentSlices.digits[32 + gap % 32])
                gap /= 32
            }
            letters.append(DocumentSlices.digits[gap])
            next = slice + 1
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Nil if the text is none of `text`.
    package init?(text: Substring) {
        if text == DocumentSlices.everything {
            self = .all
            return
        }
        self.init()
        var (next, gap, factor) = (0, 0, 1)
        for letter in text.utf8 {
            guard let value = DocumentSlices.values[letter], factor < DocumentSlices.count else { return nil }
            gap += value % 32 * factor
            factor *= 32
            if value >= 32 { continue }
            guard next + gap < DocumentSlices.count else { return nil }
            insert(next + gap)
            (next, gap, factor) = (next + gap + 1, 0, 1)
        }
        if factor > 1 { return nil }
    }
}
