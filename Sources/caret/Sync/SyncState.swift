import CaretClient
import CaretWire
import FoundationEssentials
import Glibc

/// The state folder of a synced folder: the id of its client, what is known of each file, and files that were displaced.
///
/// One program has it at a time.
struct SyncState {
    private let folder: String
    /// Held open, and with it the lock, as long as the process lives.
    private let lock: Int32
    private let inode: UInt
    let clientID: String
    /// What is known, by paths.
    private(set) var records: [WireString: SyncRecord] = [:]
    /// Each file's own number, by which the state folder has it.
    private var numbers: [WireString: Int] = [:]
    private var lastNumber: Int

    init(in root: String, prefix: String) throws {
        let folder = root + "/" + SyncNames.stateFolder
        self.folder = folder
        for path in [folder, folder + "/files", folder + "/swap"] {
            try SystemFile.makeFolder(path, mode: 0o700)
        }
        lock = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if lock < 0 { throw FileFault("open it", folder + "/lock") }
        if flock(lock, LOCK_EX | LOCK_NB) != 0 {
            throw Failure("\(root): another caret syncs this folder", advice: "end that one first")
        }
        inode = try SystemFile.status(folder + "/lock")?.st_ino ?? 0
        clientID = try SyncState.kept(folder + "/client", orElse: CaretClient.randomID())
        let known = try SyncState.kept(folder + "/prefix", orElse: prefix)
        if !known.isSame(as: prefix) {
            throw Failure(
                "\(root): it was synced with the prefix \"\(known.harmless)\"",
                advice: "say that one, or remove \(folder) to begin anew: no line of either side is lost")
        }
        lastNumber = Milliseconds.wall
        try load()
    }

    private static func kept(_ path: String, orElse value: String) throws(FileFault) -> String {
        if let bytes = try SystemFile.bytes(path) { return String(decoding: bytes, as: UTF8.self) }
        try SystemFile.replace(path, Array(value.utf8))
        return value
    }

    /// Somebody may take away the folder, and with it all that is in it: that is no deletion of documents.
    var isThere: Bool {
        // Where it cannot be looked at, it is as good as gone.
        (try? SystemFile.status(folder + "/lock"))??.st_ino == inode
    }

    /// One that no file here ever had. It begins with the time, so that it is new after a restart, too.
    mutating func nextNumber() -> Int {
        lastNumber = max(lastNumber + 1, Milliseconds.wall)
        return lastNumber
    }

    // MARK: Records

    mutating func keep(_ record: SyncRecord) throws {
        let path = WireString(record.path)
        let number = numbers[path] ?? nextNumber()
        try SystemFile.replace(file(number), Array(try JSONEncoder().encode(record)))
        numbers[path] = number
        records[path] = record
    }

    mutating func forget(_ path: WireString) throws(FileFault) {
        guard let number = numbers[path] else { return }
        try SystemFile.remove(file(number))
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

    private mutating func load() throws {
        for name in try SystemFile.names(in: folder + "/files") {
            let parts = String(decoding: name, as: UTF8.self).split(separator: ".")
            guard parts.count == 2, parts[1] == "json", let number = Int(parts[0]) else { continue }
            let bytes = try SystemFile.bytes(file(number)) ?? []
            // These bytes were written here: a decoder of Foundation never sees any of the network.
            guard let record = try? JSONDecoder().decode(SyncRecord.self, from: Data(bytes)) else {
                throw Failure(
                    "\(file(number)): it cannot be understood",
                    advice: "remove \(folder) to begin anew: no line of either side is lost")
            }
            lastNumber = max(lastNumber, number)
            try settle(record, number)
        }
        let needed = Set(
            records.values.flatMap { $0.displaced.map(\.number) + [$0.removing].compactMap(\.self) })
        for name in try SystemFile.names(in: folder + "/swap") {
            let name = String(decoding: name, as: UTF8.self)
            if Int(name).map({ !needed.contains($0) }) ?? true {
                try SystemFile.remove(folder + "/swap/" + name)
            }
        }
    }

    /// Finds out whether what was being put in place when the program was killed is there.
    private mutating func settle(_ record: SyncRecord, _ number: Int) throws {
        let path = WireString(record.path)
        numbers[path] = number
        guard let placing = record.placing else {
            records[path] = record
            return
        }
        let isInPlace = try SystemFile.status(swap(placing.number))?.st_ino != placing.inode
        if let settled = record.placed(isInPlace: isInPlace) {
            // A file that was not put in place goes after its record no longer tells of it.
            try keep(settled)
        } else {
            try forget(path)
        }
    }

    private func file(_ number: Int) -> String { "\(folder)/files/\(number).json" }

    /// Where a file lies before it is put in place, and one that was displaced.
    func swap(_ number: Int) -> String { "\(folder)/swap/\(number)" }
}
