import CaretWire

/// When each file is checked next. Times are milliseconds of a steady clock.
///
/// Files without a change are not listed, so they cost nothing.
struct SyncAgenda: Equatable, Sendable {
    /// How often the whole folder is scanned if inotify reports its changes. It can miss some.
    static let watched = 60_000
    /// How often it is scanned if inotify does not report all changes.
    static let unwatched = 10_000
    /// Scans take at most one part in so many of the time.
    private static let share = 1_000

    private var due: [WireString: Int] = [:]
    /// When the next scan is due.
    private(set) var scanAt = 0

    mutating func visit(_ path: WireString, at time: Int = 0) {
        due[path] = min(time, due[path] ?? time)
    }

    /// Removes and returns the files that are due.
    mutating func take(at now: Int) -> [WireString] {
        let paths = due.filter { $0.value <= now }.map(\.key)
        for path in paths { due[path] = nil }
        return paths
    }

    mutating func scan() { scanAt = 0 }

    mutating func scanned(at now: Int, taking time: Int, isWatched: Bool) {
        let pause = isWatched ? SyncAgenda.watched : SyncAgenda.unwatched
        scanAt = now + max(pause, time * SyncAgenda.share)
    }

    var hasVisits: Bool { !due.isEmpty }

    /// How long nothing is due.
    func pause(at now: Int) -> Int {
        max(0, min(scanAt, due.values.min() ?? .max) - now)
    }
}
