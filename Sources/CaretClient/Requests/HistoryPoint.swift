public import CaretCore
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Names a revision of a document: by its number, or by a time at which it was the newest.
public enum HistoryPoint: Sendable {
    case revision(Revision)
    case time(Date)

    var moment: CaretWire.Moment {
        switch self {
        case .revision(let revision): .revision(revision)
        case .time(let time): .time(time.milliseconds)
        }
    }
}
