import CaretCore
import CaretLog

/// Revisions as one line, for all who are sent the same.
struct SquashedLines: Sendable {
    let from: Revision
    let revision: Revision
    let edits: [LoggedEdit]
    var lines = UnitLines()
}
