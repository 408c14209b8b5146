package import CaretCore

/// Some revisions of a document, behind one and through another, as many as the server tells at once.
package struct HistoryWindow: Equatable, Sendable {
    package let after: Revision
    package let through: Revision

    package static let most = 1_000

    package init(after: Revision, through: Revision) { (self.after, self.through) = (after, through) }

    /// Windows from one revision through another, the oldest first.
    package static func windows(after: Revision, through: Revision) -> [HistoryWindow] {
        stride(from: after.value, to: through.value, by: most).map {
            HistoryWindow(after: Revision($0), through: Revision(min($0 + most, through.value)))
        }
    }
}

extension CaretClient {
    /// The revisions of a window. Those of which no history is kept are left out.
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

    /// The revision in front of the first one whose change is kept: its text is the oldest there is.
    package func start(of document: String) async throws -> Revision {
        let first = try await history(of: document, limit: 1).entries.first
        if let first { return Revision(first.revision.value - 1) }
        return try await read(document).revision
    }
}
