import CaretCore
import CaretLog
import CaretRooms
import CaretServer
import CaretStore
import CaretWire

/// Writes deleted documents to an archive. The protocol cannot read a deleted document, so this type reads
/// the store.
struct DeletedExport {
    let store: SQLiteStore
    let writer: ArchiveWriter
    let progress: ProgressLine

    private static let (documentsAtOnce, bytesAtOnce) = (1_000, 1 << 20)

    /// Writes all deleted documents whose names begin with `prefix`.
    func write(prefix: String) async throws {
        var (last, hasMore): (DocumentID?, Bool) = (nil, true)
        while hasMore {
            let page = try await page(prefix, after: last)
            for entry in page.entries {
                do {
                    try await write(entry)
                } catch let refusal as HistoryRefusal {
                    throw Failure("\(entry.name.description.printable): cannot be read: \(refusal)")
                }
            }
            (last, hasMore) = (page.entries.last?.id, page.hasMore)
        }
    }

    private func page(_ prefix: String, after last: DocumentID?) async throws(Failure) -> Listing {
        let call = StoreCall.deleted(
            prefix: ByteString(prefix), after: last, limit: DeletedExport.documentsAtOnce)
        switch await store.answer(to: call) {
        case .listed(.success(let page)): return page
        case .listed(.failure(let refusal)):
            throw Failure("the deleted documents cannot be read: \(refusal)")
        default: throw Failure("the deleted documents cannot be read")
        }
    }

    private func write(_ entry: DocumentEntry) async throws {
        let name = WireString(entry.name.description)
        var text = try await store.textOfDeleted(entry.id, at: entry.start)
        try writer.write(
            ArchivedDocument(
                document: name, epoch: entry.epoch.wire, revision: entry.head, start: entry.start,
                text: entry.start > 0 ? WireString(text.string) : nil,
                newline: entry.lineBreak == .crlf ? .crlf : .lf, updated: Int(entry.updated),
                deleted: entry.deleted.map { Int($0) },
                tags: try await store.tagsOfDeleted(entry.id).map { TagList.Item($0) }))
        var last = entry.start
        while last < entry.head {
            let segment = try await store.readDeleted(
                entry.id, after: last, limit: DeletedExport.bytesAtOnce)
            for (index, change) in segment.changes.enumerated() {
                try text.apply(change.change)
                let revision = Revision(segment.first.value + index)
                try writer.write(ArchivedRevision(change, at: revision))
            }
            last = segment.last
            progress.show(writer.progress)
        }
        try writer.write(Check(text, of: name, at: last))
    }
}

extension TagList.Item {
    fileprivate init(_ tag: Tag) {
        self.init(
            name: WireString(tag.name.text), revision: tag.revision, user: WireString(tag.user.string),
            time: Int(tag.time))
    }
}

extension ArchivedRevision {
    fileprivate init(_ change: LoggedChange, at revision: Revision) {
        self.init(
            revision: revision,
            author: WireChange.Author(
                user: WireString(change.pusher.user.string), client: Server.publicClient(change.pusher),
                time: Int(change.time)),
            edits: change.edits.map(\.edit).map { edit in
                WireEdit(
                    WireRange(edit.range.lowerBound.value, edit.range.upperBound.value),
                    WireString(edit.text))
            })
    }
}
