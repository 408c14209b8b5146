package import CaretClient

/// Why a sync cannot start or cannot continue. The command turns the fault into a sentence.
package enum SyncFault: Error, Equatable, Sendable {
    case serverWithoutStore(ServerAddress)
    case insideSyncedFolder(String, outer: String)
    case containsSyncedFolder(String, inner: String)
    /// Another process holds the lock of the folder.
    case alreadySynced(String)
    case otherPrefix(String, root: String, stateFolder: String)
    case unreadableRecord(String, stateFolder: String)
    /// `.caretignore`, with its folder, cannot be used.
    case invalidIgnoreFile(String)
    /// The state folder was removed during the sync.
    case stateFolderRemoved(String)

    /// The most bytes of `.caretignore`.
    package static let longestIgnoreFile = IgnoreFile.limit
}
