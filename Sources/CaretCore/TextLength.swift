/// The length of a piece of text in all three units at once.
public struct TextLength: Hashable, Sendable {
    public var utf8: Int
    public var utf16: Int
    public var scalars: Int

    public init(utf8: Int, utf16: Int, scalars: Int) {
        self.utf8 = utf8
        self.utf16 = utf16
        self.scalars = scalars
    }

    public static var zero: TextLength { TextLength(utf8: 0, utf16: 0, scalars: 0) }

    public func count(of unit: CodeUnit) -> Int {
        switch unit {
        case .utf8: utf8
        case .utf16: utf16
        case .scalar: scalars
        }
    }

    // These operators do not check for overflow: texts are in memory, so no sum of lengths overflows. Every
    // edit computes a dozen sums, so the checks would cost time.
    public static func + (left: TextLength, right: TextLength) -> TextLength {
        TextLength(
            utf8: left.utf8 &+ right.utf8, utf16: left.utf16 &+ right.utf16,
            scalars: left.scalars &+ right.scalars)
    }

    public static func - (left: TextLength, right: TextLength) -> TextLength {
        TextLength(
            utf8: left.utf8 &- right.utf8, utf16: left.utf16 &- right.utf16,
            scalars: left.scalars &- right.scalars)
    }

    public static func += (left: inout TextLength, right: TextLength) { left = left + right }
}

extension TextBuffer {
    /// The length of the text before an offset, in every unit.
    public func length<Unit: TextUnit>(before offset: UnitOffset<Unit>) throws(TextError) -> TextLength {
        try length(before: offset.value, in: Unit.unit)
    }
}
