import CaretSync

extension Failure {
    init(_ fault: SyncFault) {
        switch fault {
        case .serverWithoutStore(let address):
            self.init(
                "\(address): the server does not report the id of its store",
                advice: "`caret sync` needs a server of version 0.2 or later: update the server")
        case .insideSyncedFolder(let folder, let outer):
            self.init(
                "\(folder): it is inside \(outer), which is already a synced folder",
                advice: Failure.syncOneOfThem)
        case .containsSyncedFolder(let folder, let inner):
            self.init(
                "\(folder): it contains \(inner), which is already a synced folder",
                advice: Failure.syncOneOfThem)
        case .alreadySynced(let root):
            self.init("\(root): another caret process syncs this folder", advice: "stop that process first")
        case .otherPrefix(let prefix, let root, let stateFolder):
            self.init(
                "\(root): it was synced with the prefix \"\(prefix.printable)\"",
                advice:
                    "use that prefix, or remove \(stateFolder) to start over: no line of a file or document is lost"
            )
        case .unreadableRecord(let file, let stateFolder):
            self.init(
                "\(file): the record of the sync cannot be decoded",
                advice: "remove \(stateFolder) to start over: no line of a file or document is lost")
        case .invalidIgnoreFile(let file):
            self.init(
                "\(file): it must be a text file in UTF-8 of at most \(SyncFault.longestIgnoreFile) bytes",
                advice: "correct it, or remove it to sync all files")
        case .stateFolderRemoved(let root):
            self.init("\(root): its folder \(SyncNames.stateFolder) was removed during the sync")
        }
    }

    private static let syncOneOfThem =
        "sync only one of them; to stop syncing the other one, remove its folder \(SyncNames.stateFolder)"
}
