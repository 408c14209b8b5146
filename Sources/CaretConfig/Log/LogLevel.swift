/// How much a line of the log matters, least first.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// For whoever looks for a fault.
    case debug
    /// What a running server does anyway.
    case info
    /// Something to look at, some day.
    case warning
    /// Something to look at now.
    case error

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
