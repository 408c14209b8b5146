import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import FoundationEssentials

/// Reads whole histories from a server, page by page, and writes them to an archive.
struct ArchiveExport {
    let client: LiveClient
    let writer: ArchiveWriter
    let progress: ProgressLine

    /// Writes all documents whose names begin with `prefix`. Skips a document that is deleted or renamed
    /// during the export.
    func write(prefix: String) async throws {
        let entries = try await client.documents(under: prefix)
        let all = entries.reduce(0) { $0 + $1.revision.value }
        var done = 0
        for (index, entry) in entries.enumerated() {
            defer { done += entry.revision.value }
            let words = "\(index) of \(entries.count.counting("document"))"
            progress.show("\(words), \(writer.revisions.counting("revision"))", Progress(done, of: all))
            guard let version = try await client.versionIfThere(entry.name) else { continue }
            do {
                let before = done
                try await write(entry, through: version) { revision in
                    progress.show(
                        "\(writer.progress): \(entry.name.printable)",
                        Progress(before + revision.value, of: all))
                }
            } catch let refusal as ServerRefusal {
                throw Failure(refusal, about: entry.name)
            }
        }
    }

    /// Writes the history of a document up to `head`.
    private func write(
        _ entry: DocumentList.Entry, through head: DocumentVersion, progressed: (Revision) -> Void
    ) async throws {
        let start = try await client.oldestRevision(of: head.name)
        let beginning = try await client.read(head.name, at: .revision(start))
        try requireSame(beginning.epoch == head.epoch && start <= head.revision, head.name)
        let name = WireString(head.name)
        try writer.write(
            ArchivedDocument(
                document: name, epoch: WireString(head.epoch), revision: head.revision, start: start,
                text: start > 0 ? WireString(beginning.text) : nil, newline: head.usesCRLF ? .crlf : .lf,
                updated: entry.updated.milliseconds, tags: try await tags(of: head, from: start)))
        var (text, last) = (try TextBuffer(beginning.text), start)
        while last < head.revision {
            for revision in try await page(of: name, after: last, through: head.revision) {
                try requireSame(revision.revision == last.next, head.name)
                try text.apply(Change(revision.edits.map { try Edit($0) }))
                try writer.write(revision)
                last = revision.revision
            }
            progressed(last)
        }
        // Reads the document again, because another document could have taken its name between two pages.
        let after = try await client.read(head.name, at: .revision(last))
        try requireSame(
            after.epoch == head.epoch && text.string.utf8.elementsEqual(head.text.utf8), head.name)
        try writer.write(Check(text, of: name, at: last))
    }

    /// The named revisions that the archive contains. Somebody may name a newer one during the export.
    private func tags(of head: DocumentVersion, from start: Revision) async throws -> [TagList.Item] {
        try await client.tagsIfKnown(of: head.name).filter { start...head.revision ~= $0.revision }.map {
            TagList.Item(
                name: WireString($0.name), revision: $0.revision, user: WireString($0.user),
                time: $0.time.milliseconds)
        }
    }

    private func page(
        of name: WireString, after last: Revision, through end: Revision
    ) async throws -> [ArchivedRevision] {
        let limit = min(Limits.items.upperBound, end.value - last.value)
        let answer = try await client.request(
            .history(History(document: name, after: .revision(last), limit: limit, wantsEdits: true)))
        guard case .revisions(let page) = answer, !page.revisions.isEmpty else {
            throw Failure.unexpectedAnswer
        }
        return page.revisions.map {
            ArchivedRevision(revision: $0.revision, author: $0.author, edits: $0.edits ?? [])
        }
    }

    private func requireSame(_ isSame: Bool, _ name: String) throws(Failure) {
        if isSame { return }
        throw Failure(
            "\(name.printable): another document took this name during the export",
            advice: "no archive was written; export again")
    }
}
