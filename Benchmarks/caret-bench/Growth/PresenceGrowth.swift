/// The cost of carets while the number of people in one document grows.
enum PresenceGrowth {
    static let growth = Growth(
        "presences", in: "people with a caret", [10, 30, 100, 300, 1_000],
        ["a caret, sent to all others", "the same, for each receiver"],
        about: "each client moves its caret once a second, and gets the carets of all others.")

    static func measure(_ run: GrowthRun, _ size: Int) async -> [Double] {
        let server = run.caretd()
        defer { server.end() }
        PlainClient("bench-maker", port: server.port).make(Crowd.name(of: 0), MeasuredServer.text)
        var load = CaretLoad(clients: size, port: server.port)
        let time = run.isQuick ? 0.2e9 : 1e9
        _ = load.run(for: time, perSecond: 1)
        var (carets, received): ([Double], [Double]) = ([], [])
        for _ in 0..<(run.isQuick ? 1 : 5) {
            let before = server.nanoseconds
            let slice = load.run(for: time, perSecond: 1)
            let used = server.nanoseconds - before
            carets.append(used / Double(slice.sent))
            received.append(used / Double(slice.received))
        }
        return [carets.median, received.median]
    }
}
