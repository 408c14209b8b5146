import CaretClient
package import CaretCore
import CaretFormat
package import CaretLog
import CaretReplica
import CaretSync
package import CaretWire
import Glibc

/// Reads an archive line by line. Replays the histories, and checks each line, the counts and the checksums.
/// Throws a failure with the position of the first fault.
package final class ArchiveReader {
    package enum Part {
        case document(ArchivedDocument, DocumentName, start: TextBuffer)
        case revision(ArchivedRevision, [LoggedEdit])
        /// The end of a document, with its named revisions.
        case documentEnd([Tag])
    }

    private struct OpenDocument {
        let document: ArchivedDocument
        let tags: [Tag]
        var revision: Revision
        var text: TextBuffer
    }

    private enum State {
        case beginning
        case between
        case inside(OpenDocument)
        case ended
    }

    private let path: String
    /// The text that is put before the names of the imported documents.
    private let prefix: String
    private let input: GzipInput
    private var bytes = [UInt8](repeating: 0, count: 1 << 18)
    private var unread = 0..<0
    private var framer = LineFramer(limit: ArchiveReader.longestHead)
    private var decoder = MessageDecoder()
    private var sum = SHA256()
    private var state = State.beginning
    private var line = 0
    private(set) var documents = 0
    private(set) var revisions = 0
    /// The names of the documents that are not deleted.
    private(set) var names: Set<DocumentName> = []

    /// The last author that was checked. The next revision usually has the same author, which then needs no
    /// check.
    private var knownAuthor: (user: WireString, client: WireString)?

    /// The limit of the first line in bytes. A file that is not an archive usually exceeds this limit early.
    private static let longestHead = 64 << 10
    /// The limit of a line in bytes. The longest line has the longest text, with each byte escaped as six
    /// bytes, and some other fields.
    private static let longestLine = 6 * DocumentEntry.longestText + (64 << 10)
    /// A line can have up to `plainLine` bytes, plus `bytesForPackedByte` for each byte of the file.
    /// Compression shrinks text to about a tenth. So a longer line was probably made to exhaust the memory.
    private static let (plainLine, bytesForPackedByte) = (64 << 20, 32)

    private var longestLine: Int {
        min(
            ArchiveReader.longestLine,
            ArchiveReader.plainLine + ArchiveReader.bytesForPackedByte * min(input.fileBytes, 1 << 30))
    }

    package init(_ path: String, prefix: String) throws(Failure) {
        self.path = path
        self.prefix = prefix
        do throws(GzipInput.Fault) {
            input = try GzipInput(path)
        } catch {
            throw Failure("\(path): cannot be read: \(error.words)")
        }
    }

    /// How much of the file has been read.
    var progress: Progress { Progress(input.readBytes, of: input.fileBytes) }

    /// Reads the next part of the archive. Returns nil at the end, if the archive is complete.
    package func next() throws(Failure) -> Part? {
        while true {
            if case .ended = state { return nil }
            guard let next = try nextLine() else { throw cutOff }
            if let part = try apply(next) { return part }
        }
    }

    private func apply(_ next: ArchiveLine) throws(Failure) -> Part? {
        switch (state, next) {
        case (.beginning, .head(let head)):
            if head.version != ArchiveHead.version {
                throw fault(
                    "the archive has version \(head.version); this caret reads version \(ArchiveHead.version)"
                )
            }
            state = .between
            framer.limit = longestLine
            return nil
        case (.between, .document(let document)): return try begin(document)
        case (.inside(var open), .revision(let revision)):
            // Drops the copy in `state`, so that the text has one owner and is not copied.
            state = .between
            let edits = try apply(revision, to: &open)
            state = .inside(open)
            return .revision(revision, edits)
        case (.inside(let open), .check(let check)):
            try end(open, check)
            return .documentEnd(open.tags)
        case (.between, .end(let end)):
            try apply(end)
            return nil
        case (.beginning, _): throw fault("not an archive of caret")
        case (.between, _): throw fault("expected a document or the end of the archive")
        case (.inside, _): throw fault("expected a revision or the line `check` of the document")
        case (.ended, _): throw fault("there is data after the end of the archive")
        }
    }

    // MARK: Documents

    private func begin(_ document: ArchivedDocument) throws(Failure) -> Part {
        let found: (DocumentName, TextBuffer)
        do {
            found = (
                try DocumentName(prefix + document.document.string),
                try TextBuffer(document.text?.string ?? "")
            )
        } catch {
            throw fault("the document \(document.document.string.printable) has an invalid name or text")
        }
        if document.deleted == nil, !names.insert(found.0).inserted {
            throw fault("a second document has the name \(found.0.description.printable)")
        }
        documents += 1
        let tags = try tags(of: document)
        state = .inside(
            OpenDocument(document: document, tags: tags, revision: document.start, text: found.1))
        return .document(document, found.0, start: found.1)
    }

    private func tags(of document: ArchivedDocument) throws(Failure) -> [Tag] {
        let document = (tags: document.tags, revisions: document.start...document.revision)
        if document.tags.count > Limits.tags {
            throw fault(
                "the document has \(document.tags.count) named revisions; the limit is \(Limits.tags)")
        }
        var tags: [Tag] = []
        var names: Set<TagName> = []
        for item in document.tags {
            guard let name = TagName(item.name.string), names.insert(name).inserted,
                document.revisions ~= item.revision, (try? UserName(item.user.string)) != nil
            else {
                throw fault(
                    "the name \(item.name.string.printable) of revision \(item.revision.value) is invalid")
            }
            let user = ByteString(item.user.string)
            tags.append(Tag(name: name, revision: item.revision, user: user, time: Int64(item.time)))
        }
        return tags
    }

    private func apply(
        _ revision: ArchivedRevision, to open: inout OpenDocument
    ) throws(Failure) -> [LoggedEdit] {
        let (found, expected) = (revision.revision, open.revision.next)
        if found != expected {
            throw fault("found revision \(found.value), expected revision \(expected.value)", in: open)
        }
        if found > open.document.revision {
            throw fault(
                "found revision \(found.value), but the document ends at revision "
                    + "\(open.document.revision.value)", in: open)
        }
        try requireValid(revision, in: open)
        let edits: [LoggedEdit]
        do {
            let change = try Change(revision.edits.map { try Edit($0) })
            let text = open.text
            edits = try change.edits.map { try LoggedEdit($0, in: text) }
            try open.text.apply(change)
        } catch {
            throw fault(
                "the edits of revision \(revision.revision.value) do not fit the text of revision "
                    + "\(open.revision.value)", in: open)
        }
        if open.text.length.utf8 > DocumentEntry.longestText {
            throw fault(
                "the text of revision \(revision.revision.value) has \(open.text.length.utf8) bytes; the limit is "
                    + "\(DocumentEntry.longestText)", in: open)
        }
        open.revision = revision.revision
        revisions += 1
        return edits
    }

    /// Rejects an author that the protocol does not allow, because all readers of the history see the
    /// author's names.
    private func requireValid(_ revision: ArchivedRevision, in open: OpenDocument) throws(Failure) {
        let (user, client) = (revision.author.user, revision.author.client)
        if let knownAuthor, knownAuthor == (user, client) { return }
        let words = "revision \(revision.revision.value) has an invalid"
        do throws(DocumentName.Fault) { _ = try UserName(user.string) } catch {
            throw fault("\(words) user \(user.string.printable)", in: open)
        }
        let isPrintable = client.utf8.allSatisfy { 0x20..<0x7F ~= $0 }
        guard isPrintable, 1...Limits.client.upperBound ~= client.utf8.count else {
            throw fault("\(words) client \(client.string.printable)", in: open)
        }
        knownAuthor = (user, client)
    }

    private func end(_ open: OpenDocument, _ check: Check) throws(Failure) {
        if open.revision != open.document.revision {
            throw fault(
                "the history ends at revision \(open.revision.value), expected revision \(open.document.revision.value)",
                in: open)
        }
        if check != Check(open.text, of: open.document.document, at: open.revision) {
            throw fault("the history does not lead to the text that was exported", in: open)
        }
        state = .between
    }

    private func apply(_ end: ArchiveEnd) throws(Failure) {
        if end.documents != documents || end.revisions != revisions {
            throw fault(
                "found \(documents.counting("document")) and \(revisions.counting("revision")), expected "
                    + "\(end.documents) and \(end.revisions)")
        }
        if !end.sum.utf8.elementsEqual(sum.digest().hexadecimal.utf8) {
            throw fault("the checksum does not match the lines before it")
        }
        state = .ended
        if try nextLine() != nil { throw fault("there is data after the end of the archive") }
    }

    // MARK: Lines

    /// The next line; nil if the file ends after a line.
    private func nextLine() throws(Failure) -> ArchiveLine? {
        while true {
            if unread.isEmpty, try !fill() { return nil }
            switch frame() {
            case .incomplete: continue
            case .tooLong(_, let limit):
                line += 1
                let problem =
                    if case .beginning = state {
                        "the line has more than \(limit) bytes, so the file is not an archive of caret"
                    } else {
                        "the line has more than \(limit) bytes, which is too long for a file of \(input.fileBytes) bytes"
                    }
                throw fault(problem)
            case .line(.success(let found)):
                line += 1
                return found
            case .line(.failure(let wrong)):
                line += 1
                throw fault(wrong.message)
            }
        }
    }

    private func frame() -> LineFramer.Frame<Result<ArchiveLine, WireFault>> {
        bytes.withUnsafeBytes { all in
            var rest = UnsafeRawBufferPointer(rebasing: all[unread])
            defer { unread = unread.upperBound - rest.count..<unread.upperBound }
            return framer.next(of: &rest) { raw in
                Result { () throws(WireFault) in
                    let found = try decoder.archiveLine(raw)
                    // The last line contains the checksum, so the checksum does not cover it.
                    if case .end = found { return found }
                    sum.update(raw)
                    sum.update([UInt8(ascii: "\n")])
                    return found
                }
            }
        }
    }

    /// Reads more bytes. Returns false at the end of the file.
    private func fill() throws(Failure) -> Bool {
        let count: Int
        do throws(GzipInput.Fault) {
            count = try input.read(into: &bytes)
        } catch {
            throw failure("after line \(line)", of: openDocument, error.words)
        }
        unread = 0..<count
        if count > 0 { return true }
        if framer.incompleteBytes > 0 || input.isCutOff { throw cutOff }
        return false
    }

    // MARK: Failures

    /// A fault in the line that was read last.
    private func fault(_ what: String, in open: OpenDocument? = nil) -> Failure {
        failure("line \(line)", of: open ?? openDocument, what)
    }

    private var cutOff: Failure {
        failure("the file ends after line \(line)", of: openDocument, "it was cut off, or is not an archive")
    }

    private var openDocument: OpenDocument? {
        if case .inside(let open) = state { open } else { nil }
    }

    private func failure(_ location: String, of open: OpenDocument?, _ what: String) -> Failure {
        let document = open.map { open in
            ", in \(open.document.document.string.printable) after revision \(open.revision.value)"
        }
        return Failure(
            "\(path): \(location)\(document ?? ""): \(what)",
            advice: "nothing was imported; use another copy of the archive")
    }
}

extension GzipInput.Fault {
    fileprivate var words: String {
        switch self {
        case .system(let code): String(cString: strerror(code))
        case .damaged: "the packed data is damaged"
        case .trailing: "there is data after the end of the packed data"
        }
    }
}
