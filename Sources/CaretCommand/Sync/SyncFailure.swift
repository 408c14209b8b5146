import CaretSync

extension Failure {
    init(_ fault: SyncFault) {
        switch fault {
        case .serverWithoutStore(let address):
            self.init(
                "\(address): the server does not tell which store it has",
                advice: "a folder is synced with version 0.2 or later: update the server")
        case .insideSyncedFolder(let folder, let outer):
            self.init(
                "\(folder): it lies in \(outer), which is synced by itself", advice: Failure.syncOneOfThem)
        case .containsSyncedFolder(let folder, let inner):
            self.init(
                "\(folder): the folder \(inner) in it is synced by itself", advice: Failure.syncOneOfThem)
        case .alreadySynced(let root):
            self.init("\(root): another caret syncs this folder", advice: "end that one first")
        case .otherPrefix(let prefix, let root, let stateFolder):
            self.init(
                "\(root): it was synced with the prefix \"\(prefix.harmless)\"",
                advice:
                    "say that one, or remove \(stateFolder) to begin again: no line of either side is lost")
        case .unreadableRecord(let file, let stateFolder):
            self.init(
                "\(file): it cannot be understood",
                advice: "remove \(stateFolder) to begin again: no line of either side is lost")
        case .stateFolderRemoved(let root):
            self.init("\(root): its folder \(SyncNames.stateFolder) was taken away")
        }
    }

    private static let syncOneOfThem =
        "sync only one of them; to end the other, remove its folder \(SyncNames.stateFolder)"
}
