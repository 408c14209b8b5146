import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import FoundationEssentials

/// Asks a server for whole histories, a page at a time, and writes them into an archive.
struct ArchiveExport {
    let client: LiveClient
    let writer: ArchiveWriter
    let progress: ProgressLine

    /// All documents whose names begin so. One that is deleted or renamed before its turn is left out.
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
                        "\(writer.progress): \(entry.name.harmless)",
                        Progress(before + revision.value, of: all))
                }
            } catch let refusal as ServerRefusal {
                throw Failure(refusal, about: entry.name)
            }
        }
    }

    /// Writes a document's history as far as a text that was read.
    private func write(
        _ entry: DocumentList.Entry, through head: DocumentVersion, tell: (Revision) -> Void
    ) async throws {
        let start = try await client.oldestRevision(of: head.name)
        let beginning = try await client.read(head.name, at: .revision(start))
        try expect(beginning.epoch == head.epoch && start <= head.revision, head.name)
        let name = WireString(head.name)
        try writer.write(
            ArchivedDocument(
                document: name, epoch: WireString(head.epoch), revision: head.revision, start: start,
                text: start > 0 ? WireString(beginning.text) : nil, newline: head.usesCRLF ? .crlf : .lf,
                updated: entry.updated.milliseconds))
        var (text, last) = (try Text(beginning.text), start)
        while last < head.revision {
            for revision in try await page(of: name, after: last, through: head.revision) {
                try expect(revision.revision == last.next, head.name)
                try text.apply(Change(revision.edits.map { try Edit($0) }))
                try writer.write(revision)
                last = revision.revision
            }
            tell(last)
        }
        // Asked again: while pages came another document may have got the name.
        let after = try await client.read(head.name, at: .revision(last))
        try expect(after.epoch == head.epoch && text.string.utf8.elementsEqual(head.text.utf8), head.name)
        try writer.write(Check(text, of: name, at: last))
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

    private func expect(_ isSo: Bool, _ name: String) throws(Failure) {
        if isSo { return }
        throw Failure(
            "\(name.harmless): it became another document while it was exported",
            advice: "export again; there is no archive")
    }
}
