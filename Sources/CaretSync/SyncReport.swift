/// What a sync has done, for people and programs.
package enum SyncReport: Equatable, Sendable {
    case pushed(revision: Int)
    /// Changes by these users, made elsewhere, are in the file now.
    case written(revision: Int, by: [String])
    case renamedHere(to: String)
    case renamedElsewhere(to: String)
    case deletedHere
    case deletedElsewhere
    case leftAlone(LeftAlone)
    case refused(String)
    /// A system call failed.
    case heldBack(String)
}
