import CaretClient
import CaretSync
import FoundationEssentials
import Synchronization

/// Shows the counters of the server as they change.
struct Top: Subcommand {
    private static let interval = Option(
        "interval", letter: "i", value: "SECONDS",
        "the seconds between two readings, for example 0.5; default 2")
    private static let count = Option("count", value: "N", "ends after N readings of the counters")

    static let description = CommandDescription(
        "top", "shows the server's counters and their rates as they change; press q to quit",
        details: """
            If the output is not a terminal, each reading of the counters is one line. The line begins with the time, \
            the connections and the open rooms. The rates per second come next: pushes, changes, commits, deliveries, \
            bytes in, bytes out. The line ends with the median and p99 of the time from a push to its ack, in ms. The first \
            rates are averages since the start of the server. All later rates are averages since the previous reading. If \
            the server cannot be reached, top reports this and continues when the server is back.
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
            // This waits for the client's own connection. A second connection for the check would appear in
            // the server's counters.
            try await context.awaitConnection(of: client)
            if context.screen == nil || context.isJSON {
                try await printReadings(of: client, in: context)
            } else {
                try await show(client, in: context)
            }
        }
        return .done
    }

    private func printReadings(of client: LiveClient, in context: CommandContext) async throws {
        let feed = TopFeed(client, every: interval)
        let last = Mutex<TopReading?>(nil)
        try await feed.run(count: count) {
            if !feed.isConnected {
                context.warn(
                    Failure("\(client.address): not connected; retrying", code: .unreachable))
            } else if let reading = feed.reading {
                let isNew = last.withLock { last in
                    defer { last = reading }
                    return last?.time != reading.time
                }
                if isNew { context.report(reading.json, reading.plain) }
            }
        }
    }

    private func show(_ client: LiveClient, in context: CommandContext) async throws {
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
