/// What a call of a shared connection does. The raw values are the order in which waiting calls run.
package enum CallClass: Int, CaseIterable, Sendable {
    /// Somebody waits for a few rows, or for a newest text.
    case short
    /// Somebody waits for a page of a history, or for an old text, whose steps are calls.
    case long
    /// Nobody waits.
    case upkeep
}

/// The waiting calls of a shared connection. Calls of an earlier class run first, and calls of one class run in the order
/// in which they came.
///
/// But at most `mostPassed` calls of earlier classes run while a class waits. Then its next call runs. If two classes have
/// waited that long, the earlier one runs first.
package struct CallOrder<Call> {
    private struct Line {
        /// The next calls, the first one last.
        private var next: [Call] = []
        private var later: [Call] = []
        /// The number of calls of earlier classes since a call of this line ran, or since the line was empty.
        var passed = 0

        var isEmpty: Bool { next.isEmpty && later.isEmpty }

        mutating func append(_ call: Call) { later.append(call) }

        mutating func removeFirst() -> Call? {
            if next.isEmpty {
                next = later.reversed()
                later = []
            }
            return next.popLast()
        }
    }

    private var lines = CallClass.allCases.map { _ in Line() }

    /// Thirty-two short calls take about as long as one step of a long one.
    package static var mostPassed: Int { 32 }

    package init() {}

    package mutating func add(_ call: Call, as callClass: CallClass) {
        lines[callClass.rawValue].append(call)
    }

    /// Removes and returns the next call; nil if none waits.
    package mutating func next() -> Call? {
        let waiting = lines.indices.filter { !lines[$0].isEmpty }
        guard let first = waiting.first else { return nil }
        let chosen = waiting.first { lines[$0].passed >= CallOrder.mostPassed } ?? first
        for line in waiting where line > chosen { lines[line].passed += 1 }
        lines[chosen].passed = 0
        return lines[chosen].removeFirst()
    }
}
