/// Why bytes are not a text, or why an offset is not a position in a text.
public enum TextError: Error, Equatable, Sendable {
    /// The bytes are not UTF-8 from this byte on.
    case invalidUTF8(at: Int)
    /// The text has a carriage return. Line breaks are LF inside Caret. `at` counts bytes from the start of
    /// the input.
    case carriageReturn(at: Int)
    /// The offset is before the start or after the end of the text. Both numbers count the unit that the
    /// caller used.
    case outside(offset: Int, end: Int)
    /// The offset is between the code units of one scalar.
    case insideScalar(offset: Int)
}
