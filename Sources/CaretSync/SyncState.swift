import CaretClient
package import CaretWire

/// The state folder of a synced folder: the id of its client, the record of each file, and displaced files.
///
/// Only one process at a time uses the state folder.
package struct SyncState {
    let root: String
    private let folder: String
    private let disk: any SyncDisk
    private let clock: SyncClock
    /// The lock of the state folder. It is held until this object is released.
    private let lock: any Sendable
    private let inode: UInt
    package let clientID: String
    /// The store that the folder is synced with, as named in `welcome`; nil before the first connection.
    package private(set) var store: String?
    /// The rules of `.caretignore` that applied last; nil if there were none yet.
    private(set) var ignoreRules: String?
    /// The records, by path.
    package private(set) var records: [WireString: SyncRecord] = [:]
    /// The number that each path has in the state folder.
    private var numbers: [WireString: Int] = [:]
    private var lastNumber: Int
    private(set) var trash: SyncTrash

    package init(
        in root: String, prefix: String, on disk: any SyncDisk = SystemDisk(), clock: SyncClock = .system
    ) throws {
        let folder = root + "/" + SyncNames.stateFolder
        (self.root, self.folder, self.disk, self.clock) = (root, folder, disk, clock)
        let folders = [folder, folder + "/files", folder + "/swap", folder + "/trash"]
        for path in folders { try disk.makeFolder(path, mode: 0o700) }
        guard let lock = try disk.lock(folder + "/lock") else {
            throw SyncFault.alreadySynced(root)
        }
        self.lock = lock
        // A killed program may have left changes that are not synced. What is read now must not change later.
        for path in folders { try disk.sync(folder: path) }
        inode = try disk.status(folder + "/lock")?.inode ?? 0
        // The folder may be in a repository, to which the state of a sync does not belong. On a full disk, the sync works
        // without this file.
        _ = try? SyncState.storedValue(folder + "/.gitignore", orElse: "*\n", disk)
        clientID = try SyncState.storedValue(folder + "/client", orElse: LiveClient.randomID(), disk)
        let known = try SyncState.storedValue(folder + "/prefix", orElse: prefix, disk)
        if !known.isSame(as: prefix) {
            throw SyncFault.otherPrefix(known, root: root, stateFolder: folder)
        }
        store = try disk.bytes(folder + "/store").map { String(decoding: $0, as: UTF8.self) }
        ignoreRules = try disk.bytes(folder + "/ignore").map { String(decoding: $0, as: UTF8.self) }
        lastNumber = clock.wall()
        trash = try SyncTrash(in: root, on: disk)
        try load()
        if try disk.status(folder + "/start-over") != nil { try startOver() }
    }

    private static func storedValue(
        _ path: String, orElse value: String, _ disk: any SyncDisk
    ) throws(FileFault) -> String {
        if let bytes = try disk.bytes(path) { return String(decoding: bytes, as: UTF8.self) }
        try disk.replace(path, Array(value.utf8))
        return value
    }

    /// Stores the rules of `.caretignore`, so that the next run knows them.
    mutating func keepIgnoreRules(_ text: String) throws(FileFault) {
        if (ignoreRules ?? "").utf8.elementsEqual(text.utf8) { return }
        try disk.replace(folder + "/ignore", Array(text.utf8))
        ignoreRules = text
    }

    /// False if the synced folder was removed with everything in it. Such a removal must not delete
    /// documents.
    var folderExists: Bool {
        // A folder that cannot be examined counts as removed.
        (try? disk.status(folder + "/lock"))??.inode == inode
    }

    /// A number that no file in the state folder ever had. The first number is the current time, so numbers
    /// are not used again after a restart.
    mutating func nextNumber() -> Int {
        lastNumber = max(lastNumber + 1, clock.wall())
        return lastNumber
    }

    // MARK: Records

    mutating func keep(_ record: SyncRecord) throws {
        let path = WireString(record.path)
        let number = numbers[path] ?? nextNumber()
        try disk.replace(recordPath(number), try record.stored)
        numbers[path] = number
        records[path] = record
    }

    /// A record that is not in its place yet, or whose name is not on disk yet.
    struct UnsyncedRecord {
        fileprivate let record: SyncRecord
        fileprivate let number: Int
        fileprivate let place: String
        /// The file that must be synced before the record is installed.
        let file: String
        /// The folder that must be synced after that.
        let folder: String
    }

    // Stores a record in three steps, so that the syncs of many records can share the work of the disk.

    mutating func write(_ record: SyncRecord) throws -> UnsyncedRecord {
        let number = numbers[WireString(record.path)] ?? nextNumber()
        let place = recordPath(number)
        let unsynced = UnsyncedRecord(
            record: record, number: number, place: place, file: place + ".new", folder: folder + "/files")
        _ = try disk.write(unsynced.file, try record.stored, mode: 0o600)
        return unsynced
    }

    mutating func install(_ unsynced: UnsyncedRecord) throws(FileFault) {
        try disk.rename(unsynced.file, to: unsynced.place)
        // If the sync of the folder fails, the next record of this path must replace this one.
        numbers[WireString(unsynced.record.path)] = unsynced.number
    }

    mutating func kept(_ unsynced: UnsyncedRecord) {
        records[WireString(unsynced.record.path)] = unsynced.record
    }

    /// Removes the record of a file. Texts that programs wrote into displaced files are kept in the trash.
    mutating func forget(_ path: WireString) throws {
        guard let number = numbers[path], let record = records[path] else { return }
        for displaced in record.displaced { try discard(displaced, of: record) }
        for older in record.older { try discard(older, of: record) }
        if let removing = record.removing { try discard(removing, of: record.path, .late) }
        if let former = record.former, !former.isSame(as: record.seen) {
            try keepInTrash(former, usesCRLF: record.usesCRLF, of: record.path)
        }
        try disk.remove(recordPath(number))
        // If it came back after a power cut, it would be a second record of its path, with an older text.
        try disk.sync(folderOf: recordPath(number))
        records[path] = nil
        numbers[path] = nil
    }

    /// Changes the path in the record of a file.
    mutating func move(_ path: WireString, to new: WireString) throws {
        guard var record = records[path], let number = numbers[path] else { return }
        record.path = new.string
        numbers[path] = nil
        records[path] = nil
        numbers[new] = number
        try keep(record)
    }

    /// Binds the folder to a store. If the folder was bound to another store before, files and documents are
    /// compared as if they had never been synced.
    package mutating func bind(to store: String) throws {
        if self.store?.isSame(as: store) == true { return }
        if self.store != nil { try startOver() }
        try disk.replace(folder + "/store", Array(store.utf8))
        self.store = store
    }

    /// Compares files and documents as if they had never been synced. The texts in the records are kept.
    ///
    /// If a kill interrupts this, the next start continues it: the remaining records alone might not show that
    /// the server has an older state.
    package mutating func startOver() throws {
        try disk.replace(folder + "/start-over", [])
        for record in records.values.sorted(by: { $0.path < $1.path }) { try keep(record.unbound) }
        try disk.remove(folder + "/start-over")
    }

    // MARK: Displaced texts

    /// Removes the file of an older text. If a program has written into this file, the file is moved to the
    /// trash instead.
    mutating func discard(_ older: SyncRecord.OlderText, of record: SyncRecord) throws {
        let full = swapPath(older.number)
        guard let status = try disk.status(full) else { return }
        if SyncFolder.Signature(status).hasBytes(of: older.signature) { return try disk.remove(full) }
        try discard(older.number, of: record.path, .late)
    }

    private mutating func discard(_ displaced: SyncRecord.Displaced, of record: SyncRecord) throws {
        let full = swapPath(displaced.number)
        guard let bytes = try disk.bytes(full) else { return }
        let text = FileText(String(decoding: bytes, as: UTF8.self)).text
        if text.isSame(as: displaced.text) { return try disk.remove(full) }
        try discard(displaced.number, of: record.path, .late)
    }

    /// Moves a file of the state folder into the trash.
    mutating func discard(_ number: Int, of path: String, _ reason: SyncTrash.Reason) throws {
        guard let status = try disk.status(swapPath(number)) else { return }
        try trash.add(
            swapPath(number),
            SyncTrash.Item(number: number, path: path, reason: reason, at: clock.wall(), bytes: status.size))
    }

    /// Keeps a text in the trash before a text from another history replaces it.
    mutating func keepInTrash(_ text: String, usesCRLF: Bool, of path: String) throws {
        let bytes = text.fileBytes(usesCRLF: usesCRLF)
        try trash.keep(
            bytes,
            SyncTrash.Item(
                number: nextNumber(), path: path, reason: .replaced, at: clock.wall(), bytes: bytes.count))
    }

    /// The older texts of a file. If a program has changed the file of an older text, that text is left out,
    /// because no editor has read the changed text.
    func olderTexts(of record: SyncRecord, limit: Int) throws(FileFault) -> [KnownTexts.Known] {
        var known: [KnownTexts.Known] = []
        for older in record.older {
            guard let status = try disk.status(swapPath(older.number)),
                SyncFolder.Signature(status).hasBytes(of: older.signature),
                let bytes = try disk.bytes(swapPath(older.number)),
                case .text(let text, _) = SyncFolder.content(of: bytes, limit: limit)
            else { continue }
            known.append(KnownTexts.Known(text: text, isOwn: older.isOwn))
        }
        return known
    }

    // MARK: Loading

    private mutating func load() throws {
        for name in try disk.names(in: folder + "/files") {
            let name = String(decoding: name, as: UTF8.self)
            let parts = name.split(separator: ".")
            guard parts.count == 2, parts[1] == "json", let number = Int(parts[0]) else {
                // A kill has interrupted the writing of a record.
                if name.hasSuffix(".json.new") { try disk.remove(folder + "/files/" + name) }
                continue
            }
            let bytes = try disk.bytes(recordPath(number)) ?? []
            guard let record = SyncRecord(stored: bytes) else {
                throw SyncFault.unreadableRecord(recordPath(number), stateFolder: folder)
            }
            lastNumber = max(lastNumber, number)
            try resolve(record, number)
        }
        if store == nil {
            // Version 0.1.0 did not store the name of the store. But the epochs of the documents begin with
            // that name.
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

    /// Finishes a move that a crash has interrupted: finds out whether the new file is at its path, and
    /// updates the record.
    private mutating func resolve(_ record: SyncRecord, _ number: Int) throws {
        let path = WireString(record.path)
        numbers[path] = number
        records[path] = record
        guard let placing = record.placing else { return }
        if let known = record.placed(isInPlace: try isInPlace(placing, of: record)) {
            // If the new file is still in the state folder, it is removed at the end of `load`, because no
            // record mentions it any more.
            try keep(known)
        } else {
            try forget(path)
        }
    }

    /// Whether the new file is at its path. A power cut may have removed the file or its name. Then the file
    /// is neither in the state folder nor at its path.
    private func isInPlace(_ placing: SyncRecord.PendingMove, of record: SyncRecord) throws(FileFault) -> Bool
    {
        let full = root + "/" + record.path
        let here = try disk.status(full)?.inode
        // The killed program may not have synced the move, and the record will say what is found now.
        if here != nil { try disk.sync(folderOf: full) }
        if here == placing.inode { return true }
        // After the move, a program may have saved another file at the path.
        guard let aside = try disk.status(swapPath(placing.number))?.inode else {
            return here != nil && !record.displaced.contains { $0.number == placing.number }
        }
        return aside != placing.inode
    }

    private func recordPath(_ number: Int) -> String { "\(folder)/files/\(number).json" }

    /// The path of a file in the state folder: a new file before it is moved to its path, or a displaced
    /// file.
    func swapPath(_ number: Int) -> String { "\(folder)/swap/\(number)" }
}
