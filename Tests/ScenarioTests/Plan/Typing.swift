import CaretCore
import TestSupport

/// One edit of a plan. It fits every text: its position is taken modulo the length of the text.
struct Typing: Equatable {
    /// The position, counted in scalars.
    let place: Int
    /// How many scalars the edit removes. It removes fewer if the text ends before.
    let removed: Int
    let text: String

    static func == (left: Typing, right: Typing) -> Bool {
        left.place == right.place && left.removed == right.removed
            && left.text.utf8.elementsEqual(right.text.utf8)
    }
}

extension [Typing] {
    /// These edits as a change of a text. Leaves out edits that overlap an earlier one.
    func change(in text: TextBuffer) -> Change {
        let scalars = text.length.scalars
        let sorted = map { (place: $0.place % (scalars + 1), typing: $0) }.sorted {
            ($0.place, $0.typing.removed) < ($1.place, $1.typing.removed)
        }
        var edits: [Edit] = []
        var end = 0
        for (place, typing) in sorted where place >= end {
            end = Swift.min(place + typing.removed, scalars)
            edits.append(
                SampleChange.edit(text.utf16(ofScalar: place), text.utf16(ofScalar: end), typing.text))
        }
        return SampleChange.change(edits)
    }
}

extension TextBuffer {
    /// The UTF-16 offset of an offset in scalars. The offset must be inside the text.
    func utf16(ofScalar place: Int) -> Int {
        guard let length = try? length(before: ScalarOffset(place)) else {
            preconditionFailure("a text of \(self.length.scalars) scalars has no offset \(place)")
        }
        return length.utf16
    }

    /// Selections in this text. Their ends are counted in scalars, modulo the length of the text.
    func selections(_ pairs: [Place]) -> [Selection] {
        pairs.map { pair in
            Selection(
                anchor: Offset(utf16(ofScalar: pair.anchor % (length.scalars + 1))),
                head: Offset(utf16(ofScalar: pair.head % (length.scalars + 1))))
        }
    }
}

/// A selection of a plan, in scalars.
struct Place: Equatable {
    let anchor: Int
    let head: Int
}
