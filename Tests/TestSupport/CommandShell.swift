import Glibc
import Synchronization

/// A shell that obeys commands, and answers each one with a line.
///
/// When its input ends, the script must end what it has started, and remove its files. So nothing is left even if the
/// test process is killed.
package final class CommandShell: Sendable {
    private let process: pid_t
    /// Nil after `end`.
    private let pipes: Mutex<(commands: Int32, answers: Int32)?>

    /// One start at a time. Otherwise a shell could inherit the pipes of another one, whose end would then not be noticed.
    private static let starting = Mutex<Void>(())

    /// Runs a script. Nil if the shell cannot be started.
    package init?(_ script: String, _ arguments: [String]) {
        let started = CommandShell.starting.withLock { _ in
            CommandShell.start(["sh", "-c", script, "sh"] + arguments)
        }
        guard let started else { return nil }
        process = started.process
        pipes = Mutex((started.commands, started.answers))
    }

    private static func start(
        _ arguments: [String]
    ) -> (process: pid_t, commands: Int32, answers: Int32)? {
        var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&input) == 0, pipe(&output) == 0 else { return nil }
        for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = spawn(arguments, input: input[0], output: output[1])
        close(input[0])
        close(output[1])
        if process > 0 { return (process, input[1], output[0]) }
        close(input[1])
        close(output[0])
        return nil
    }

    private static func spawn(_ arguments: [String], input: Int32, output: Int32) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        return posix_spawnp(&process, "sh", &actions, nil, words, environ) == 0 ? process : 0
    }

    /// Reads the next line of the script; nil if the script has ended.
    package func nextLine() -> String? {
        pipes.withLock { pipes in pipes.flatMap { CommandShell.readLine($0.answers) } }
    }

    /// Sends a line to the script, and reads the line that it answers; nil if the script has ended.
    package func answer(to line: String) -> String? {
        pipes.withLock { pipes in
            guard let pipes else { return nil }
            let bytes = Array((line + "\n").utf8)
            guard write(pipes.commands, bytes, bytes.count) == bytes.count else { return nil }
            return CommandShell.readLine(pipes.answers)
        }
    }

    /// Ends the input of the script, and waits until it has ended.
    package func end() {
        let isFirst = pipes.withLock { pipes in
            guard let ends = pipes.take() else { return false }
            close(ends.commands)
            close(ends.answers)
            return true
        }
        if isFirst { waitpid(process, nil, 0) }
    }

    private static func readLine(_ descriptor: Int32) -> String? {
        var (line, byte): ([UInt8], UInt8) = ([], 0)
        while true {
            let count = read(descriptor, &byte, 1)
            if count == 1 {
                if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
                line.append(byte)
            } else if count == 0 || errno != EINTR {
                return nil
            }
        }
    }
}
