/// How long an editor waits for acks while 50 clients read a text of 4 MiB.
struct WebLongTexts {
    let servers: WebServers
    let seconds: Double

    static let name = "long texts"
    private static let readers = 50
    private static let rounds = 2
    private static let neighbour = Crowd(pace: .every(5e6))
    private static let length = (4 << 20) - 10
    /// Each text, with what stands for one of its letters in JSON. A control character takes six bytes there.
    private static let texts = [("letters", "a"), ("controls", #"\u0001"#)]
    /// The goal for the neighbour's p99.
    private static let mostWait = 20e6

    private struct Case {
        let text: String
        let way: TextReaders.Way
        var alone = Latencies()
        var beside = Latencies()
        var answers = 0
    }

    func run() {
        let side = servers.measured(WebLongTexts.neighbour, as: "caretd")
        defer { side.end() }
        let maker = PlainClient("bench-long-maker", port: side.server.port)
        for (name, letter) in WebLongTexts.texts {
            maker.make(name, String(repeating: letter, count: WebLongTexts.length))
        }
        var cases = WebLongTexts.texts.flatMap { text, _ in
            TextReaders.Way.allCases.map { Case(text: text, way: $0) }
        }
        // The turns alternate, so that another load of the machine disturbs both sides.
        for _ in 0..<WebLongTexts.rounds {
            for index in cases.indices { measure(&cases[index], side) }
        }
        print(cases)
    }

    private func measure(_ one: inout Case, _ side: MeasuredServer) {
        one.alone += side.run(for: seconds / 2 * 1e9).slice.acks
        let readers = TextReaders(
            WebLongTexts.readers, of: one.text, over: one.way, port: side.server.port)
        one.beside += side.run(for: seconds / 2 * 1e9).slice.acks
        one.answers += readers.answers
        readers.end()
    }

    private func print(_ cases: [Case]) {
        var table = Table(["text, way", "texts read", "alone p50", "p99", "max", "beside p50", "p99", "max"])
        for one in cases {
            table.row(
                ["\(one.text), \(one.way.name)", String(one.answers)]
                    + [one.alone, one.beside].flatMap { acks in
                        [50.0, 99, 100].map { acks.percentile($0).time }
                    })
        }
        table.print(
            under: """
                Acks of an editor that pushes a letter every 5 ms: alone, and beside \(WebLongTexts.readers) clients that read a text of 4 MiB again and again.
                """)
        Goal.print(
            cases.map { one in
                Goal(
                    "p99 beside readers of \(one.text), \(one.way.name)", .atMost(WebLongTexts.mostWait),
                    one.beside.percentile(99)
                ) { $0.time }
            })
    }
}
