import FoundationEssentials

/// The trash of a synced folder, `FOLDER/.caret/trash`. It contains texts that the sync removed, so that
/// users can get them back.
///
/// If the trash has too many texts, the oldest are deleted. The file of each text is named by a number. A
/// record beside this file describes the text.
package struct SyncTrash {
    /// Why a text was removed from the folder.
    package enum Reason: String, Codable, Sendable {
        /// Another client deleted the document of the file.
        case deleted
        /// Another client created the document again, so the new history does not contain the text.
        case replaced
        /// A program wrote the text into a file after the sync had replaced that file.
        case late
    }

    package struct Item: Codable, Equatable, Sendable {
        package var number: Int
        /// The path of the file in the folder.
        package var path: String
        package var reason: Reason
        /// When the text was removed, in milliseconds since 1970.
        package var at: Int
        package var bytes: Int

        package init(number: Int, path: String, reason: Reason, at: Int, bytes: Int) {
            self.number = number
            self.path = path
            self.reason = reason
            self.at = at
            self.bytes = bytes
        }
    }

    /// How much the trash keeps at most. The time is in milliseconds.
    package enum Limit {
        package static let count = 1_000
        package static let bytes = 256 << 20
        package static let time = 30 * 24 * 3_600_000
    }

    private let folder: String
    private let disk: any SyncDisk
    /// The texts in the trash, the oldest first.
    package private(set) var items: [Item]

    /// Reads the trash of a synced folder. Changes nothing.
    package init(in root: String, on disk: any SyncDisk = SystemDisk()) throws(FileFault) {
        folder = root + "/" + SyncNames.stateFolder + "/trash"
        self.disk = disk
        items = []
        for name in try disk.names(in: folder) {
            let name = String(decoding: name, as: UTF8.self)
            guard name.hasSuffix(".json"), let bytes = try disk.bytes(folder + "/" + name) else { continue }
            // This program wrote these bytes, so Foundation's decoder may read them. Bytes from the network
            // are never passed to Foundation's decoders. If a record cannot be read, a crash interrupted its
            // writing. Then its text was not yet moved into the trash.
            guard let item = try? JSONDecoder().decode(Item.self, from: Data(bytes)) else { continue }
            if try disk.status(path(of: item)) != nil { items.append(item) }
        }
        items.sort { $0.number < $1.number }
    }

    func path(of item: Item) -> String { "\(folder)/\(item.number)" }

    private func record(of item: Item) -> String { "\(folder)/\(item.number).json" }

    package func bytes(of item: Item) throws(FileFault) -> [UInt8]? { try disk.bytes(path(of: item)) }

    /// Moves a file into the trash. If the program is killed before the move, the file stays at its old path.
    mutating func add(_ file: String, _ item: Item) throws {
        try disk.makeFolder(folder, mode: 0o700)
        try disk.replace(record(of: item), Array(try JSONEncoder().encode(item)))
        try disk.rename(file, to: path(of: item))
        // The program that wrote the text may not have synced it.
        try disk.sync(file: path(of: item))
        try disk.sync(folder: folder)
        items.append(item)
        try prune(at: item.at)
    }

    /// Stores a text in the trash, when no file contains the text.
    package mutating func keep(_ bytes: [UInt8], _ item: Item) throws {
        try disk.makeFolder(folder, mode: 0o700)
        let file = path(of: item)
        _ = try disk.make(file, bytes, mode: 0o600)
        try disk.replace(record(of: item), Array(try JSONEncoder().encode(item)))
        items.append(item)
        try prune(at: item.at)
    }

    private mutating func prune(at now: Int) throws(FileFault) {
        var bytes = items.reduce(0) { $0 + $1.bytes }
        while let oldest = items.first, items.count > 1 {
            let isTooMuch = items.count > Limit.count || bytes > Limit.bytes
            guard isTooMuch || now - oldest.at > Limit.time else { return }
            try disk.remove(path(of: oldest))
            try disk.remove(record(of: oldest))
            bytes -= oldest.bytes
            items.removeFirst()
        }
    }
}
