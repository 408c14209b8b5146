import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import CaretWire
import FoundationEssentials
import Glibc

/// Imports all histories of an archive into the data folder of a stopped server, or none of them.
struct ArchiveImport {
    let path: String
    let prefix: String
    let folder: String
    let progress: ProgressLine

    /// The highest number of revisions in one append, and the highest sum of the `weight` of their changes.
    private static let (mostRevisions, mostWeight) = (2_048, 256 << 10)

    /// Returns the number of imported documents and revisions.
    func run() async throws -> (documents: Int, revisions: Int) {
        // The whole archive is checked before anything is written.
        let reader = try ArchiveReader(path, prefix: prefix)
        while try reader.next() != nil { showProgress("checked", reader) }
        let store = try openStore()
        do {
            try await requireFree(reader.names, in: store)
            let found = try await write(to: store)
            progress.show("packing")
            // At time 0 no data is old enough to be removed, so this call only packs the new revisions.
            await store.runUpkeep(at: 0)
            await store.close()
            return found
        } catch {
            await store.close()
            throw error
        }
    }

    /// Opens the store of the folder. Creates a new store if the folder is missing or empty.
    private func openStore() throws -> SQLiteStore {
        if access(folder + "/caret.sqlite", F_OK) == 0 { return try FolderServer.store(folder) }
        let isMade = mkdir(folder, 0o700) == 0
        let contents = try? FileManager.default.contentsOfDirectory(atPath: folder)
        if !isMade { try FolderServer.requireOwner(folder) }
        guard isMade || contents?.isEmpty == true else { return try FolderServer.store(folder) }
        do throws(OpeningFault) { return try SQLiteStore(folder: folder, settings: .withoutRounds) } catch {
            throw Failure(error, in: folder)
        }
    }

    private func requireFree(_ names: Set<DocumentName>, in store: SQLiteStore) async throws {
        var taken: [DocumentName] = []
        for name in names {
            switch await store.answer(to: .find(name)) {
            case .found(.success): taken.append(name)
            case .found(.failure(.gone)): break
            case .found(.failure(let refusal)): throw Failure(refusal, in: folder)
            default: throw Failure(.failed, in: folder)
            }
        }
        if let first = taken.min() { throw ArchiveImport.taken(first, count: taken.count) }
    }

    private static func taken(_ name: DocumentName, count: Int) -> Failure {
        let others = count > 1 ? ", and \(count - 1) more of the archive" : ""
        return Failure(
            "\(name.description.printable): a document with this name already exists\(others)",
            advice: "nothing was imported; pass a PREFIX, or rename the existing documents")
    }

    private func write(to store: SQLiteStore) async throws -> (documents: Int, revisions: Int) {
        let reader = try ArchiveReader(path, prefix: prefix)
        var publications: [Publication] = []
        var imported: ImportedDocument?
        while let part = try reader.next() {
            switch part {
            case .document(let document, let name, let start):
                let documentImport = DocumentImport(
                    name: name, start: Snapshot(revision: document.start, text: start),
                    lineBreak: document.newline == .crlf ? .crlf : .lf, updated: Int64(document.updated))
                let entry = try await refusing { () throws(StoreRefusal) in
                    try await store.beginImport(documentImport)
                }
                imported = ImportedDocument(entry)
                publications.append(Publication(entry.id, deleted: document.deleted.map { Int64($0) }))
            case .revision(let revision, let edits):
                imported?.add(revision, edits)
                guard let imported, imported.isFull(ArchiveImport.mostRevisions, ArchiveImport.mostWeight)
                else { continue }
                try await append(imported, to: store)
            case .documentEnd(let tags):
                guard let imported else { continue }
                try await append(imported, to: store)
                try await add(tags, to: imported.id, in: store)
            }
            showProgress("written", reader)
        }
        let known = publications
        let taken = try await refusing { () throws(StoreRefusal) in try await store.publish(known) }
        if let taken { throw ArchiveImport.taken(taken, count: 1) }
        return (reader.documents, reader.revisions)
    }

    private func append(_ imported: ImportedDocument, to store: SQLiteStore) async throws {
        guard let append = imported.append() else { return }
        switch await store.answer(to: .append(append)) {
        case .appended(.committed): return
        case .appended(.diskFull): throw Failure(.full, in: folder)
        case .appended(.invalidChange):
            throw Failure("\(path): the text of a revision has more than \(DocumentEntry.longestText) bytes")
        default: throw Failure(.failed, in: folder)
        }
    }

    /// Adds all names at once, so that they share few transactions.
    private func add(_ tags: [Tag], to document: DocumentID, in store: SQLiteStore) async throws(Failure) {
        let areAdded = await withTaskGroup(of: Bool.self) { group in
            for tag in tags {
                group.addTask {
                    let call = TagCall.add(tag, to: document, limit: Limits.tags)
                    return await store.answer(to: .tags(call)) == .tags(.added(.tagged))
                }
            }
            return await group.allSatisfy { $0 }
        }
        if !areAdded { throw Failure(.failed, in: folder) }
    }

    private func refusing<Answer>(
        _ body: () async throws(StoreRefusal) -> Answer
    ) async throws(Failure) -> Answer {
        do throws(StoreRefusal) { return try await body() } catch { throw Failure(error, in: folder) }
    }

    private func showProgress(_ word: String, _ reader: ArchiveReader) {
        progress.show(
            "\(word): \(reader.documents.counting("document")), \(reader.revisions.counting("revision"))",
            reader.progress)
    }
}

/// A document during its import, with the changes that are not appended yet.
private final class ImportedDocument {
    private let entry: DocumentEntry
    var id: DocumentID { entry.id }
    private var head: Revision
    private var changes: [PushedChange] = []
    private var weight = 0

    init(_ entry: DocumentEntry) {
        self.entry = entry
        head = entry.head
    }

    func add(_ revision: ArchivedRevision, _ edits: [LoggedEdit]) {
        let author = revision.author
        let change = LoggedChange(
            pusher: Pusher(
                user: ByteString(author.user.string), publicClient: ByteString(author.client.string)),
            seq: Int64(revision.revision.value), time: Int64(author.time), edits: edits)
        // No client can push as the author of an imported revision, so the store never compares this digest.
        changes.append(PushedChange(change, digest: Digest(SIMD4())))
        weight += change.weight
    }

    func isFull(_ revisions: Int, _ bytes: Int) -> Bool { changes.count >= revisions || weight >= bytes }

    /// The changes since the last append; nil if there are none.
    func append() -> Append? {
        if changes.isEmpty { return nil }
        defer { (head, changes, weight) = (Revision(head.value + changes.count), [], 0) }
        return Append(document: entry.id, epoch: entry.epoch, expected: head, changes: changes)
    }
}

extension Failure {
    fileprivate init(_ refusal: StoreRefusal, in folder: String) {
        switch refusal {
        case .full:
            self.init("\(folder): the disk is full", advice: "nothing was imported; free some disk space")
        case .gone, .damaged, .failed, .away:
            self.init("\(folder): cannot be written: \(refusal)", advice: "nothing was imported")
        }
    }
}
