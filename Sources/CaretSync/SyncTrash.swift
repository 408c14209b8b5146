import FoundationEssentials

/// Texts that a sync removed from a folder, in case they are wanted back: `FOLDER/.caret/trash`.
///
/// If there are too many, the oldest are deleted. Each text is in a file named by a number, with a record
/// beside it that describes the text.
package struct SyncTrash {
    /// Why a text was removed from the folder.
    package enum Reason: String, Codable, Sendable {
        /// Its document was deleted elsewhere.
        case deleted
        /// Its document was created again elsewhere, without the history that the text belonged to.
        case replaced
        /// A program wrote it into a file after that file had been replaced.
        case late
    }

    package struct Item: Codable, Equatable, Sendable {
        package var number: Int
        /// The path of the file in the folder.
        package var path: String
        package var reason: Reason
        /// In milliseconds since 1970.
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

    /// The most that is kept.
    package enum Limit {
        package static let count = 1_000
        package static let bytes = 256 << 20
        package static let time = 30 * 24 * 3_600_000
    }

    private let folder: String
    private let disk: any SyncDisk
    /// The oldest first.
    package private(set) var items: [Item]

    /// Reads the trash of a synced folder. Changes nothing.
    package init(in root: String, on disk: any SyncDisk = SystemDisk()) throws(FileFault) {
        folder = root + "/" + SyncNames.stateFolder + "/trash"
        self.disk = disk
        items = []
        for name in try disk.names(in: folder) {
            let name = String(decoding: name, as: UTF8.self)
            guard name.hasSuffix(".json"), let bytes = try disk.bytes(folder + "/" + name) else { continue }
            // These bytes were written by this program. Foundation's decoders never see bytes from the
            // network. A record that cannot be read was not written completely, and its text is still where
            // it was.
            guard let item = try? JSONDecoder().decode(Item.self, from: Data(bytes)) else { continue }
            if try disk.status(path(of: item)) != nil { items.append(item) }
        }
        items.sort { $0.number < $1.number }
    }

    func path(of item: Item) -> String { "\(folder)/\(item.number)" }

    private func record(of item: Item) -> String { "\(folder)/\(item.number).json" }

    package func bytes(of item: Item) throws(FileFault) -> [UInt8]? { try disk.bytes(path(of: item)) }

    /// Moves a file into the trash. Until that is done, the file stays where it is.
    mutating func take(_ file: String, _ item: Item) throws {
        try disk.makeFolder(folder, mode: 0o700)
        try disk.replace(record(of: item), Array(try JSONEncoder().encode(item)))
        try disk.rename(file, to: path(of: item))
        try disk.sync(folder: folder)
        items.append(item)
        try prune(at: item.at)
    }

    /// Stores a text that is not in a file.
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
