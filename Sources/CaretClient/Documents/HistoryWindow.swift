package import CaretCore

/// The revisions of a document after `after`, up to and including `through`. A window has at most 1,000
/// revisions, the limit of one page of the server's history.
package struct HistoryWindow: Equatable, Sendable {
    package let after: Revision
    package let through: Revision

    package static let limit = 1_000

    package init(after: Revision, through: Revision) { (self.after, self.through) = (after, through) }

    /// Splits the revisions after `after`, up to and including `through`, into windows. The window with the
    /// oldest revisions comes first.
    package static func windows(after: Revision, through: Revision) -> [HistoryWindow] {
        stride(from: after.value, to: through.value, by: limit).map {
            HistoryWindow(after: Revision($0), through: Revision(min($0 + limit, through.value)))
        }
    }
}

extension LiveClient {
    /// Reads the revisions of a window. Revisions whose history was trimmed are not in the result.
    package func history(
        of document: String, in window: HistoryWindow, withChanges: Bool = false
    ) async throws -> [DocumentHistory.Entry] {
        var entries: [DocumentHistory.Entry] = []
        var last = window.after
        while last < window.through {
            let page = try await history(
                of: document, after: .revision(last), limit: window.through.value - last.value,
                withChanges: withChanges)
            entries += page.entries.filter { $0.revision <= window.through }
            guard let end = page.entries.last?.revision, page.hasMore else { break }
            last = end
        }
        return entries
    }

    /// The oldest revision that can still be read. The server may have trimmed older ones.
    package func oldestRevision(of document: String) async throws -> Revision {
        let first = try await history(of: document, limit: 1).entries.first
        if let first { return Revision(first.revision.value - 1) }
        return try await read(document).revision
    }
}
