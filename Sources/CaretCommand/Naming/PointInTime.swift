import CaretClient
import CaretCore
import FoundationEssentials
import Glibc

// Converts a written revision to a point in history, in the local time zone.
extension RevisionName {
    /// Nil means the head, or a tag, which only the server can convert.
    fileprivate func point(at now: Date = .now) -> HistoryPoint? {
        switch self {
        case .tag: nil
        case .head: nil
        case .number(let revision): .revision(revision)
        case .ago(let seconds): .time(now.addingTimeInterval(-Double(seconds)))
        case .time(let time): .time(time.date)
        }
    }
}

extension WrittenTime {
    var date: Date {
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
        // Lets the system decide whether daylight saving time applies.
        parts.tm_isdst = -1
        return mktime(&parts)
    }
}

extension Failure {
    fileprivate init(tooEarly time: Date, in document: String, beganAt first: Date?) {
        let beginning =
            first.map { "its first revision is from \(Stamp.local($0))" }
            ?? "the document has no revision yet"
        let name = document.printable
        self.init(
            "\(name): the document had no text yet at \(Stamp.local(time)); \(beginning)",
            advice:
                "`caret log \(name)` lists its revisions; \(name)@0 is the empty text before the first one")
    }
}

extension LiveClient {
    /// Converts a written revision to a point in the history of a document. Nil means the head.
    func historyPoint(_ point: DocumentPoint) async throws -> HistoryPoint? {
        guard case .tag(let name) = point.revision else { return point.revision.point() }
        let tags = try await tags(of: point.document)
        if let tag = tags.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            return .revision(tag.revision)
        }
        let document = point.document.printable
        throw Failure(
            "\(document): no revision has the name \(name.printable)",
            advice: "`caret tag \(document)` lists the named revisions; if the document's name contains "
                + "an @, add another @ at its end")
    }

    /// Reads a document at a revision that a user wrote.
    ///
    /// Fails for a time before the first revision. The server answers with revision 0 and an empty text,
    /// which a user could mistake for the text of that time.
    func read(_ point: DocumentPoint) async throws -> DocumentVersion {
        let moment = try await historyPoint(point)
        let version = try await read(point.document, at: moment)
        guard version.revision == 0, case .time(let time) = moment else { return version }
        let first = try await history(of: point.document, limit: 1).entries.first
        throw Failure(tooEarly: time, in: point.document, beganAt: first?.time)
    }
}
