import CaretWire

/// When each file is checked next. Times are milliseconds of a monotonic clock.
///
/// Files without a change are not listed, so they cost nothing.
struct SyncAgenda: Equatable, Sendable {
    /// The milliseconds between two scans of the whole folder if inotify reports all changes. inotify can
    /// still miss some.
    static let watched = 60_000
    /// The milliseconds between two scans of the whole folder if inotify does not report all changes.
    static let unwatched = 10_000
    /// The pause after a scan is at least this many times as long as the scan.
    private static let pauseFactor = 1_000

    private var due: [WireString: Int] = [:]
    /// When the next scan is due.
    private(set) var scanAt = 0

    mutating func schedule(_ path: WireString, at time: Int = 0) {
        due[path] = min(time, due[path] ?? time)
    }

    /// Removes and returns the files that are due.
    mutating func removeDue(at now: Int) -> [WireString] {
        let paths = due.filter { $0.value <= now }.map(\.key)
        for path in paths { due[path] = nil }
        return paths
    }

    mutating func scheduleScan(at time: Int = 0) { scanAt = min(scanAt, time) }

    mutating func scanned(at now: Int, taking time: Int, isWatched: Bool) {
        let pause = isWatched ? SyncAgenda.watched : SyncAgenda.unwatched
        scanAt = now + max(pause, time * SyncAgenda.pauseFactor)
    }

    var hasFiles: Bool { !due.isEmpty }

    /// How many milliseconds remain until a file or a scan is due.
    func pause(at now: Int) -> Int {
        max(0, min(scanAt, due.values.min() ?? .max) - now)
    }
}
