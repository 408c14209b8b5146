import CaretStore
import CaretSync
import Glibc

/// Where `caret edit` keeps what is not saved on the server yet, so that it outlives the command: a folder for each
/// document of each server.
struct EditingFolder: Sendable {
    let path: String

    /// Nil where the environment says no place for it.
    init?(for document: String, at address: String, _ environment: [String: String]) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard
            let state = variable("XDG_STATE_HOME")
                ?? variable("HOME").map({ $0 + "/.local/state" })
        else { return nil }
        // Names of documents and addresses are no names of files.
        var sum = SHA256()
        sum.take(Array("\(address)\0\(document)".utf8))
        path = state + "/caret/edit/" + sum.digest().hexadecimal.prefix(32)
    }

    /// Makes the folder that it is in, for its owner alone: unsaved text need not be everybody's.
    func prepare() throws(FileFault) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for index in parts.indices.dropFirst() {
            try SystemFile.makeFolder(parts[...index].joined(separator: "/"), mode: 0o700)
        }
    }

    /// Takes it away where nothing is in it that is not saved.
    func removeIfSaved() {
        let known: [[UInt8]] = ["client", "lock"].map { Array($0.utf8) }
        // One that cannot be read stays.
        guard let names = try? SystemFile.names(in: path), names.allSatisfy(known.contains) else { return }
        for name in ["client", "lock"] { unlink(path + "/" + name) }
        rmdir(path)
    }
}
