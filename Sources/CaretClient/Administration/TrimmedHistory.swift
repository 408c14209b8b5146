public import CaretCore
import CaretWire

/// What a trim has forgotten, or would forget.
public struct TrimmedHistory: Equatable, Sendable {
    /// The oldest revision whose text can be read then.
    public let start: Revision
    /// How many revisions are gone then.
    public let revisions: Int

    init(_ answer: Trimmed) {
        start = answer.start
        revisions = answer.revisions
    }
}
