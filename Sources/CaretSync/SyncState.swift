import CaretClient
package import CaretWire
import FoundationEssentials

/// The state folder of a synced folder: the id of its client, the record of each file, and displaced files.
///
/// Used by one process at a time.
package struct SyncState {
    let root: String
    private let folder: String
    private let disk: any SyncDisk
    private let clock: SyncClock
    /// Held until this object is released.
    private let lock: any Sendable
    private let inode: UInt
    package let clientID: String
    /// The store that the folder is synced with, as named in `welcome`; nil before the first connection.
    package private(set) var store: String?
    /// The records, by path.
    package private(set) var records: [WireString: SyncRecord] = [:]
    /// The number of each file in the state folder.
    private var numbers: [WireString: Int] = [:]
    private var lastNumber: Int
    private(set) var trash: SyncTrash

    package init(
        in root: String, prefix: String, on disk: any SyncDisk = SystemDisk(), clock: SyncClock = .system
    ) throws {
        let folder = root + "/" + SyncNames.stateFolder
        (self.root, self.folder, self.disk, self.clock) = (root, folder, disk, clock)
        for path in [folder, folder + "/files", folder + "/swap", folder + "/trash"] {
            try disk.makeFolder(path, mode: 0o700)
        }
        guard let lock = try disk.lock(folder + "/lock") else {
            throw SyncFault.alreadySynced(root)
        }
        self.lock = lock
        inode = try disk.status(folder + "/lock")?.inode ?? 0
        clientID = try SyncState.kept(folder + "/client", orElse: LiveClient.randomID(), disk)
        let known = try SyncState.kept(folder + "/prefix", orElse: prefix, disk)
        if !known.isSame(as: prefix) {
            throw SyncFault.otherPrefix(known, root: root, stateFolder: folder)
        }
        store = try disk.bytes(folder + "/store").map { String(decoding: $0, as: UTF8.self) }
        lastNumber = clock.wall()
        trash = try SyncTrash(in: root, on: disk)
        try load()
    }

    private static func kept(
        _ path: String, orElse value: String, _ disk: any SyncDisk
    ) throws(FileFault) -> String {
        if let bytes = try disk.bytes(path) { return String(decoding: bytes, as: UTF8.self) }
        try disk.replace(path, Array(value.utf8))
        return value
    }

    /// Checks that nobody has removed the folder and everything in it. That must not delete documents.
    var isThere: Bool {
        // If it cannot be examined, it counts as removed.
        (try? disk.status(folder + "/lock"))??.inode == inode
    }

    /// A number that no file here ever had. It begins with the time, so that it is new after a restart too.
    mutating func nextNumber() -> Int {
        lastNumber = max(lastNumber + 1, clock.wall())
        return lastNumber
    }

    // MARK: Records

    mutating func keep(_ record: SyncRecord) throws {
        let path = WireString(record.path)
        let number = numbers[path] ?? nextNumber()
        try disk.replace(file(number), Array(try JSONEncoder().encode(record)))
        numbers[path] = number
        records[path] = record
    }

    /// Forgets a file. What programs have written into displaced files is kept in the trash.
    mutating func forget(_ path: WireString) throws {
        guard let number = numbers[path], let record = records[path] else { return }
        for displaced in record.displaced { try discard(displaced, of: record) }
        for older in record.older { try discard(older, of: record) }
        if let removing = record.removing { try discard(removing, of: record.path, .late) }
        try disk.remove(file(number))
        records[path] = nil
        numbers[path] = nil
    }

    /// The file has another name from now on.
    mutating func move(_ path: WireString, to new: WireString) throws {
        guard var record = records[path], let number = numbers[path] else { return }
        record.path = new.string
        numbers[path] = nil
        records[path] = nil
        numbers[new] = number
        try keep(record)
    }

    /// The folder is synced with this store from now on. If there was another one before, all records are
    /// dropped: files and documents are compared as if they had never been synced.
    package mutating func begin(with store: String) throws {
        if self.store?.isSame(as: store) == true { return }
        for path in records.keys.sorted() where self.store != nil { try forget(path) }
        try disk.replace(folder + "/store", Array(store.utf8))
        self.store = store
    }

    // MARK: Displaced texts

    /// Removes an older text. If somebody has written into its file, moves it to the trash.
    mutating func discard(_ older: SyncRecord.Older, of record: SyncRecord) throws {
        let full = swap(older.number)
        guard let status = try disk.status(full) else { return }
        if SyncFolder.Signature(status).hasBytes(of: older.signature) { return try disk.remove(full) }
        try discard(older.number, of: record.path, .late)
    }

    private mutating func discard(_ displaced: SyncRecord.Displaced, of record: SyncRecord) throws {
        let full = swap(displaced.number)
        guard let bytes = try disk.bytes(full) else { return }
        let text = FileText(String(decoding: bytes, as: UTF8.self)).text
        if text.isSame(as: displaced.text) { return try disk.remove(full) }
        try discard(displaced.number, of: record.path, .late)
    }

    /// Moves a file of the state folder into the trash.
    mutating func discard(_ number: Int, of path: String, _ reason: SyncTrash.Reason) throws {
        guard let status = try disk.status(swap(number)) else { return }
        try trash.take(
            swap(number),
            SyncTrash.Item(number: number, path: path, reason: reason, at: clock.wall(), bytes: status.size))
    }

    /// Keeps a text in the trash before one of another history replaces it.
    mutating func keepInTrash(_ text: String, usesCRLF: Bool, of path: String) throws {
        let bytes = text.fileBytes(usesCRLF: usesCRLF)
        try trash.keep(
            bytes,
            SyncTrash.Item(
                number: nextNumber(), path: path, reason: .replaced, at: clock.wall(), bytes: bytes.count))
    }

    /// The older texts of a file, without those whose files were written since: no editor has read those as
    /// they are now.
    func olderTexts(of record: SyncRecord, limit: Int) throws(FileFault) -> [KnownTexts.Known] {
        var known: [KnownTexts.Known] = []
        for older in record.older {
            guard let status = try disk.status(swap(older.number)),
                SyncFolder.Signature(status).hasBytes(of: older.signature),
                let bytes = try disk.bytes(swap(older.number)),
                case .text(let text, _) = SyncFolder.content(of: bytes, limit: limit)
            else { continue }
            known.append(KnownTexts.Known(text: text, isOwn: older.isOwn))
        }
        return known
    }

    // MARK: Loading

    private mutating func load() throws {
        for name in try disk.names(in: folder + "/files") {
            let parts = String(decoding: name, as: UTF8.self).split(separator: ".")
            guard parts.count == 2, parts[1] == "json", let number = Int(parts[0]) else { continue }
            let bytes = try disk.bytes(file(number)) ?? []
            // These bytes were written by this program. Foundation's decoders never see bytes from the
            // network.
            guard let record = try? JSONDecoder().decode(SyncRecord.self, from: Data(bytes)) else {
                throw SyncFault.unreadableRecord(file(number), stateFolder: folder)
            }
            lastNumber = max(lastNumber, number)
            try resolve(record, number)
        }
        if store == nil {
            // Version 0.1.0 stored no name. The epochs of its documents begin with it.
            let epochs = records.values.compactMap { $0.head?.epoch }.sorted()
            store = epochs.first { $0.contains(".") }.map { String($0.prefix { $0 != "." }) }
        }
        let needed = Set(records.values.flatMap(\.files))
        for name in try disk.names(in: folder + "/swap") {
            let name = String(decoding: name, as: UTF8.self)
            if Int(name).map({ !needed.contains($0) }) ?? true {
                try disk.remove(folder + "/swap/" + name)
            }
        }
    }

    /// Finds out whether a file that was being put in place when the program was killed is there.
    private mutating func resolve(_ record: SyncRecord, _ number: Int) throws {
        let path = WireString(record.path)
        numbers[path] = number
        records[path] = record
        guard let placing = record.placing else { return }
        if let known = record.placed(isInPlace: try isInPlace(placing, of: record)) {
            // A file that was not put in place is removed after its record no longer mentions it.
            try keep(known)
        } else {
            try forget(path)
        }
    }

    /// A power cut may have removed the new file or its name. Then it is neither in the state folder nor in
    /// place.
    private func isInPlace(_ placing: SyncRecord.Placing, of record: SyncRecord) throws(FileFault) -> Bool {
        let here = try disk.status(root + "/" + record.path)?.inode
        if here == placing.inode { return true }
        // Somebody may have saved another one since.
        guard let aside = try disk.status(swap(placing.number))?.inode else {
            return here != nil && !record.displaced.contains { $0.number == placing.number }
        }
        return aside != placing.inode
    }

    private func file(_ number: Int) -> String { "\(folder)/files/\(number).json" }

    /// The path of a file in the state folder: before it is put in place, or after it was displaced.
    func swap(_ number: Int) -> String { "\(folder)/swap/\(number)" }
}
