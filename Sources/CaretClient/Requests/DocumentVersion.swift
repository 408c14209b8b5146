public import CaretCore
import CaretWire

/// The text of a document at one revision.
public struct DocumentVersion: Sendable {
    public let name: String
    /// The epoch that the revision belongs to.
    public let epoch: String
    public let revision: Revision
    /// The text, with LF as line break.
    public let text: String
    /// Whether files of this document have CR LF as line break. `text` always has LF.
    public let usesCRLF: Bool

    init(_ answer: WireText) {
        name = answer.document.string
        epoch = answer.epoch.string
        revision = answer.revision
        text = answer.text.string
        usesCRLF = answer.newline == .crlf
    }
}
