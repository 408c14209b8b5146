import CaretReplica
import CaretWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// The folder in which a client keeps its unsaved edits: the id of the client, and one file for each document
/// with such edits.
///
/// Each file is written under another name, synced and renamed. So a crash or a power loss leaves either the
/// complete old file or the complete new file. Only one client uses the folder at a time.
package final class UnsavedEditsFolder: Sendable {
    private let path: String
    private let files: any FileCalls
    /// The descriptor of the lock file. The lock is held until `deinit` closes the file.
    private let lock: Int32

    /// Throws if the folder cannot be made, or another client uses it.
    package init(_ path: String, _ files: any FileCalls = SystemFiles()) throws(UnsavedEditsFault) {
        (self.path, self.files) = (path, files)
        var isNew = true
        do throws(FileCallFault) { try files.makeFolder(path) } catch {
            if error.code != EEXIST { throw UnsavedEditsFault("make the folder", path, code: error.code) }
            isNew = false
        }
        // The parent folder contains the name of this folder. If the parent is not synced, a power loss may
        // remove this folder with all kept edits. Every start syncs the parent, because an earlier process
        // may have made the folder and died before it synced the parent.
        try UnsavedEditsFolder.syncParent(of: path, files, isNew: isNew)
        do throws(FileCallFault) { lock = try files.open(path + "/lock", O_RDWR | O_CREAT) } catch {
            throw UnsavedEditsFault("open", path + "/lock", code: error.code)
        }
        // All members of this object are set at this point. So if a later line throws, the object is
        // released, and `deinit` closes the lock file.
        try UnsavedEditsFolder.call("lock", path + "/lock") { () throws(FileCallFault) in try files.lock(lock)
        }
    }

    deinit { files.close(lock) }

    private static func syncParent(
        of path: String, _ files: any FileCalls, isNew: Bool
    ) throws(UnsavedEditsFault) {
        let slash = UInt8(ascii: "/")
        let names = path.utf8.split(separator: slash).dropLast().map { String(Substring($0)) }
        let root = path.utf8.first == slash ? "/" : names.isEmpty ? "." : ""
        let parent = root + names.joined(separator: "/")
        do throws(FileCallFault) {
            try sync(parent, files)
        } catch {
            // If this user has no permission to read the parent of an existing folder, another user made the
            // folder. Then no sync is needed here.
            if isNew || error.code != EACCES { throw UnsavedEditsFault("sync", parent, code: error.code) }
        }
    }

    private static func sync(_ folder: String, _ files: any FileCalls) throws(FileCallFault) {
        let file = try files.open(folder, O_RDONLY | O_DIRECTORY)
        defer { files.close(file) }
        try files.sync(file)
    }

    /// Runs file calls. An error becomes an `UnsavedEditsFault` that says what could not be done.
    private static func call<Answer>(
        _ what: String, _ path: String, _ body: () throws(FileCallFault) -> Answer
    ) throws(UnsavedEditsFault) -> Answer {
        do throws(FileCallFault) {
            return try body()
        } catch {
            throw UnsavedEditsFault(what, path, code: error.code)
        }
    }

    /// The id of the client that uses this folder. The first call stores `proposed`; later calls return the
    /// stored id.
    package func clientID(orElse proposed: String) throws(UnsavedEditsFault) -> String {
        guard let bytes = try read("client") else {
            try write(Array(proposed.utf8), to: "client")
            return proposed
        }
        // The server recognises repeated pushes by the client's id. With a new id, the server would commit
        // repeated pushes twice.
        guard let id = String(validating: bytes, as: UTF8.self), !id.isEmpty else {
            throw UnsavedEditsFault("understand", path + "/client", code: EBADMSG)
        }
        return id
    }

    /// The user who wrote the edits in this folder. Nil if the server has never named the user.
    package func user() throws(UnsavedEditsFault) -> String? {
        try read("user").map { String(decoding: $0, as: UTF8.self) }
    }

    package func keep(user: String) throws(UnsavedEditsFault) { try write(Array(user.utf8), to: "user") }

    /// Reads all documents with unsaved edits. Removes files that a killed process left half written.
    package func replicas() throws(UnsavedEditsFault) -> [UnsavedDocument] {
        let names = try UnsavedEditsFolder.call("read the folder", path) { () throws(FileCallFault) in
            try files.names(in: path)
        }
        var found: [UnsavedDocument] = []
        for name in names {
            guard let number = Int(name.prefix { $0 != "." }) else { continue }
            if name == "\(number).edits.new" { try remove(name) }
            if name == "\(number).edits" { found.append(try replica(number)) }
        }
        return found
    }

    private func replica(_ number: Int) throws(UnsavedEditsFault) -> UnsavedDocument {
        let bytes = try read("\(number).edits") ?? []
        // A client wrote this file on this machine, so Foundation's decoder may read it. Bytes from the
        // network are never passed to Foundation's decoders.
        do {
            let file = try JSONDecoder().decode(UnsavedEditsFile.self, from: Data(bytes))
            return try file.document(DocumentKey(value: number))
        } catch {
            throw UnsavedEditsFault("understand", "\(path)/\(number).edits", code: EBADMSG)
        }
    }

    package func keep(_ document: UnsavedEditsFile, as number: Int) throws(UnsavedEditsFault) {
        let bytes: Data
        do {
            bytes = try JSONEncoder().encode(document)
        } catch {
            throw UnsavedEditsFault("write", path, code: EINVAL)
        }
        try write(Array(bytes), to: "\(number).edits")
    }

    /// Removes the file with this number, because the server has saved all its edits or the user has dropped
    /// them.
    package func forget(_ number: Int) throws(UnsavedEditsFault) { try remove("\(number).edits") }

    // MARK: Files

    /// Removes a file, but does not sync the folder. A power loss may bring the file back. This does no harm,
    /// because the server recognises that the pushes in the file are repeated.
    private func remove(_ name: String) throws(UnsavedEditsFault) {
        let file = "\(path)/\(name)"
        do throws(FileCallFault) { try files.remove(file) } catch {
            if error.code != ENOENT { throw UnsavedEditsFault("remove", file, code: error.code) }
        }
    }

    /// Reads a whole file. Returns nil if there is no such file. The size is not limited: only this user
    /// writes into the folder, and a limit would lose kept edits.
    private func read(_ name: String) throws(UnsavedEditsFault) -> [UInt8]? {
        let file = "\(path)/\(name)"
        let descriptor: Int32
        do throws(FileCallFault) {
            descriptor = try files.open(file, O_RDONLY)
        } catch {
            if error.code == ENOENT { return nil }
            throw UnsavedEditsFault("open", file, code: error.code)
        }
        defer { files.close(descriptor) }
        return try UnsavedEditsFolder.call("read", file) { () throws(FileCallFault) in
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try files.read(descriptor, into: &piece)
                if count == 0 { return bytes }
                bytes.append(contentsOf: piece.prefix(count))
            }
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws(UnsavedEditsFault) {
        let (file, newFile) = ("\(path)/\(name)", "\(path)/\(name).new")
        let descriptor = try UnsavedEditsFolder.call("make", newFile) { () throws(FileCallFault) in
            try files.open(newFile, O_WRONLY | O_CREAT | O_TRUNC)
        }
        defer { files.close(descriptor) }
        try UnsavedEditsFolder.call("write", newFile) { () throws(FileCallFault) in
            var rest = bytes[...]
            while !rest.isEmpty { rest = rest.dropFirst(try files.write(descriptor, rest)) }
        }
        try UnsavedEditsFolder.call("sync", newFile) { () throws(FileCallFault) in try files.sync(descriptor)
        }
        try UnsavedEditsFolder.call("rename", newFile) { () throws(FileCallFault) in
            try files.rename(newFile, to: file)
        }
        try UnsavedEditsFolder.call("sync", path) { () throws(FileCallFault) in
            try UnsavedEditsFolder.sync(path, files)
        }
    }
}
