package import CaretCore

/// A passage of a text that occurs exactly once.
package struct UniquePassage: Equatable {
    package let range: Range<Offset>

    package enum Fault: Error, Equatable {
        case empty
        case missing
        /// The passage occurs in these lines, counted from 1.
        case ambiguous(lines: [Int])
    }

    /// How many lines an ambiguous passage names.
    private static let mostLines = 5

    /// Finds `passage`, byte by byte, so that letters that look alike do not match.
    package init(_ passage: String, in text: String) throws(Fault) {
        if passage.isEmpty { throw .empty }
        let (passage, text) = (Array(passage.utf8), Array(text.utf8))
        let found = ByteSearch(passage).matches(in: text, atMost: UniquePassage.mostLines)
        guard let start = found.first else { throw .missing }
        if found.count > 1 {
            let lines = found.map { 1 + text[..<$0].count { $0 == 0x0A } }
            throw .ambiguous(lines: lines)
        }
        let before = String(decoding: text[..<start], as: UTF8.self).utf16.count
        range = Offset(before)..<Offset(before + String(decoding: passage, as: UTF8.self).utf16.count)
    }
}

extension UniquePassage.Fault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the passage is empty; pass some words of the document"
        case .missing:
            "the passage does not occur in the document; read the document again, and copy it exactly"
        case .ambiguous(let lines):
            "the passage occurs more than once, in lines \(lines.map(String.init).joined(separator: ", "))"
                + "; pass more of the text around it"
        }
    }
}
