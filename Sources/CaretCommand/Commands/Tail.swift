import CaretClient
import CaretCore
import CaretReplica

/// Prints the last changes of a document, and with `-f` the new ones.
struct Tail: Subcommand {
    private static let follow = Option("follow", letter: "f", "prints new changes as they come")
    private static let limit = Option("limit", letter: "n", value: "N", "the number of revisions; default 10")

    static let description = CommandDescription(
        "tail", "prints the last changes of a document: author, line, text; with -f also new ones",
        arguments: [Argument("DOC", .document, "the document")], options: [follow, limit])

    private let document: String
    private let follows: Bool
    private let limit: Int

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        follows = arguments.has(Tail.follow)
        limit = try arguments.number(Tail.limit, in: 0...HistoryWindow.limit) ?? 10
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        if !follows {
            try await context.withClient(about: document) { client in
                var tail = try await begin(client)
                try await show(&tail, through: try await client.entry(of: document).revision, client, context)
            }
            return .done
        }
        try await context.requireServer()
        try await context.stayConnected(about: document) { client in
            let open = try await client.open(document, mode: .watch).opened()
            let updates = open.updates
            var tail = try await begin(client)
            try await show(&tail, through: open.revision, client, context)
            for await update in updates {
                if case .state(.refused) = update { break }
                if case .edited = update { try await show(&tail, through: open.revision, client, context) }
                if case .renamed(let name) = update { tail.name = name }
            }
            throw Failure(gone: tail.name)
        }
        return .done
    }

    /// The text of the document before the first revision that the command prints.
    private func begin(_ client: LiveClient) async throws -> TailState {
        let head = try await client.entry(of: document).revision.value
        let start = max(try await client.oldestRevision(of: document), Revision(max(0, head - limit)))
        let version = try await client.read(document, at: .revision(start))
        return TailState(name: document, revision: start, text: try TextBuffer(version.text))
    }

    private func show(
        _ tail: inout TailState, through end: Revision, _ client: LiveClient, _ context: CommandContext
    ) async throws {
        for window in HistoryWindow.windows(after: tail.revision, through: end) {
            for entry in try await client.history(of: tail.name, in: window, withChanges: true) {
                if entry.revision != tail.revision.next {
                    // The revisions since `tail.revision` were trimmed, so the text is read from the server.
                    let before = HistoryPoint.revision(Revision(entry.revision.value - 1))
                    tail.text = try TextBuffer(try await client.read(tail.name, at: before).text)
                }
                let change = entry.change ?? Change()
                let edits = try tail.apply(change, making: entry.revision)
                let json = JSON.object(entry.members + [("edits", change.json)])
                context.report(json, line(entry, edits, context))
            }
        }
    }

    private func line(
        _ entry: DocumentHistory.Entry, _ edits: [TailState.ShownEdit], _ context: CommandContext
    ) -> String {
        let (style, width) = (context.style, max(20, (context.screen?.columns ?? 120) - 20))
        let head =
            style.painted("\(entry.revision.value)", .revision) + " \(context.stamp(entry.time)) "
            + entry.user.printable
        return head
            + edits.map { edit in
                var line = "\n    " + style.painted("line \(edit.line)", .location)
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
    /// Shows each line break as a sign, and control characters as visible signs.
    fileprivate var onOneLine: String { replacing("\n", with: "⏎").printable }
}
