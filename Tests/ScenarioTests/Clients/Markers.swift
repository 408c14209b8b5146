import CaretCore

/// Characters that a plan types at most once each. They reveal text that was lost or committed twice.
enum Markers {
    static let first: UInt32 = 0xF0000
    static let count = 65_000

    static func text(_ number: Int) -> String {
        guard let scalar = Unicode.Scalar(first + UInt32(number % count)) else { return "" }
        return String(Character(scalar))
    }

    static func found(in text: String) -> [UInt32] {
        // Every marker begins with the byte F3 in UTF-8.
        guard text.utf8.contains(0xF3) else { return [] }
        return text.unicodeScalars.map(\.value).filter { $0 >= first && $0 < first + UInt32(count) }
    }

    static func found(in change: Change) -> [UInt32] { change.edits.flatMap { found(in: $0.text) } }

    static func isAnyDoubled(in text: TextBuffer) -> Bool {
        let found = found(in: text.string)
        return found.count > 1 && Set(found).count < found.count
    }
}
