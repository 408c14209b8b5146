import Glibc

/// The server's memory for 120 clients that ask for texts of 4 MiB and read nothing.
struct WebUnreadAnswers {
    let servers: WebServers

    static let name = "unread answers"
    private static let count = 120
    /// The default of `limit_output_budget`.
    private static let budget = Double(512 << 20)
    /// What a text may take beyond the budget, while it is encoded and joined.
    private static let besides = Double(128 << 20)
    private static let document = "unread"
    /// Seconds that the server gets to make the answers. It ends idle clients later.
    private static let wait: UInt32 = 4

    func run() {
        var table = Table(["", "texts", "before", "after"])
        var goals: [Goal] = []
        for way in TextReaders.Way.allCases {
            for isEqual in [true, false] {
                let server = servers.started()
                makeRevisions(server)
                let before = server.resident
                let readers = (1...WebUnreadAnswers.count).map { number in
                    TextReader(
                        number, WebUnreadAnswers.document, at: isEqual ? nil : number, over: way,
                        port: server.port)
                }
                for reader in readers { reader.ask() }
                sleep(WebUnreadAnswers.wait)
                let after = server.resident
                let texts = isEqual ? "equal" : "different"
                table.row(way.name, texts, before.megabytes, after.megabytes)
                let most =
                    isEqual ? WebUnreadAnswers.besides : WebUnreadAnswers.budget + WebUnreadAnswers.besides
                goals.append(
                    Goal("\(texts) texts, \(way.name)", .atMost(most), after - before) { $0.megabytes })
                withExtendedLifetime(readers) { server.end() }
            }
        }
        table.print(
            under: """
                Resident memory of caretd, before and \(WebUnreadAnswers.wait) s after \(WebUnreadAnswers.count) clients asked for a text of 4 MiB of control characters each, and read nothing:
                all for the same revision, or each for another one.
                """)
        Goal.print(goals)
    }

    /// Makes a document of 4 MiB of control characters, with one revision for each client.
    private func makeRevisions(_ server: ServerProcess) {
        let maker = PlainClient("bench-unread-maker", port: server.port)
        maker.make(WebUnreadAnswers.document, String(repeating: #"\u0001"#, count: (4 << 20) - 200))
        let epoch = maker.open(WebUnreadAnswers.document).epoch
        for revision in 1..<WebUnreadAnswers.count {
            maker.edit(WebUnreadAnswers.document, 0..<0, "x", epoch, base: revision)
        }
    }
}
