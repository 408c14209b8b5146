import Glibc

/// A run of `caret` to its end, whose output nobody sees.
struct CommandRun {
    /// In nanoseconds, from its start until it is gone.
    let wall: Double
    /// What its process took of processors, in nanoseconds; what the system did for it is in `system` too.
    let user: Double
    let system: Double

    var cpu: Double { user + system }

    init(_ program: String, _ arguments: [String]) {
        let start = wallNanoseconds()
        let process = CommandRun.started(program, [program] + arguments)
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

    private static func started(_ program: String, _ words: [String]) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawn(&process, program, &actions, nil, &arguments, environ) == 0 else {
            preconditionFailure("\(program) cannot be started")
        }
        return process
    }
}
