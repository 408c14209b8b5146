/// How important a log line is, least important first.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// Details for finding a bug.
    case debug
    /// Normal operation.
    case info
    /// A problem that can wait.
    case warning
    /// A problem that needs attention now.
    case error

    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
