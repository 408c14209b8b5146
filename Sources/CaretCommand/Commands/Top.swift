import CaretClient
import CaretSync
import FoundationEssentials
import Synchronization

/// Shows the counters of the server as they change.
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

    init(_ arguments: Arguments) throws(UsageFault) {
        count = try arguments.number(Top.count, in: 1...Int.max) ?? .max
        let text = arguments.text(Top.interval) ?? "2"
        guard let seconds = Double(text), 0.1...3_600 ~= seconds else {
            throw arguments.fault(
                .badValue(Top.interval.flag, found: text, expected: "seconds from 0.1 to 3600"))
        }
        interval = .milliseconds(Int(seconds * 1_000))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.stayConnected { client in
            // Uses this connection, because a separate check would be counted too.
            try await context.awaitConnection(of: client)
            if context.screen == nil || context.isJSON {
                try await printReadings(of: client, in: context)
            } else {
                try await show(client, in: context)
            }
        }
        return .done
    }

    private func printReadings(of client: CaretClient, in context: CommandContext) async throws {
        let feed = TopFeed(client, every: interval)
        let last = Mutex<TopReading?>(nil)
        try await feed.run(count: count) {
            if !feed.isConnected {
                context.warn(
                    Failure("\(client.address): not connected; trying again", code: .unreachable))
            } else if let reading = feed.reading {
                let isNew = last.withLock { last in
                    defer { last = reading }
                    return last?.time != reading.time
                }
                if isNew { context.report(reading.json, reading.plain) }
            }
        }
    }

    private func show(_ client: CaretClient, in context: CommandContext) async throws {
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
                    style: context.style)
                terminal.show(page.rows(terminal.size))
            }
            // Throws the error that ended the readings, if there is one.
            if isEnded { return try await reading.value }
            await bell.wait(atMost: .seconds(60))
        }
    }
}
