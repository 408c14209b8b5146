/// What a sync has done, for people and for programs.
package enum SyncReport: Equatable, Sendable {
    case pushed(revision: Int)
    /// Changes from elsewhere are in the file, made by these users.
    case written(revision: Int, by: [String])
    case renamedHere(to: String)
    case renamedElsewhere(to: String)
    case deletedHere
    case deletedElsewhere
    case leftAlone(LeftAlone)
    case refused(String)
    /// The system would not do what was to be done here.
    case heldBack(String)
}
