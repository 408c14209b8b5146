import CaretClient
import CaretSync
import FoundationEssentials
import Synchronization

/// What the server counts, as it counts.
struct Top: Subcommand {
    private static let interval = Option(
        "interval", letter: "i", value: "SECONDS", "between two readings, as 2 or 0.5; default 2")
    private static let count = Option("count", value: "N", "ends after so many readings")

    static let description = CommandDescription(
        "top", "the server's counters as they change, with what comes in a second; q ends",
        details: """
            Elsewhere than on a terminal each reading is a line: time, connections, open rooms; then in a second pushes, \
            changes, commits, deliveries, bytes in, bytes out; then the median and 99 % of ack in ms. The first reading \
            counts from the server's beginning, each other one from the one before. Where the server goes, it says so and \
            goes on once it is back.
            """,
        options: [interval, count])

    private let interval: Duration
    private let count: Int

    init(_ given: Given) throws(UsageFault) {
        count = try given.number(Top.count, in: 1...Int.max) ?? .max
        let text = given.text(Top.interval) ?? "2"
        guard let seconds = Double(text), 0.1...3_600 ~= seconds else {
            throw given.fault(
                .badValue(Top.interval.flag, found: text, allowed: "seconds from 0.1 to 3600"))
        }
        interval = .milliseconds(Int(seconds * 1_000))
    }

    func run(on stage: Stage) async throws -> ExitCode {
        try await stage.stay { client in
            // By this connection: another one before it would be counted too.
            try await stage.awaitConnection(of: client)
            if stage.screen == nil || stage.isJSON {
                try await tell(client, on: stage)
            } else {
                try await show(client, on: stage)
            }
        }
        return .done
    }

    private func tell(_ client: LiveClient, on stage: Stage) async throws {
        let feed = TopFeed(client, every: interval)
        let last = Mutex<TopReading?>(nil)
        try await feed.run(count: count) {
            if !feed.isConnected {
                stage.complain(
                    Failure("\(client.address): not connected; trying again", code: .unreachable))
            } else if let reading = feed.reading {
                let isNew = last.withLock { last in
                    defer { last = reading }
                    return last?.time != reading.time
                }
                if isNew { stage.tell(reading.json, reading.plain) }
            }
        }
    }

    private func show(_ client: LiveClient, on stage: Stage) async throws {
        let terminal = try Terminal(for: "top")
        defer { terminal.restore() }
        let (bell, feed) = (Bell(), TopFeed(client, every: interval))
        terminal.begin(ringing: bell) { bytes in
            if WatchScroll.keys(in: bytes).contains(.end) { terminal.end() }
        }
        let reading = Task { try await feed.run(count: count) { bell.ring() } }
        defer { reading.cancel() }
        while !terminal.isEnded {
            let isEnded = feed.isEnded
            if let found = feed.reading {
                let page = TopPage(
                    address: client.address.description, reading: found, isConnected: feed.isConnected,
                    style: stage.style)
                terminal.show(page.rows(terminal.size))
            }
            // What ended it, where that is not the count, is thrown here.
            if isEnded { return try await reading.value }
            await bell.wait(atMost: .seconds(60))
        }
    }
}
