/// The cost of a push while the number of connections grows.
enum ConnectionGrowth {
    static let growth = Growth(
        "connections", in: "connections", [100, 300, 1_000, 3_000, 10_000],
        ["push, the others idle", "a new connection", "push to all, a delivery"],
        about: """
            push, the others idle: they have only said hello. A new connection: until its `welcome`. Push to all, a delivery:
            all have the document open, and the writer pushes again when everybody has the last push.
            """)

    static func measure(_ run: GrowthRun, _ size: Int) async -> [Double] {
        let (idle, arriving) = besideIdle(run, size)
        return [idle, arriving, toAll(run, size)]
    }

    private static func besideIdle(_ run: GrowthRun, _ size: Int) -> (push: Double, connect: Double) {
        let server = run.caretd()
        defer { server.end() }
        let others = (0..<size).map { number in
            let channel = ClientChannel(to: server.port, over: .lines)
            channel.open(as: "bench-idle-\(number)")
            return channel
        }
        let client = PlainClient("bench-writer", port: server.port)
        client.make("growth", MeasuredServer.text)
        let writer = LetterWriter(client, "growth", length: Crowd.textBytes)
        let pushes = run.cost(server) { writer.push() }
        var count = 0
        let connects = run.costEach(server) {
        } operation: {
            count += 1
            _ = PlainClient("bench-new-\(count)", port: server.port)
        }
        return withExtendedLifetime(others) { (pushes, connects) }
    }

    private static func toAll(_ run: GrowthRun, _ size: Int) -> Double {
        let crowd = Crowd(writers: 1, subscribers: size, pace: .delivered)
        let measured = MeasuredServer("caretd", run.caretd(), .caret, crowd)
        for _ in 0..<run.rounds { measured.run(for: run.isQuick ? 20e6 : 200e6) }
        measured.end()
        return measured.samples.map(\.cpuPerDelivery).median
    }
}
