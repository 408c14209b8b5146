import CaretClient
import CaretFormat
import CaretSync
import FoundationEssentials
import Glibc

/// The folder in which `caret edit` and `caret pipe` keep unsaved edits after they end. Each document of each
/// server has its own folder. Several servers have the same documents, so the first address of a list stands for
/// all of them: a user who adds a server to the list finds their edits again.
struct EditingFolder: Sendable {
    let path: String

    /// Nil if neither `XDG_STATE_HOME` nor `HOME` is set.
    init?(for document: String, at address: String, _ environment: [String: String]) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard
            let state = variable("XDG_STATE_HOME")
                ?? variable("HOME").map({ $0 + "/.local/state" })
        else { return nil }
        // A document's name or an address may be an invalid file name, so the folder is named by their hash.
        var sum = SHA256()
        sum.update(Array("\(address)\0\(document)".utf8))
        path = state + "/caret/edit/" + sum.digest().hexadecimal.prefix(32)
    }

    /// Creates the parents of a document's folder, and returns the folder. If unsaved edits cannot be kept,
    /// warns and returns nil.
    static func prepared(for document: String, in context: CommandContext) -> EditingFolder? {
        let environment = ProcessInfo.processInfo.environment
        let folder = EditingFolder(for: document, at: context.target.addresses[0].description, environment)
        do throws(FileFault) {
            try folder?.prepare()
            return folder
        } catch {
            context.warn(Failure("unsaved edits cannot be kept for the next run: \(error)"))
            return nil
        }
    }

    /// Creates the folders above this one. Only the owner can read them, because unsaved text can be private.
    private func prepare() throws(FileFault) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for index in parts.indices.dropFirst() {
            try SystemFile.makeFolder(parts[...index].joined(separator: "/"), mode: 0o700)
        }
    }

    /// Whether the folder holds unsaved edits.
    var hasEdits: Bool {
        // A folder that cannot be read is not used.
        let names = (try? SystemFile.names(in: path)) ?? []
        return names.contains { String(decoding: $0, as: UTF8.self).hasSuffix(".edits") }
    }

    /// Removes the folder if it holds no unsaved edits.
    func removeIfSaved() {
        let known: [[UInt8]] = ["client", "lock"].map { Array($0.utf8) }
        // Keeps a folder that cannot be read.
        guard let names = try? SystemFile.names(in: path), names.allSatisfy(known.contains) else { return }
        for name in ["client", "lock"] { unlink(path + "/" + name) }
        rmdir(path)
    }
}

extension LiveClient {
    /// Whether unsaved edits of a document are kept on this machine.
    func hasUnsavedEdits(of document: String) -> Bool {
        // Names are equal only if their bytes are equal.
        unsavedDocuments.contains { $0.utf8.elementsEqual(document.utf8) }
    }
}
