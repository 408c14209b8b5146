import TestSupport

/// The cost of pushes and of opening while the text of a document grows.
enum SizeGrowth {
    static let growth = Growth(
        "document size", in: "bytes of text", [1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000, 4_000_000],
        ["push of a letter", "whole text, one letter new", "open"],
        about: """
            one client pushes the edit of a random letter, pushes the whole text with one letter changed, or opens the
            document that another client has open.
            """)

    static func measure(_ run: GrowthRun, _ size: Int) async -> [Double] {
        let server = run.caretd()
        defer { server.end() }
        let (name, client) = ("growth", PlainClient("bench-writer", port: server.port))
        var random = Seeded(11)
        var lines = SampleText.lines(bytes: size, &random).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        client.make(name, lines.joined(separator: "\n"))
        let writer = LetterWriter(client, name, length: size)
        let letters = run.cost(server) { writer.push() }
        // From here on, another client writes, so the first client's revision is outdated.
        let other = PlainClient("bench-saver", port: server.port)
        let opened = other.open(name)
        var revision = opened.revision
        let whole = run.cost(server) {
            let line = random.number(0...lines.count - 1)
            lines[line] = String(lines[line].dropLast()) + GrowthRun.letter(&random)
            revision = other.push(name, lines, opened.epoch, base: revision)
        }
        var readers: [PlainClient] = []
        let opens = run.costEach(server) {
            readers.append(PlainClient("bench-reader-\(readers.count)", port: server.port))
        } operation: {
            _ = readers[readers.count - 1].open(name)
        }
        return withExtendedLifetime(readers) { [letters, whole, opens] }
    }
}
