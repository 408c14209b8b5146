/// The exit code of the command.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case failed = 1
    case usage = 2
    case unreachable = 3
    case no = 4

    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "the server refused it, or it failed"
        case .usage: "the command line asks for nothing that there is"
        case .unreachable: "no server could be reached, or the connection ended before the answer came"
        case .no: "it was done, and the answer is no: `grep` found nothing, `verify` found damage"
        }
    }
}
