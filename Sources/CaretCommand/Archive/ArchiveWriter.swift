import CLinux
import CaretCore
import CaretFormat
import CaretLog
import CaretServer
import CaretSync
import CaretWire
import Glibc

/// Writes an archive to a temporary file, and renames the file once it is complete and on disk.
final class ArchiveWriter {
    private let path: String
    /// The name of the file until it is complete.
    private let partial: String
    private let output: GzipOutput
    private var sum = SHA256()
    private var line = JSONWriter()
    private(set) var documents = 0
    private(set) var revisions = 0

    init(_ path: String, replaces: Bool, server: String, made: Int) throws(Failure) {
        if !replaces, access(path, F_OK) == 0 { throw ArchiveWriter.exists(path) }
        self.path = path
        partial = PartialFile.path(beside: path)
        do throws(FileFault) {
            output = try GzipOutput(partial)
        } catch {
            throw Failure("\(path): \(error.reason)")
        }
        try write(ArchiveHead(made: made, server: WireString(server)))
    }

    deinit { unlink(partial) }

    /// What has been written so far, in words.
    var progress: String { "\(documents.counting("document")), \(revisions.counting("revision"))" }

    private static func exists(_ path: String) -> Failure {
        Failure(
            "\(path): already exists", advice: "choose another name, or pass --force to replace the file")
    }

    func write(_ document: ArchivedDocument) throws(Failure) {
        try put(document)
        documents += 1
    }

    func write(_ revision: ArchivedRevision) throws(Failure) {
        try put(revision)
        revisions += 1
    }

    func write(_ check: Check) throws(Failure) { try put(check) }

    private func write(_ head: ArchiveHead) throws(Failure) { try put(head) }

    /// Writes the end of the archive, and gives the file its final name. Returns the length of the file.
    func finish(replacing replaces: Bool) throws(Failure) -> Int {
        let end = ArchiveEnd(
            documents: documents, revisions: revisions, sum: WireString(sum.digest().hexadecimal))
        line.bytes.removeAll(keepingCapacity: true)
        end.encode(into: &line)
        do throws(FileFault) {
            try output.write(line.bytes)
            let length = try output.finish()
            let result = replaces ? rename(partial, path) : caret_rename_new(partial, path)
            if result != 0 { throw FileFault("write it", path) }
            try SystemFile.sync(folderOf: path)
            return length
        } catch {
            throw error.code == EEXIST ? ArchiveWriter.exists(path) : Failure("\(path): \(error.reason)")
        }
    }

    private func put(_ message: some WireMessage) throws(Failure) {
        line.bytes.removeAll(keepingCapacity: true)
        message.encode(into: &line)
        sum.update(line.bytes)
        do throws(FileFault) { try output.write(line.bytes) } catch {
            throw Failure("\(path): \(error.reason)")
        }
    }
}

extension Digest {
    /// The digest in hexadecimal: two digits for each byte.
    var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension Check {
    /// The length and checksum of a document's text at its last revision, with which a reader checks it.
    init(_ text: TextBuffer, of document: WireString, at revision: Revision) {
        self.init(document: document, revision: revision, length: text.length.utf16, crc32: text.crc32)
    }
}
