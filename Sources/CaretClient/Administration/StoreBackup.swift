import CaretWire

/// A backup that a server has made of its store.
public struct StoreBackup: Equatable, Sendable {
    /// The file name, in the folder `backups` of the server's data folder.
    public let file: String
    public let bytes: Int
    public let documents: Int

    init(_ answer: BackedUp) {
        file = answer.file.string
        bytes = answer.bytes
        documents = answer.documents
    }
}
