import CaretClient
import CaretCore

/// The revisions of a document, the newest first.
struct Log: Subcommand {
    private static let limit = Option("limit", letter: "n", value: "N", "at most so many; default 20")
    private static let all = Option("all", "as many as there are")

    static let description = CommandDescription(
        "log", "the revisions of a document: who, when, how much; the newest first",
        details: "How much came and went is counted in UTF-16 code units.",
        arguments: [Argument("DOC[@REV]", .document, "the document, and the revision to begin with")],
        options: [limit, all])

    private let point: DocumentPoint
    /// Nil is all.
    private let limit: Int?

    init(_ given: Given) throws(UsageFault) {
        point = try given.point(0)
        let limit = try given.number(Log.limit, in: 1...Int.max)
        if given.has(Log.all), limit != nil {
            throw given.fault(.together(Log.all.flag, Log.limit.flag))
        }
        self.limit = given.has(Log.all) ? nil : limit ?? 20
    }

    func run(on stage: Stage) async throws -> ExitCode {
        try await stage.reach(about: point.document) { client in
            let newest = try await newest(client)
            let start = try await client.oldestRevision(of: point.document)
            let oldest = limit.map { max(start, Revision(newest.value - min($0, newest.value))) } ?? start
            let windows = HistoryWindow.windows(after: oldest, through: newest).reversed()
            var isFirst = true
            try await inOrder(Array(windows)) { window in
                try await client.history(of: point.document, in: window)
            } take: { _, entries in
                show(entries.reversed(), on: stage, titled: isFirst)
                isFirst = false
            }
        }
        return .done
    }

    private func newest(_ client: LiveClient) async throws -> Revision {
        if point.revision == .head { return try await client.entry(of: point.document).revision }
        return try await client.read(point).revision
    }

    private func show(_ entries: [DocumentHistory.Entry], on stage: Stage, titled: Bool) {
        if stage.isJSON {
            for entry in entries { stage.show(.object(entry.members)) }
            return
        }
        var table = Table(
            [
                .init("REVISION", isNumber: true), .init("TIME"), .init("USER"), .init("CLIENT"),
                .init("CAME", isNumber: true), .init("WENT", isNumber: true),
            ], flexible: 3)
        for entry in entries {
            table.add([
                "\(entry.revision.value)", stage.stamp(entry.time), entry.user,
                entry.client, "+\(entry.inserted)", "-\(entry.deleted)",
            ])
        }
        stage.show(table, titled: titled)
    }
}
