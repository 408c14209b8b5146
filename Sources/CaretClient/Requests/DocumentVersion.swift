public import CaretCore
import CaretWire

/// The text of a document at one revision.
public struct DocumentVersion: Sendable {
    public let name: String
    /// Which history the revision counts in.
    public let epoch: String
    public let revision: Revision
    /// With LF as its line breaks.
    public let text: String
    /// Its line breaks are CR LF in the files that it is written back to.
    public let usesCRLF: Bool

    init(_ answer: WireText) {
        name = answer.document.string
        epoch = answer.epoch.string
        revision = answer.revision
        text = answer.text.string
        usesCRLF = answer.newline == .crlf
    }
}
