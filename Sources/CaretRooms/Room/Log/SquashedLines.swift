import CaretCore
import CaretLog

/// Several revisions as one line, shared by all sessions that need the same ones.
struct SquashedLines: Sendable {
    let from: Revision
    let revision: Revision
    let edits: [LoggedEdit]
    var lines = UnitLines()
}
