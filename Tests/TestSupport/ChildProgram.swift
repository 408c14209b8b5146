import CLinux
import FoundationEssentials
import Glibc
import Synchronization

/// A program that a test has started. It is killed when the last reference to it is gone.
///
/// Tests start all programs with this type. The program inherits its three standard streams and nothing else, because
/// every descriptor here is closed on exec from the moment it is made. If another program inherited the end of a pipe,
/// the reader of this pipe would wait for the end of that program too. So Foundation's `Process` and `Pipe` are not used:
/// `Pipe` is inherited, and `Process` has crashed while it listed more than 1,300 open descriptors.
package final class ChildProgram: Sendable {
    /// Where a standard stream of the program leads.
    package enum Stream: Sendable {
        /// To the same file as in the test process.
        case inherited
        case nothing
        /// To a pipe, whose other end belongs to this object.
        case pipe
        /// To this file. A program that reads it begins at its start; what a program writes is appended.
        case file(String)
    }

    package struct Failure: Error, CustomStringConvertible {
        package let call: String
        package let code: Int32

        package var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    package let id: Int32
    /// The other ends of the streams that are pipes; -1 for other streams.
    package let output: Int32
    package let errors: Int32
    private let input: Mutex<Int32>
    /// What `waitid` has reported, after the end.
    private let end = Mutex<siginfo_t?>(nil)

    /// Runs a program from the search path.
    package init(
        _ command: [String], environment: [String: String] = ChildProgram.environment(),
        folder: String? = nil,
        input: Stream = .inherited, output: Stream = .inherited, errors: Stream = .inherited
    ) throws {
        if case .pipe = input { ChildProgram.ignoreBrokenPipes }
        var ends = try ChildProgram.openEnds(input, output, errors)
        defer { for end in ends.child where end >= 0 { close(end) } }
        do {
            let start = folder.map { ["/usr/bin/env", "-C", $0] } ?? []
            id = try ChildProgram.spawn(start + command, environment, ends.child)
        } catch {
            for end in ends.own where end >= 0 { close(end) }
            throw error
        }
        self.input = Mutex(ends.own[0])
        (self.output, self.errors) = (ends.own[1], ends.own[2])
        ends.own = []
    }

    deinit {
        endInput()
        kill(SIGKILL)
        waitForEnd()
        for end in [output, errors] where end >= 0 { close(end) }
    }

    /// The path of a program that is built next to the tests.
    package static func path(of program: String) -> String {
        // The tests run from the folder of the build, so the link can always be read.
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            preconditionFailure("/proc/self/exe cannot be read")
        }
        return URL(filePath: own).deletingLastPathComponent().appending(path: program).path
    }

    /// The variables of the test process without those whose names begin with `CARET_`, which configure programs of
    /// this package; and the added ones.
    package static func environment(adding added: [String: String] = [:]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CARET_") }.merging(added) { $1 }
    }

    // MARK: Streams

    package func write(_ text: String) throws {
        try input.withLock { input throws in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
                if count < 0, errno != EINTR { throw Failure(call: "write", code: errno) }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }

    package func endInput() {
        input.withLock { input in
            if input >= 0 { close(input) }
            input = -1
        }
    }

    /// Waits for output. Empty after its end.
    package func nextOutput() -> [UInt8] { ChildProgram.nextBytes(output) }

    /// Waits until the program, and everything that shares its output, has ended or closed it.
    package func remainingOutput() -> String { ChildProgram.readAll(output) }

    package func remainingErrors() -> String { ChildProgram.readAll(errors) }

    private static func readAll(_ descriptor: Int32) -> String {
        var all: [UInt8] = []
        while case let more = nextBytes(descriptor), !more.isEmpty { all += more }
        return String(decoding: all, as: UTF8.self)
    }

    /// Waits for bytes. Empty after their end.
    package static func nextBytes(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            repeat {
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            count = max(0, count)
        }
    }

    // MARK: The end

    package var isRunning: Bool { !hasEnded(WNOHANG) }

    /// Waits until the program ends. Returns its exit status, or nil if a signal ended it.
    @discardableResult
    package func waitForEnd() -> Int32? {
        while !hasEnded(0) {}
        return end.withLock { end in
            guard let end, end.si_code == CLD_EXITED else { return nil }
            return end._sifields._sigchld.si_status
        }
    }

    package func kill(_ signal: Int32) {
        // Under the lock, because after the end the number may belong to another process.
        end.withLock { if $0 == nil { _ = Glibc.kill(id, signal) } }
    }

    /// Asks whether the program has ended, and waits for this unless `options` forbids it.
    private func hasEnded(_ options: Int32) -> Bool {
        if end.withLock({ $0 != nil }) { return true }
        // Waits without the lock, and leaves the process for the call below.
        var seen = siginfo_t()
        let code = waitid(P_PID, id_t(id), &seen, WEXITED | WNOWAIT | options)
        guard code == 0, seen.si_signo == SIGCHLD else { return false }
        end.withLock { end in
            if end == nil {
                waitpid(id, nil, 0)
                end = seen
            }
        }
        return true
    }

    // MARK: The start

    /// Without this, writing to a program that has ended would end the test process.
    private static let ignoreBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

    /// The ends of the three streams for the program and for this process. -1 stands for an inherited stream, and for no
    /// end here.
    private static func openEnds(
        _ input: Stream, _ output: Stream, _ errors: Stream
    ) throws -> (child: [Int32], own: [Int32]) {
        var ends: (child: [Int32], own: [Int32]) = ([], [])
        do {
            for (number, stream) in [input, output, errors].enumerated() {
                let (child, own) = try openEnd(stream, isInput: number == 0)
                ends.child.append(child)
                ends.own.append(own)
            }
        } catch {
            for end in ends.child + ends.own where end >= 0 { close(end) }
            throw error
        }
        return ends
    }

    private static func openEnd(_ stream: Stream, isInput: Bool) throws -> (child: Int32, own: Int32) {
        switch stream {
        case .inherited: return (-1, -1)
        case .nothing: return (try openFile("/dev/null", isInput: isInput), -1)
        case .file(let path): return (try openFile(path, isInput: isInput), -1)
        case .pipe:
            var ends: [Int32] = [0, 0]
            if caret_pipe(&ends) != 0 { throw Failure(call: "pipe2", code: errno) }
            // A program stops while its pipe is full, and some tests read the log of a server late. If the system refuses
            // this size, the usual one remains.
            _ = fcntl(ends[1], setPipeSize, 1 << 20)
            return isInput ? (ends[0], ends[1]) : (ends[1], ends[0])
        }
    }

    /// `F_SETPIPE_SZ`, which Swift's module for the C library lacks.
    private static let setPipeSize: Int32 = 1031

    private static func openFile(_ path: String, isInput: Bool) throws -> Int32 {
        let flags = isInput ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND
        let descriptor = open(path, flags | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw Failure(call: "open \(path)", code: errno) }
        return descriptor
    }

    private static func spawn(
        _ command: [String], _ environment: [String: String], _ streams: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() where stream >= 0 {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setUsualSignals(&attributes)
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        let arguments = command.map { strdup($0) } + [nil]
        defer { for text in variables + arguments { free(text) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, command[0], &actions, &attributes, arguments, variables)
        if code != 0 { throw Failure(call: "posix_spawnp \(command[0])", code: code) }
        return process
    }

    /// Blocks and ignores no signal. Threads of a queue block most signals, and this process ignores some.
    private static func setUsualSignals(_ attributes: inout posix_spawnattr_t) {
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        sigaddset(&usual, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }
}
