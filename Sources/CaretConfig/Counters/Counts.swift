package import CaretWire

/// Counters and latencies of one loop or queue, or the sums of several.
package struct Counts: Equatable, Sendable {
    private var counters = [UInt64](repeating: 0, count: Counter.allCases.count)
    private var refusals = [UInt64](repeating: 0, count: ErrorCode.allCases.count)
    private var latencies = [Histogram](repeating: Histogram(), count: Latency.allCases.count)
    /// The age of the oldest unsent notification for other servers, in milliseconds. The reader of the counts gets it from the
    /// bus.
    package var unsentAge: UInt64 = 0

    package init() {}

    init(counters: [UInt64], refusals: [UInt64], latencies: [Histogram]) {
        self.counters = counters
        self.refusals = refusals
        self.latencies = latencies
    }

    package subscript(counter: Counter) -> UInt64 { counters[counter.rawValue] }

    /// The number of refusals with this code.
    package subscript(code: ErrorCode) -> UInt64 { refusals[code.slot] }

    package subscript(latency: Latency) -> Histogram { latencies[latency.rawValue] }

    /// The number of open connections. The counters of different loops are read one after the other, so the
    /// closing of a connection may be counted, but its opening not yet. A negative difference counts as zero.
    package var connections: UInt64 { present(.connectionsOpened, .connectionsClosed) }

    package var openRooms: UInt64 { present(.roomsOpened, .roomsClosed) }

    /// The number of other servers that send messages to this one.
    package var nodes: UInt64 { present(.nodesFound, .nodesLost) }

    private func present(_ came: Counter, _ went: Counter) -> UInt64 {
        self[came] - min(self[came], self[went])
    }

    package static func + (left: Counts, right: Counts) -> Counts {
        Counts(
            counters: zip(left.counters, right.counters).map { $0 &+ $1 },
            refusals: zip(left.refusals, right.refusals).map { $0 &+ $1 },
            latencies: zip(left.latencies, right.latencies).map(+))
    }

    /// All numbers with their names, always in the same order.
    package var rows: [(name: String, value: UInt64)] {
        [
            ("connections", connections), ("open_rooms", openRooms), ("nodes", nodes),
            ("news_age_ms", unsentAge),
        ]
            + Counter.allCases.map { ($0.name, self[$0]) }
            + ErrorCode.allCases.map { ("refused_\($0.rawValue)", self[$0]) }
    }
}

extension ErrorCode {
    private static let slots = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })

    /// The index of the code in the list of all codes.
    var slot: Int {
        guard let slot = Self.slots[self] else {
            preconditionFailure("the error code \(rawValue) is missing from the list of all codes")
        }
        return slot
    }
}
