import FoundationEssentials
import Glibc

/// A server in its own process, so that its CPU time is measured separately. The server ends when the
/// benchmark process ends.
final class ServerProcess {
    let port: UInt16
    /// The process id of the server.
    let process: pid_t
    /// The process id of the child process: the server, or the shell that runs it.
    private let child: pid_t
    private let input: Int32
    private let clock: clockid_t

    /// Starts a server of `caret-bench net`. The bare server stores its pushes in `database`, if there is
    /// one.
    init(_ kind: NetServer, database: String? = nil) {
        let words = ["caret-bench", "net-server", kind.rawValue] + (database.map { [$0] } ?? [])
        let started = ServerProcess.answering("/proc/self/exe", words)
        guard let port = UInt16(started.said) else {
            preconditionFailure("the server printed no port: \(started.said)")
        }
        self.port = port
        (process, child, input) = (started.process, started.process, started.input)
        clock = ServerProcess.clock(of: process)
    }

    /// Starts `caretd` with its data in a folder, and its log in a file next to the folder.
    convenience init(caretd: String, data: String, options: [String] = []) {
        let log = data + ".log"
        self.init([caretd, "--data", data, "--listen", "127.0.0.1:0"] + options, log: log) {
            ServerProcess.port(in: log)
        }
    }

    /// Starts any program, with its output in a file. `port` must wait until the program listens, and return
    /// its port.
    init(_ words: [String], log: String, port: () -> UInt16) {
        // The shell ends the server when its own input ends, which happens when this process ends for any
        // reason. The shell must not print that it has ended a job.
        let script =
            #"log=$1; shift; "$@" >"$log" 2>&1 & exec 2>/dev/null; echo $!; read -r _; kill $!; wait $!"#
        // An old log would name the port of an earlier server.
        unlink(log)
        let started = ServerProcess.answering("/bin/sh", ["sh", "-c", script, "sh", log] + words)
        guard let process = pid_t(started.said) else {
            preconditionFailure("the shell printed no process id: \(started.said)")
        }
        self.port = port()
        (self.process, child, input) = (process, started.process, started.input)
        clock = ServerProcess.clock(of: process)
    }

    /// The CPU time that the server has used, in nanoseconds.
    var nanoseconds: Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// The server's resident memory in bytes.
    var resident: Double { Double(Machine.status("VmRSS:", of: String(process))) * 1024 }

    var threads: Int { Machine.status("Threads:", of: String(process)) }

    /// The number of open descriptors.
    var descriptors: Int {
        mustSucceed { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count }
    }

    func end() {
        close(input)
        waitpid(child, nil, 0)
    }

    private static func clock(of process: pid_t) -> clockid_t {
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else {
            preconditionFailure("the CPU time of the server cannot be read")
        }
        return clock
    }

    /// Waits until the log says that the server is ready. Returns its port.
    private static func port(in path: String) -> UInt16 {
        let deadline = wallNanoseconds() + 60e9
        var text = ""
        while wallNanoseconds() < deadline {
            // Reading fails until the shell has made the file.
            text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            if text.contains("event=ready") { break }
            usleep(500)
        }
        let line = text.split(separator: "\n").first { $0.contains("transport=tcp") }
        guard let port = line?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            preconditionFailure("caretd did not report its port within 60 s. Its log: \(text)")
        }
        return port
    }

    /// Starts a program, and reads the one line that it prints. The program's input ends when this process
    /// ends.
    private static func answering(
        _ program: String, _ words: [String]
    ) -> (process: pid_t, input: Int32, said: String) {
        let (inputs, outputs) = (ServerProcess.pipe(), ServerProcess.pipe())
        let process = started(program, words) {
            posix_spawn_file_actions_adddup2(&$0, inputs[0], STDIN_FILENO)
            posix_spawn_file_actions_adddup2(&$0, outputs[1], STDOUT_FILENO)
        }
        close(inputs[0])
        close(outputs[1])
        var said = [UInt8](repeating: 0, count: 64)
        let count = read(outputs[0], &said, said.count)
        close(outputs[0])
        let line = said.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return (process, inputs[1], String(decoding: line, as: UTF8.self))
    }

    /// Other child processes do not inherit the ends of the pipe.
    private static func pipe() -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { preconditionFailure("cannot make a pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }
}
