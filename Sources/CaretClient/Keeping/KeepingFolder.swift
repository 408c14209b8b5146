import CaretReplica
import CaretWire
import FoundationEssentials
import Glibc

/// The folder of a client that keeps its unsaved edits: its id, and a file for each document that has some.
///
/// Each file is written beside, synced and renamed, so that whoever looks after a kill finds the old one or the new
/// one, whole. One client has the folder at a time.
package final class KeepingFolder: Sendable {
    private let path: String
    private let files: any FileCalls
    /// Held open, and with it the lock, as long as the process lives.
    private let lock: Int32

    /// Throws where the folder cannot be made, or another client has it.
    package init(_ path: String, _ files: any FileCalls = SystemFiles()) throws(KeepingFault) {
        self.path = path
        self.files = files
        try KeepingFolder.make(path, files)
        do throws(FileCallFault) {
            lock = try files.open(path + "/lock", O_RDWR | O_CREAT)
        } catch {
            throw KeepingFault("open", path + "/lock", code: error.code)
        }
        // Whoever throws from here on is let go of, which closes it.
        try KeepingFolder.call("lock", path + "/lock") { () throws(FileCallFault) in try files.lock(lock) }
    }

    deinit { files.close(lock) }

    private static func make(_ path: String, _ files: any FileCalls) throws(KeepingFault) {
        do throws(FileCallFault) {
            try files.makeFolder(path)
        } catch {
            if error.code == EEXIST { return }
            throw KeepingFault("make the folder", path, code: error.code)
        }
        // Its name is in the folder above, and all that is kept is lost with it.
        try sync(parent(of: path), files)
    }

    private static func parent(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        return (isAbsolute ? "/" : parts.isEmpty ? "." : "") + parts.joined(separator: "/")
    }

    private static func sync(_ folder: String, _ files: any FileCalls) throws(KeepingFault) {
        try call("sync", folder) { () throws(FileCallFault) in
            let file = try files.open(folder, O_RDONLY | O_DIRECTORY)
            defer { files.close(file) }
            try files.sync(file)
        }
    }

    /// Makes calls for one purpose.
    private static func call<Answer>(
        _ what: String, _ path: String, _ body: () throws(FileCallFault) -> Answer
    ) throws(KeepingFault) -> Answer {
        do throws(FileCallFault) {
            return try body()
        } catch {
            throw KeepingFault(what, path, code: error.code)
        }
    }

    /// The id that a client has here, which is `proposed` the first time.
    package func clientID(orElse proposed: String) throws(KeepingFault) -> String {
        if let bytes = try read("client") { return String(decoding: bytes, as: UTF8.self) }
        try write(Array(proposed.utf8), to: "client")
        return proposed
    }

    /// All that is unsaved, by the number of its file.
    private func documents() throws(KeepingFault) -> [Int: KeptDocument] {
        var found: [Int: KeptDocument] = [:]
        let names = try KeepingFolder.call("read the folder", path) { () throws(FileCallFault) in
            try files.names(in: path)
        }
        for name in names {
            let parts = name.split(separator: ".")
            guard parts.count == 2, parts[1] == "edits", let number = Int(parts[0]) else { continue }
            found[number] = try document(in: name)
        }
        return found
    }

    /// The same, to go on with.
    package func replicas() throws(KeepingFault) -> [KeptReplica] {
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

    package func keep(_ document: KeptDocument, as number: Int) throws(KeepingFault) {
        let bytes: Data
        do {
            bytes = try JSONEncoder().encode(document)
        } catch {
            throw KeepingFault("write", path, code: EINVAL)
        }
        try write(Array(bytes), to: "\(number).edits")
    }

    /// Nothing is unsaved any more of what was kept under this number.
    package func forget(_ number: Int) throws(KeepingFault) {
        let file = "\(path)/\(number).edits"
        do throws(FileCallFault) {
            // That it comes back after a power cut does no harm: what is in it is known to the server.
            try files.remove(file)
        } catch {
            if error.code != ENOENT { throw KeepingFault("remove", file, code: error.code) }
        }
    }

    // MARK: Files

    private func read(_ name: String) throws(KeepingFault) -> [UInt8]? {
        let file = "\(path)/\(name)"
        let descriptor: Int32
        do throws(FileCallFault) {
            descriptor = try files.open(file, O_RDONLY)
        } catch {
            if error.code == ENOENT { return nil }
            throw KeepingFault("open", file, code: error.code)
        }
        defer { files.close(descriptor) }
        return try KeepingFolder.call("read", file) { () throws(FileCallFault) in
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try files.read(descriptor, into: &piece)
                if count == 0 { return bytes }
                bytes.append(contentsOf: piece.prefix(count))
            }
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws(KeepingFault) {
        let (file, beside) = ("\(path)/\(name)", "\(path)/\(name).new")
        let descriptor = try KeepingFolder.call("make", beside) { () throws(FileCallFault) in
            try files.open(beside, O_WRONLY | O_CREAT | O_TRUNC)
        }
        defer { files.close(descriptor) }
        try KeepingFolder.call("write", beside) { () throws(FileCallFault) in
            var rest = bytes[...]
            while !rest.isEmpty { rest = rest.dropFirst(try files.write(descriptor, rest)) }
        }
        try KeepingFolder.call("sync", beside) { () throws(FileCallFault) in try files.sync(descriptor) }
        try KeepingFolder.call("rename", beside) { () throws(FileCallFault) in
            try files.rename(beside, to: file)
        }
        try KeepingFolder.sync(path, files)
    }
}
