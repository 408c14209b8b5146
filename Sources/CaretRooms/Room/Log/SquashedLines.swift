import CaretCore
import CaretLog

/// Several revisions squashed into one line, shared by all sessions that need the same revisions.
struct SquashedLines: Sendable {
    let from: Revision
    let revision: Revision
    let edits: [LoggedEdit]
    var lines = UnitLines()
}
