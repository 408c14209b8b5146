/// An edit: replaces the old text of a range by new text.
public struct Edit: Equatable, Sendable {
    @usableFromInline let start: Int
    @usableFromInline let end: Int
    public let text: String
    /// The length of `text` in every unit.
    public let inserted: TextLength

    /// The largest offset that an edit may have. Sums of such offsets never overflow, even before the edit is
    /// compared with a text.
    public static let farthestOffset = Int.max / 4

    /// Makes an edit. `text` must have no carriage return, and the range must be between 0 and
    /// `farthestOffset`.
    public init(_ range: Range<Offset>, _ text: String) throws(TextError) {
        if range.lowerBound.value < 0 { throw .outside(offset: range.lowerBound.value, end: 0) }
        if range.upperBound.value > Edit.farthestOffset {
            throw .outside(offset: range.upperBound.value, end: Edit.farthestOffset)
        }
        if let index = text.withBytes({ $0.firstCarriageReturn }) { throw .carriageReturn(at: index) }
        self.init(from: range.lowerBound.value, to: range.upperBound.value, text, text.textLength)
    }

    /// Makes an edit from parts of edits that are already checked.
    init(from start: Int, to end: Int, _ text: String, _ inserted: TextLength) {
        self.start = start
        self.end = end
        self.text = text
        self.inserted = inserted
    }

    public var range: Range<Offset> { Offset(start)..<Offset(end) }
    var removed: Int { end - start }
    /// By how much the text grows, in UTF-16 code units.
    var growth: Int { inserted.utf16 - removed }

    /// Compares ranges and bytes. Two encodings of the same letter, such as a composed and a decomposed é,
    /// are not equal.
    public static func == (left: Edit, right: Edit) -> Bool {
        left.start == right.start && left.end == right.end && left.inserted == right.inserted
            && hasSameBytes(left.text, right.text)
    }
}

extension String {
    /// The length in every unit.
    var textLength: TextLength { withBytes { $0.textLength } }
}

/// Compares bytes. `==` on strings uses canonical equivalence, and would miss an edit that only changes how a
/// letter is encoded.
package func hasSameBytes(_ left: String, _ right: String) -> Bool {
    left.withBytes { left in right.withBytes { right in left.isEqual(to: right) } }
}
