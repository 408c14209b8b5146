import CaretReplica
import CaretWire
import FoundationEssentials
import Glibc

/// The folder of a client that keeps its unsaved edits: its id, and a file for each document that has some.
///
/// Each file is written beside, synced and renamed, so that whoever looks after a kill finds the old one or the new
/// one, whole. One client has the folder at a time.
final class KeepingFolder: Sendable {
    private let path: String
    /// Held open, and with it the lock, as long as the process lives.
    private let lock: Int32

    /// Throws where the folder cannot be made, or another client has it.
    init(_ path: String) throws(KeepingFault) {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw KeepingFault("make the folder", path, code: errno)
        }
        lock = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if lock < 0 { throw KeepingFault("open", path + "/lock", code: errno) }
        // Whoever throws from here on is let go of, which closes it.
        if flock(lock, LOCK_EX | LOCK_NB) != 0 {
            throw KeepingFault("lock", path + "/lock", code: errno)
        }
    }

    deinit { Glibc.close(lock) }

    /// The id that a client has here, which is `proposed` the first time.
    func clientID(orElse proposed: String) throws(KeepingFault) -> String {
        if let bytes = try read("client") { return String(decoding: bytes, as: UTF8.self) }
        try write(Array(proposed.utf8), to: "client")
        return proposed
    }

    /// All that is unsaved, by the number of its file.
    private func documents() throws(KeepingFault) -> [Int: KeptDocument] {
        guard let folder = opendir(path) else { throw KeepingFault("read the folder", path, code: errno) }
        defer { closedir(folder) }
        var found: [Int: KeptDocument] = [:]
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let parts = name.split(separator: ".")
            guard parts.count == 2, parts[1] == "edits", let number = Int(parts[0]) else { continue }
            found[number] = try document(in: name)
        }
        return found
    }

    /// The same, to go on with.
    func replicas() throws(KeepingFault) -> [KeptReplica] {
        var found: [KeptReplica] = []
        for (number, document) in try documents() {
            do {
                let replica = try document.replica()
                found.append(
                    KeptReplica(
                        key: DocumentKey(value: number), name: WireString(document.name), replica: replica,
                        creates: document.creates ?? false))
            } catch {
                throw KeepingFault("understand", "\(path)/\(number).edits", code: EBADMSG)
            }
        }
        return found
    }

    private func document(in name: String) throws(KeepingFault) -> KeptDocument {
        let bytes = try read(name) ?? []
        do {
            return try JSONDecoder().decode(KeptDocument.self, from: Data(bytes))
        } catch {
            throw KeepingFault("understand", "\(path)/\(name)", code: EBADMSG)
        }
    }

    func keep(_ document: KeptDocument, as number: Int) throws(KeepingFault) {
        let bytes: Data
        do {
            bytes = try JSONEncoder().encode(document)
        } catch {
            throw KeepingFault("write", path, code: EINVAL)
        }
        try write(Array(bytes), to: "\(number).edits")
    }

    /// Nothing is unsaved any more of what was kept under this number.
    func forget(_ number: Int) throws(KeepingFault) {
        let file = "\(path)/\(number).edits"
        // That it comes back after a power cut does no harm: what is in it is known to the server.
        if unlink(file) != 0, errno != ENOENT { throw KeepingFault("remove", file, code: errno) }
    }

    // MARK: Files

    private func read(_ name: String) throws(KeepingFault) -> [UInt8]? {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw KeepingFault("open", file, code: errno)
        }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0, errno != EINTR { throw KeepingFault("read", file, code: errno) }
            bytes.append(contentsOf: piece.prefix(max(0, count)))
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws(KeepingFault) {
        let (file, beside) = ("\(path)/\(name)", "\(path)/\(name).new")
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw KeepingFault("make", beside, code: errno) }
        defer { Glibc.close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw KeepingFault("write", beside, code: errno) }
            rest = rest.dropFirst(max(0, count))
        }
        if fsync(descriptor) != 0 { throw KeepingFault("sync", beside, code: errno) }
        if rename(beside, file) != 0 { throw KeepingFault("rename", beside, code: errno) }
        try syncFolder()
    }

    private func syncFolder() throws(KeepingFault) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder < 0 { throw KeepingFault("open", path, code: errno) }
        defer { Glibc.close(folder) }
        if fsync(folder) != 0 { throw KeepingFault("sync", path, code: errno) }
    }
}
