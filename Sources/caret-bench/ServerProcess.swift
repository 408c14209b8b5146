import Glibc

/// A server in a process of its own, so that its CPU time is nobody else's. It ends with this process.
final class ServerProcess {
    let port: UInt16
    private let process: pid_t
    private let input: Int32
    private let clock: clockid_t

    /// The bare one commits to a database where it has the path of one.
    init(_ kind: NetServer, database: String? = nil) {
        let (inputs, outputs) = (ServerProcess.pipe(), ServerProcess.pipe())
        let words = ["caret-bench", "net-server", kind.rawValue] + (database.map { [$0] } ?? [])
        process = ServerProcess.spawned(words, inputs[0], outputs[1])
        input = inputs[1]
        close(inputs[0])
        close(outputs[1])
        var said = [UInt8](repeating: 0, count: 64)
        let count = read(outputs[0], &said, said.count)
        close(outputs[0])
        let digits = String(
            decoding: said.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let port = UInt16(digits) else { preconditionFailure("the server said no port: \(digits)") }
        self.port = port
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else {
            preconditionFailure("the server has no clock")
        }
        self.clock = clock
    }

    /// CPU time that it has used, in nanoseconds.
    var nanoseconds: Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    func end() {
        close(input)
        waitpid(process, nil, 0)
    }

    /// No program that is started gets its ends, but where it is told so.
    private static func pipe() -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { preconditionFailure("there is no pipe: \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    private static func spawned(_ words: [String], _ input: Int32, _ output: Int32) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ) == 0 else {
            preconditionFailure("this program cannot be started again")
        }
        return process
    }
}
