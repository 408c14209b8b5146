import CaretClient
package import CaretWire
import FoundationEssentials

/// The state folder of a synced folder: the id of its client, what is known of each file, and files that were displaced.
///
/// One program has it at a time.
package struct SyncState {
    let root: String
    private let folder: String
    private let disk: any SyncDisk
    private let clock: SyncClock
    /// Held as long as the process lives.
    private let lock: any Sendable
    private let inode: UInt
    package let clientID: String
    /// The store that the folder is synced with, as `welcome` names it; nil until one was met.
    package private(set) var store: String?
    /// What is known, by paths.
    package private(set) var records: [WireString: SyncRecord] = [:]
    /// Each file's own number, by which the state folder has it.
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

    /// Somebody may take away the folder, and with it all that is in it: that is no deletion of documents.
    var isThere: Bool {
        // Where it cannot be looked at, it is as good as gone.
        (try? disk.status(folder + "/lock"))??.inode == inode
    }

    /// One that no file here ever had. It begins with the time, so that it is new after a restart, too.
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

    /// Nothing is known of the file any more. What programs have written into files that gave way is kept in the trash.
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

    /// From now on the folder is synced with this store. Where it was another one before, no record counts any longer: files
    /// and documents are compared as if they had never been synced.
    package mutating func begin(with store: String) throws {
        if self.store?.isSame(as: store) == true { return }
        for path in records.keys.sorted() where self.store != nil { try forget(path) }
        try disk.replace(folder + "/store", Array(store.utf8))
        self.store = store
    }

    // MARK: Texts that gave way

    /// Removes an older text, unless somebody has written into its file: that goes into the trash.
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

    /// Keeps a text in the trash that is about to be replaced by one of another history.
    mutating func keepInTrash(_ text: String, usesCRLF: Bool, of path: String) throws {
        let bytes = text.fileBytes(usesCRLF: usesCRLF)
        try trash.keep(
            bytes,
            SyncTrash.Item(
                number: nextNumber(), path: path, reason: .replaced, at: clock.wall(), bytes: bytes.count))
    }

    /// The older texts of a file. Those that somebody has written into since are not what an editor has read.
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
            // These bytes were written here: a decoder of Foundation never sees any of the network.
            guard let record = try? JSONDecoder().decode(SyncRecord.self, from: Data(bytes)) else {
                throw SyncFault.unreadableRecord(file(number), stateFolder: folder)
            }
            lastNumber = max(lastNumber, number)
            try resolve(record, number)
        }
        if store == nil {
            // Version 0.1.0 kept no name: it is what the epochs of its documents begin with.
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

    /// Finds out whether what was being put in place when the program was killed is there.
    private mutating func resolve(_ record: SyncRecord, _ number: Int) throws {
        let path = WireString(record.path)
        numbers[path] = number
        records[path] = record
        guard let placing = record.placing else { return }
        if let known = record.placed(isInPlace: try isInPlace(placing, of: record)) {
            // A file that was not put in place goes after its record no longer tells of it.
            try keep(known)
        } else {
            try forget(path)
        }
    }

    /// A power cut may have taken the new file, or its name: then there is nothing in the state folder, and it is not in place.
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

    /// Where a file lies before it is put in place, and one that was displaced.
    func swap(_ number: Int) -> String { "\(folder)/swap/\(number)" }
}
