import CaretCore
import TestSupport

/// One edit as a plan has it: it fits every text, since its place counts around the text's end.
struct Typing: Equatable {
    /// In scalars.
    let place: Int
    /// How many scalars give way, where there are so many.
    let removed: Int
    let text: String

    static func == (left: Typing, right: Typing) -> Bool {
        left.place == right.place && left.removed == right.removed
            && left.text.utf8.elementsEqual(right.text.utf8)
    }
}

extension [Typing] {
    /// The change that these are in a text; what overlaps is left out.
    func change(in text: Text) -> Change {
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

extension Text {
    /// The place in UTF-16 of a place in scalars that the text has.
    func utf16(ofScalar place: Int) -> Int {
        guard let length = try? length(before: ScalarOffset(place)) else {
            preconditionFailure("a text of \(self.length.scalars) scalars has no place \(place)")
        }
        return length.utf16
    }

    /// The selections that pairs of places in scalars, counted around the end, are in this text.
    func selections(_ pairs: [Place]) -> [Selection] {
        pairs.map { pair in
            Selection(
                anchor: Offset(utf16(ofScalar: pair.anchor % (length.scalars + 1))),
                head: Offset(utf16(ofScalar: pair.head % (length.scalars + 1))))
        }
    }
}

/// A selection as a plan has it, in scalars.
struct Place: Equatable {
    let anchor: Int
    let head: Int
}
