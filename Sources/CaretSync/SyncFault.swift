package import CaretClient

/// Why a folder cannot be synced, or not any longer. The command puts it into words.
package enum SyncFault: Error, Equatable, Sendable {
    case serverWithoutStore(ServerAddress)
    case insideSyncedFolder(String, outer: String)
    case containsSyncedFolder(String, inner: String)
    /// Another process holds the lock of the folder.
    case alreadySynced(String)
    case otherPrefix(String, root: String, stateFolder: String)
    case unreadableRecord(String, stateFolder: String)
    /// Somebody has removed the state folder of this folder while it was synced.
    case stateFolderRemoved(String)
}
