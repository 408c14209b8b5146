import CaretCore
import TestSupport

/// Scalars that are typed once each, by which a text tells what was lost and what was committed twice.
struct Markers {
    struct Doubled: Error, CustomStringConvertible {
        let marker: UInt32

        var description: String { "a typed text is committed twice: marker \(marker - Markers.first)" }
    }

    private static let first: UInt32 = 0xF0000
    private static let all: Range<UInt32> = first..<0xFFFFE

    private var typed = 0
    /// Those that the present history inserted.
    private var committed: Set<UInt32> = []
    /// Those that may be missing, since somebody removed them or the server lost them.
    private(set) var missing: Set<UInt32> = []

    /// A text of one scalar that no other has.
    mutating func next() -> String {
        typed += 1
        guard let scalar = Unicode.Scalar(Markers.first + UInt32(typed)) else { return "" }
        return String(Character(scalar))
    }

    mutating func insert(_ change: Change) throws {
        for marker in Markers.found(in: change) where !committed.insert(marker).inserted {
            throw Doubled(marker: marker)
        }
    }

    /// Somebody removed or replaced what the change does in this text.
    mutating func remove(_ change: Change, from text: Text) {
        for edit in change.edits {
            if let removed = try? text.slice(edit.range) { missing.formUnion(Markers.found(in: removed)) }
        }
    }

    /// Somebody gave up what the change inserts.
    mutating func giveUp(_ change: Change) { missing.formUnion(Markers.found(in: change)) }

    /// The server lost the change.
    mutating func forget(_ change: Change) {
        committed.subtract(Markers.found(in: change))
        missing.formUnion(Markers.found(in: change))
    }

    mutating func forgetAll() {
        missing.formUnion(committed)
        committed = []
    }

    /// What is wrong with the text at the end.
    func fault(in text: Text) -> String? {
        let found = Markers.found(in: text.string)
        let lost = Set((1...UInt32(max(typed, 1))).prefix(typed).map { Markers.first + $0 }).subtracting(
            found)
        return lost.isSubset(of: missing) ? nil : "a typed text was lost"
    }

    static func isAnyDoubled(in text: Text) -> Bool {
        let found = found(in: text.string)
        return found.count > 1 && Set(found).count < found.count
    }

    static func found(in change: Change) -> [UInt32] { change.edits.flatMap { found(in: $0.text) } }

    private static func found(in string: String) -> [UInt32] {
        string.unicodeScalars.map(\.value).filter(all.contains)
    }
}
