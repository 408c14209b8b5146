import CaretClient
import FoundationEssentials

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
            counts from the server's beginning, each other one from the one before.
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
        try await stage.reachServer { client in
            if stage.screen == nil || stage.isJSON {
                try await tell(client, on: stage)
            } else {
                try await show(client, on: stage)
            }
        }
        return .done
    }

    private func read(_ client: CaretClient, after last: TopReading?) async throws -> TopReading {
        TopReading(try await client.counters(), at: .now, after: last)
    }

    private func tell(_ client: CaretClient, on stage: Stage) async throws {
        var last: TopReading?
        for number in 0..<count {
            if number > 0 { try await Task.sleep(for: interval) }
            let reading = try await read(client, after: last)
            stage.tell(reading.json, reading.plain)
            last = reading
        }
    }

    private func show(_ client: CaretClient, on stage: Stage) async throws {
        let terminal = try Terminal(for: "top")
        defer { terminal.restore() }
        let bell = Bell()
        terminal.begin(ringing: bell) { bytes in
            if WatchScroll.keys(in: bytes).contains(.end) { terminal.end() }
        }
        var reading = try await read(client, after: nil)
        var due = ContinuousClock.now + interval
        var left = count - 1
        while true {
            let page = TopPage(address: client.address.description, reading: reading, style: stage.style)
            terminal.show(page.rows(terminal.size))
            if left == 0 || terminal.isEnded { return }
            await bell.wait(atMost: max(.zero, due - .now))
            // A key or another size rings too, and a reading in between would tell of no time.
            if ContinuousClock.now < due { continue }
            reading = try await read(client, after: reading)
            due = ContinuousClock.now + interval
            left -= 1
        }
    }
}
