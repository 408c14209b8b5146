import CaretClient
import CaretCore
import CaretReplica

/// The last changes of a document, and those that come.
struct Tail: Subcommand {
    private static let follow = Option("follow", letter: "f", "goes on with each change as it comes")
    private static let limit = Option("limit", letter: "n", value: "N", "so many revisions; default 10")

    static let description = CommandDescription(
        "tail", "the last changes of a document: who, where, what; with -f as they come",
        arguments: [Argument("DOC", .document, "the document")], options: [follow, limit])

    private let document: String
    private let follows: Bool
    private let limit: Int

    init(_ given: Given) throws(UsageFault) {
        document = try given.document(0)
        follows = given.has(Tail.follow)
        limit = try given.number(Tail.limit, in: 0...HistoryWindow.limit) ?? 10
    }

    func run(on stage: Stage) async throws -> ExitCode {
        if !follows {
            try await stage.reach(about: document) { client in
                var tail = try await begin(client)
                try await show(&tail, through: try await client.entry(of: document).revision, client, stage)
            }
            return .done
        }
        try await stage.requireServer()
        try await stage.stay(about: document) { client in
            let open = try await client.open(document, mode: .watch).opened()
            let updates = open.updates
            var tail = try await begin(client)
            try await show(&tail, through: open.revision, client, stage)
            for await update in updates {
                if case .state(.refused) = update { break }
                if case .edited = update { try await show(&tail, through: open.revision, client, stage) }
                if case .renamed(let name) = update { tail.name = name }
            }
            throw Failure(gone: tail.name)
        }
        return .done
    }

    /// In front of the first revision that is shown.
    private func begin(_ client: LiveClient) async throws -> TailState {
        let head = try await client.entry(of: document).revision.value
        let start = max(try await client.oldestRevision(of: document), Revision(max(0, head - limit)))
        let version = try await client.read(document, at: .revision(start))
        return TailState(name: document, revision: start, text: try Text(version.text))
    }

    private func show(
        _ tail: inout TailState, through end: Revision, _ client: LiveClient, _ stage: Stage
    ) async throws {
        for window in HistoryWindow.windows(after: tail.revision, through: end) {
            for entry in try await client.history(of: tail.name, in: window, withChanges: true) {
                if entry.revision != tail.revision.next {
                    // What was between is not kept any more.
                    let before = HistoryPoint.revision(Revision(entry.revision.value - 1))
                    tail.text = try Text(try await client.read(tail.name, at: before).text)
                }
                let change = entry.change ?? Change()
                let edits = try tail.take(change, making: entry.revision)
                let json = JSON.object(entry.members + [("edits", change.json)])
                stage.tell(json, line(entry, edits, stage))
            }
        }
    }

    private func line(
        _ entry: DocumentHistory.Entry, _ edits: [TailState.Shown], _ stage: Stage
    ) -> String {
        let (style, width) = (stage.style, max(20, (stage.screen?.columns ?? 120) - 20))
        let head =
            style.painted("\(entry.revision.value)", .revision) + " \(stage.stamp(entry.time)) "
            + entry.user.harmless
        return head
            + edits.map { edit in
                var line = "\n    " + style.painted("line \(edit.line)", .place)
                let (removed, inserted) = (edit.removed.onOneLine, edit.inserted.onOneLine)
                if !removed.isEmpty {
                    line += style.painted(" -" + removed.shortened(to: width / 2), .removed)
                }
                if !inserted.isEmpty {
                    line += style.painted(" +" + inserted.shortened(to: width / 2), .inserted)
                }
                return line
            }.joined()
    }
}

extension String {
    /// With a sign in place of each line break, and nothing that a terminal would obey.
    fileprivate var onOneLine: String { replacing("\n", with: "⏎").harmless }
}
