import CaretClient
import CaretCore
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

extension Failure {
    fileprivate init(tooEarly time: Date, in document: String, beganAt first: Date?) {
        let beginning =
            first.map { "its first revision is of \(Stamp.local($0))" } ?? "it has no revision yet"
        let name = document.harmless
        self.init(
            "\(name): at \(Stamp.local(time)) it had no text yet; \(beginning)",
            advice: "caret log \(name) shows its revisions; \(name)@0 is the empty text that it began with")
    }
}

extension LiveClient {
    /// The text of a document at a revision that somebody wrote.
    ///
    /// A time before the first revision fails. The server answers it with revision 0, an empty text, and a person who
    /// asks for yesterday's text must not take that for what was there.
    func read(_ point: DocumentPoint) async throws -> DocumentVersion {
        let moment = point.revision.point()
        let version = try await read(point.document, at: moment)
        guard version.revision == 0, case .time(let time) = moment else { return version }
        let first = try await history(of: point.document, limit: 1).entries.first
        throw Failure(tooEarly: time, in: point.document, beganAt: first?.time)
    }
}
