/// Measures `caretd` and two servers in C with the same crowds, in turns.
struct ServerCrowds {
    let servers: BenchServers
    let turns: CrowdTurns

    /// A case: its name, its crowd and its goals.
    struct Case: Sendable {
        let name: String
        let crowd: Crowd
        var goals: [Target] = []
    }

    /// A figure with its bound. A ratio is `caretd` divided by the lean server.
    enum Target: Sendable {
        case perSecond(Double)
        case perSecondRatio(Double)
        case ackMilliseconds(Double)
        case deliveryMilliseconds(Double)
        case cpuSeconds(Double)
        case cpuRatio(Double)
        case ackRatio(Double)
        case deliveryCPURatio(Double)
    }

    static let cases: [Case] =
        [(10, nil, nil), (100, 1.3, 2.0), (1_000, nil, 1.3)].flatMap { subscribers, one, many in
            [(1, Crowd.Pace.delivered, "1 in flight", one), (32, .acked, "32 writers", many)].map {
                (writers, pace, how, goal: Double?) in
                Case(
                    name: "fan-out to \(subscribers), \(how)",
                    crowd: Crowd(writers: writers, subscribers: subscribers, pace: pace),
                    goals: goal.map { [.deliveryCPURatio($0)] } ?? [])
            }
        } + [
            Case(name: "1 writer", crowd: Crowd(writers: 1), goals: [.cpuRatio(2.5), .ackRatio(1.3)]),
            Case(name: "2 writers", crowd: Crowd(writers: 2), goals: [.cpuRatio(2.5), .perSecondRatio(0.8)]),
            Case(name: "8 writers", crowd: Crowd(writers: 8)),
            Case(
                name: "32 writers", crowd: Crowd(writers: 32),
                goals: [
                    .cpuRatio(2.5), .perSecondRatio(0.7), .perSecond(12_000), .ackMilliseconds(2.7),
                    .cpuSeconds(6),
                ]),
            Case(
                name: "1000 documents", crowd: Crowd(documents: 1_000),
                goals: [.cpuRatio(2), .perSecond(14_000), .cpuSeconds(7)]),
            Case(
                name: "50 a second to 100", crowd: Crowd(subscribers: 100, pace: .every(20e6)),
                goals: [.deliveryMilliseconds(3)]),
        ]

    private static let inC: [NetServer] = [.lean, .bare]

    func run(_ cases: [Case]) {
        var table = Table([
            "", "", "pushes/s", "ack p50", "p99", "delivery p50", "p99", "CPU s/100,000", "a delivery",
            "resident", "load s/100,000", "resyncs",
        ])
        var goals: [Goal] = []
        var plots = CrowdPlots(servers.names(ServerCrowds.inC))
        for each in cases {
            let measured = measured(each)
            plots.add(each.name, measured)
            for side in measured { table.row(cells(side, each)) }
            for other in measured.dropFirst() {
                table.row([""] + measured[0].ratioCells(to: other) + ["", "", ""])
            }
            goals += each.goals.compactMap { goal($0, each, measured) }
        }
        plots.draw(as: "server")
        table.print(
            under: """
                All clients have the same document open; in the case "1000 documents" each client has its own. Every writer has one
                push of one letter in flight, synced to disk before the ack. The servers run in turns, \((turns.length / 1e9).digits(2)) s each, \(turns.count) times.
                A turn ends when every client has every revision. Rates are medians of the turns; latencies and CPU are of all
                turns together. Ratios of rates and CPU are medians of the ratios in each turn. CPU is that of the server's
                process. Load is the CPU time of the clients, which share the machine. 1 in flight: the writer pushes
                again when every client has the last push. The lean server is the least that still syncs: one thread, and
                one row for each push. The bare server has a writer thread and three rows for each push, as caretd has.
                """)
        Goal.print(goals)
    }

    private func measured(_ each: Case) -> [MeasuredServer] {
        let measured = servers.started(each.crowd, ServerCrowds.inC)
        turns.run(measured)
        return measured
    }

    private func cells(_ side: MeasuredServer, _ each: Case) -> [String] {
        [each.name, side.name, side.perSecond.digits(0)] + side.latencyCells + [
            side.cpuPer100000Pushes.digits(2), side.delivered.count > 0 ? side.totalCPUPerDelivery.time : "",
            side.resident.megabytes, side.loadCPUPer100000Pushes.digits(2), String(side.resyncs),
        ]
    }

    private func goal(_ target: Target, _ each: Case, _ measured: [MeasuredServer]) -> Goal? {
        let (caretd, lean) = (measured[0], measured.first { $0.name == NetServer.lean.rawValue })
        let name = each.name + ": "
        switch target {
        case .perSecond(let least):
            return Goal(name + "pushes a second", .atLeast(least), caretd.perSecond) { $0.digits(0) }
        case .perSecondRatio(let least):
            return lean.map {
                Goal(name + "pushes a second, ratio", .atLeast(least), caretd.ratio(to: $0, \.perSecond)) {
                    $0.digits(2)
                }
            }
        case .ackMilliseconds(let most):
            return Goal(name + "ack p50", .atMost(most * 1e6), caretd.acks.percentile(50)) { $0.time }
        case .deliveryMilliseconds(let most):
            let median = caretd.delivered.count > 0 ? caretd.delivered.percentile(50) : .nan
            return Goal(name + "delivery p50", .atMost(most * 1e6), median) { $0.time }
        case .cpuSeconds(let most):
            return Goal(name + "CPU s for 100,000 pushes", .atMost(most), caretd.cpuPer100000Pushes) {
                $0.digits(2)
            }
        case .cpuRatio(let most):
            return lean.map {
                Goal(name + "CPU of a push, ratio", .atMost(most), caretd.ratio(to: $0, \.cpuPerPush)) {
                    $0.digits(2)
                }
            }
        case .ackRatio(let most):
            return lean.map {
                let ratio = caretd.acks.percentile(50) / $0.acks.percentile(50)
                return Goal(name + "ack p50, ratio", .atMost(most), ratio) { $0.digits(2) }
            }
        case .deliveryCPURatio(let most):
            return lean.map { lean in
                // Without deliveries there is no CPU time per delivery, so the goal is not reached.
                let delivers = caretd.delivered.count > 0 && lean.delivered.count > 0
                let ratio = delivers ? caretd.ratio(to: lean, \.cpuPerDelivery) : .nan
                return Goal(name + "CPU of a delivery, ratio", .atMost(most), ratio) { $0.digits(2) }
            }
        }
    }
}
