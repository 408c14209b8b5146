import Glibc

/// One complete run of `caret`, with its output discarded.
struct CommandRun {
    /// The time from its start to its end, in nanoseconds.
    let wall: Double
    /// The CPU time of its process in nanoseconds, in user mode and in the system.
    let user: Double
    let system: Double

    var cpu: Double { user + system }

    init(_ program: String, _ arguments: [String]) {
        let start = wallNanoseconds()
        let process = started(program, [program] + arguments) {
            _ = posix_spawn_file_actions_addopen(&$0, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        }
        var (status, usage) = (Int32(), rusage())
        guard wait4(process, &status, 0, &usage) == process, status == 0 else {
            preconditionFailure("\(program) \(arguments) ended with status \(status)")
        }
        wall = wallNanoseconds() - start
        user = CommandRun.nanoseconds(usage.ru_utime)
        system = CommandRun.nanoseconds(usage.ru_stime)
    }

    private static func nanoseconds(_ time: timeval) -> Double {
        Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3
    }
}
