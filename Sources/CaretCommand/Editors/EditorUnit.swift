import CaretCore

/// How an editor counts positions.
package enum EditorUnit: String, CaseIterable, Sendable {
    /// By line, and by byte in the line. The editor hides the line end after the last line, as Vim does.
    case lines
    /// By Unicode scalar, from the start of the text.
    case characters
    /// By UTF-16 code unit, from the start of the text.
    case utf16
}
