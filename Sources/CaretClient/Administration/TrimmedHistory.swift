public import CaretCore
import CaretWire

/// What a trim has deleted, or would delete.
public struct TrimmedHistory: Equatable, Sendable {
    /// The oldest revision whose text can be read after the trim.
    public let start: Revision
    /// How many revisions the trim deletes.
    public let revisions: Int

    init(_ answer: Trimmed) {
        start = answer.start
        revisions = answer.revisions
    }
}
