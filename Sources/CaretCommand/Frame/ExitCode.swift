/// The exit code of the command.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case failed = 1
    case usage = 2
    case unreachable = 3
    case negative = 4

    var meaning: String {
        switch self {
        case .done: "success"
        case .failed: "a failure, or the server refused the request"
        case .usage: "wrong usage"
        case .unreachable: "the server cannot be reached, or the connection ended before the answer"
        case .negative: "a negative result: `grep`, `who` or `redact` found nothing, `verify` found damage"
        }
    }
}
