import CaretWire

/// Which files are looked at when. Times are milliseconds of a steady clock.
///
/// A file that nothing happens to is in no list, so that many files cost nothing while they rest.
struct SyncAgenda: Equatable, Sendable {
    /// How often the whole folder is read where the system tells what changes in it. It can miss something.
    static let watched = 60_000
    /// And where it does not tell all.
    static let unwatched = 10_000
    /// Reading the folder takes at most this share of the time.
    private static let share = 1_000

    private var due: [WireString: Int] = [:]
    /// When the whole folder is read next.
    private(set) var scanAt = 0

    mutating func visit(_ path: WireString, at time: Int = 0) {
        due[path] = min(time, due[path] ?? time)
    }

    /// The files whose time has come. They are in the list no more.
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

    /// How long there is nothing to do.
    func pause(at now: Int) -> Int {
        max(0, min(scanAt, due.values.min() ?? .max) - now)
    }
}
