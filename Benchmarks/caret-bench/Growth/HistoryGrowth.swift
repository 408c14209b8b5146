import TestSupport

/// The cost of pushes, of opening and of old texts while the history of a document grows.
enum HistoryGrowth {
    static let growth = Growth(
        "history", in: "revisions", [1_000, 4_000, 16_000, 64_000, 250_000, 500_000],
        ["push of a letter", "open after a restart", "an old text", "first old text after a restart"],
        about: """
            each revision replaces a random letter of a text of 10 KB. Open after a restart, and the first old text:
            the first request to a process that has just reported that it is ready. The first old text is the middle
            revision. An old text: a random revision.
            """)

    static func measure(_ run: GrowthRun, _ size: Int) async -> [Double] {
        let name = GrowthRun.document
        let data = await run.history(of: size)
        var random = Seeded(7)
        let opens = (0..<3).map { _ in
            fresh(run, data) { _ = $0.open(name) }
        }
        let firsts = (0..<3).map { _ in
            fresh(run, data) { $0.read(name, at: size / 2) }
        }
        let server = run.caretd(data: data)
        defer { server.end() }
        let client = PlainClient("bench-reader", port: server.port)
        let old = run.cost(server) { client.read(name, at: random.number(1...size - 1)) }
        let writer = LetterWriter(client, name, length: GrowthRun.textBytes)
        let letters = run.cost(server) { writer.push() }
        return [letters, opens.median, old, firsts.median]
    }

    /// The CPU time of the first request to a new process.
    private static func fresh(_ run: GrowthRun, _ data: String, _ request: (PlainClient) -> Void) -> Double {
        let server = run.caretd(data: data)
        defer { server.end() }
        let client = PlainClient("bench-first", port: server.port)
        let before = server.nanoseconds
        request(client)
        return server.nanoseconds - before
    }
}
