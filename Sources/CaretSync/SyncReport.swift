/// What a sync has done, for people and programs.
package enum SyncReport: Equatable, Sendable {
    case pushed(revision: Int)
    /// Changes that these users made elsewhere were written into the file.
    case written(revision: Int, by: [String])
    case renamedHere(to: String)
    case renamedElsewhere(to: String)
    case deletedHere
    case deletedElsewhere
    case leftAlone(SkipReason)
    case refused(String)
    /// A system call failed.
    case notSynced(String)
}
