/// The cost of a delivery over each transport.
struct WebFanOut {
    let servers: WebServers
    let turns: CrowdTurns

    /// A crowd, and the most that a delivery over TLS may cost, compared with lines.
    struct Case: Sendable {
        let name: String
        let crowd: Crowd
        let mostOverTLS: Double
    }

    /// The most that a delivery over WebSocket may cost, compared with lines.
    private static let mostOverWebSocket = 1.1

    static let cases = [
        Case(
            name: "fan-out to 1000, 1 in flight",
            crowd: Crowd(subscribers: 1_000, pace: .delivered), mostOverTLS: 1.7),
        Case(
            name: "fan-out to 1000, 32 writers",
            crowd: Crowd(writers: 32, subscribers: 1_000), mostOverTLS: 2.5),
    ]

    func run(_ cases: [Case]) {
        var table = Table([
            "", "", "pushes/s", "ack p50", "p99", "delivery p50", "p99", "CPU of a delivery", "ratio",
            "resident", "load s/100,000", "resyncs",
        ])
        var goals: [Goal] = []
        var plots = CrowdPlots(servers.transports.map(\.name))
        for each in cases {
            let sides = measured(each)
            plots.add(each.name, sides)
            for side in sides {
                let ratio = side.ratio(to: sides[0], \.cpuPerDelivery)
                table.row(cells(side, each.name, ratio))
            }
            for (side, most) in zip(sides.dropFirst(), [WebFanOut.mostOverWebSocket, each.mostOverTLS]) {
                let ratio = side.ratio(to: sides[0], \.cpuPerDelivery)
                goals.append(
                    Goal("\(each.name), \(side.name): CPU of a delivery, ratio", .atMost(most), ratio) {
                        $0.digits(2)
                    })
            }
        }
        plots.draw(as: "web")
        table.print(
            under: """
                All clients have the same document of 10 KB open, and each crowd has a caretd of its own. Every writer has one push of one
                letter in flight. The servers run in turns, \((turns.length / 1e9).digits(2)) s each, \(turns.count) times. CPU is that of the server's process. A ratio compares
                with lines: it is the median of the ratios of the turns. Load is the CPU time of the clients, which share the machine.
                1 in flight: the writer pushes again when every client has the last push.
                """)
        Goal.print(goals)
    }

    private func measured(_ each: Case) -> [MeasuredServer] {
        let sides = servers.transports.map { transport in
            var crowd = each.crowd
            crowd.transport = transport
            return servers.measured(crowd, as: transport.name)
        }
        turns.run(sides)
        return sides
    }

    private func cells(_ side: MeasuredServer, _ name: String, _ ratio: Double) -> [String] {
        [name, side.name, side.perSecond.digits(0)] + side.latencyCells + [
            side.totalCPUPerDelivery.time, ratio.digits(2), side.resident.megabytes,
            side.loadCPUPer100000Pushes.digits(2), String(side.resyncs),
        ]
    }
}
