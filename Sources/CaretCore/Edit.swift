/// One replaced range: the old text of the range gives way to the new text.
public struct Edit: Equatable, Sendable {
    let start: Int
    let end: Int
    public let text: String
    /// How long `text` is in every unit.
    public let inserted: TextLength

    /// No offset of an edit is beyond this, so that moving edits overflows nowhere before a text is at hand to tell
    /// that it is not as long.
    public static let farthestOffset = Int.max / 4

    /// An edit whose text has no carriage return and whose range lies between 0 and `farthestOffset`.
    public init(_ range: Range<Offset>, _ text: String) throws(TextError) {
        if range.lowerBound.value < 0 { throw .outside(offset: range.lowerBound.value, end: 0) }
        if range.upperBound.value > Edit.farthestOffset {
            throw .outside(offset: range.upperBound.value, end: Edit.farthestOffset)
        }
        if let index = text.withBytes({ $0.firstCarriageReturn }) { throw .carriageReturn(at: index) }
        self.init(from: range.lowerBound.value, to: range.upperBound.value, text, text.textLength)
    }

    /// An edit made of parts of edits that were checked.
    init(from start: Int, to end: Int, _ text: String, _ inserted: TextLength) {
        self.start = start
        self.end = end
        self.text = text
        self.inserted = inserted
    }

    public var range: Range<Offset> { Offset(start)..<Offset(end) }
    var removed: Int { end - start }
    /// How much longer the text becomes, in UTF-16 code units.
    var growth: Int { inserted.utf16 - removed }

    /// The same range and the same bytes; two spellings of one letter differ.
    public static func == (left: Edit, right: Edit) -> Bool {
        left.start == right.start && left.end == right.end && left.inserted == right.inserted
            && hasSameBytes(left.text, right.text)
    }
}

extension String {
    /// Calls `body` with the bytes: at hand in every native string, copied only from a foreign one.
    func withBytes<Result>(_ body: (UTF8Bytes) -> Result) -> Result {
        #if hasFeature(Embedded)
            // There are no foreign strings, and the way for them would cost several KB.
            return utf8.withContiguousStorageIfAvailable(body).unsafelyUnwrapped
        #else
            if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
            var copy = self
            return copy.withUTF8(body)
        #endif
    }

    /// The length in every unit.
    var textLength: TextLength { withBytes { $0.textLength } }
}

/// Equal as bytes. `==` on strings follows canonical equivalence, which would drop an edit from one form to another.
func hasSameBytes(_ left: String, _ right: String) -> Bool {
    left.withBytes { left in right.withBytes { right in left.isEqual(to: right) } }
}
