/// Why bytes are not a text, or an offset not a place in one.
public enum TextError: Error, Equatable, Sendable {
    /// The bytes from this one on are not UTF-8.
    case invalidUTF8(at: Int)
    /// A line break inside Caret is LF; it counts UTF-8 from the start of what was offered.
    case carriageReturn(at: Int)
    /// An offset before the start of the text or beyond its end, in the unit that was asked for.
    case outside(offset: Int, end: Int)
    /// An offset between the code units of one scalar.
    case insideScalar(offset: Int)
}
