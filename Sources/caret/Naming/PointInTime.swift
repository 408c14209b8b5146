import CaretClient
import FoundationEssentials
import Glibc

// What a written revision comes to on this machine, now.
extension RevisionName {
    /// Nil is the head.
    func point(at now: Date = .now) -> HistoryPoint? {
        switch self {
        case .head: nil
        case .number(let revision): .revision(revision)
        case .ago(let seconds): .time(now.addingTimeInterval(-Double(seconds)))
        case .time(let time): .time(time.date)
        }
    }
}

extension WrittenTime {
    fileprivate var date: Date {
        let seconds =
            switch zone {
            case .offset(let offset): secondsWithoutZone - offset
            case .local: localSeconds
            }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private var localSeconds: Int {
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (Int32(year - 1900), Int32(month - 1))
        (parts.tm_mday, parts.tm_hour) = (Int32(day), Int32(hour))
        (parts.tm_min, parts.tm_sec) = (Int32(minute), Int32(second))
        // The system knows whether the clocks were put forward on that day.
        parts.tm_isdst = -1
        return mktime(&parts)
    }
}

extension CaretClient {
    /// The text of a document at a revision that somebody wrote.
    func read(_ point: DocumentPoint) async throws -> DocumentVersion {
        try await read(point.document, at: point.revision.point())
    }
}
