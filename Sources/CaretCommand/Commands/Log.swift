import CaretClient
import CaretCore
import CaretWire

/// Lists the revisions of a document, newest first.
struct Log: Subcommand {
    private static let limit = Option(
        "limit", letter: "n", value: "N", "the most revisions to list; default 20")
    private static let all = Option("all", "lists all revisions")

    static let description = CommandDescription(
        "log", "lists the revisions of a document, newest first: time, author, size, tags",
        details: "Sizes are in UTF-16 code units.",
        arguments: [
            Argument("DOC[@REV]", .document, "the document, with an optional revision to begin with")
        ],
        options: [limit, all])

    private let point: DocumentPoint
    /// How many revisions to list. If nil, the command lists all revisions.
    private let limit: Int?

    init(_ arguments: Arguments) throws(UsageFault) {
        point = try arguments.point(0)
        let limit = try arguments.number(Log.limit, in: 1...Int.max)
        if arguments.has(Log.all), limit != nil {
            throw arguments.fault(.conflict(Log.all.flag, Log.limit.flag))
        }
        self.limit = arguments.has(Log.all) ? nil : limit ?? 20
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withClient(about: point.document) { client in
            let newest = try await newest(client)
            let start = try await client.oldestRevision(of: point.document)
            let oldest = limit.map { max(start, Revision(newest.value - min($0, newest.value))) } ?? start
            let windows = HistoryWindow.windows(after: oldest, through: newest).reversed()
            var isFirst = true
            let names = try await names(client)
            try await inOrder(Array(windows)) { window in
                try await client.history(of: point.document, in: window)
            } receive: { _, entries in
                show(entries.reversed(), names, in: context, titled: isFirst)
                isFirst = false
            }
        }
        return .done
    }

    private func newest(_ client: LiveClient) async throws -> Revision {
        if point.revision == .head { return try await client.entry(of: point.document).revision }
        return try await client.read(point).revision
    }

    /// The tags of each revision.
    private func names(_ client: LiveClient) async throws -> [Revision: [String]] {
        let tags = try await client.tagsIfKnown(of: point.document)
        return Dictionary(grouping: tags, by: \.revision).mapValues { $0.map(\.name) }
    }

    private func show(
        _ entries: [DocumentHistory.Entry], _ names: [Revision: [String]], in context: CommandContext,
        titled: Bool
    ) {
        if context.isJSON {
            for entry in entries {
                let names = names[entry.revision].map { [("tags", JSON.list($0.map { .text($0) }))] } ?? []
                context.show(.object(entry.members + names))
            }
            return
        }
        var table = Table(
            [
                .init("REVISION", isNumber: true), .init("TIME"), .init("USER"), .init("CLIENT"),
                .init("INSERTED", isNumber: true), .init("DELETED", isNumber: true),
            ] + (names.isEmpty ? [] : [.init("TAGS")]), flexible: 3)
        for entry in entries {
            table.add(
                [
                    "\(entry.revision.value)", context.stamp(entry.time), entry.user,
                    entry.client, "+\(entry.inserted)", "-\(entry.deleted)",
                ] + (names.isEmpty ? [] : [(names[entry.revision] ?? []).joined(separator: " ")]))
        }
        context.show(table, titled: titled)
    }
}
