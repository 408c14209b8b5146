import TestSupport

/// The cost of a push and of an old text while their revision is further behind the head.
enum BehindGrowth {
    static let growth = Growth(
        "revisions behind", in: "revisions behind the head",
        [1, 10, 100, 1_000, 5_000, 10_000, 50_000, 90_000], ["push of a letter", "an old text"],
        about: """
            a document with 100,000 revisions; each replaces a random letter of a text of 10 KB. A push whose base is so far
            behind, by a client that has just connected, and a read of the text at such a revision.
            """)

    static func measure(_ run: GrowthRun, _ size: Int) async -> [Double] {
        let name = GrowthRun.document
        let data = await run.history(of: run.isQuick ? 1_000 : 100_000)
        let server = run.caretd(data: data)
        defer { server.end() }
        let writer = LetterWriter(
            PlainClient("bench-writer-\(size)", port: server.port), name, length: GrowthRun.textBytes)
        // A room keeps the latest revisions, as it does while people write.
        for _ in 0..<(run.isQuick ? 20 : 1_000) { writer.push() }
        // The first one after a start replays the history (decision 34).
        PlainClient("bench-first", port: server.port).read(name, at: writer.revision - size)
        var (random, count) = (Seeded(9), 0)
        var late = PlainClient("bench-late-\(size)-\(count)", port: server.port)
        var opened = late.open(name)
        let pushes = run.costEach(server) {
            // A client cannot push from before its own last push, so each push needs another client.
            count += 1
            late = PlainClient("bench-late-\(size)-\(count)", port: server.port)
            opened = late.open(name)
        } operation: {
            let place = random.number(0...GrowthRun.textBytes - 1)
            late.edit(
                name, place..<place + 1, GrowthRun.letter(&random), opened.epoch, base: opened.revision - size
            )
        }
        let reads = run.cost(server) { late.read(name, at: opened.revision - size) }
        return [pushes, reads]
    }
}
