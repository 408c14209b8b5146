import Synchronization

/// A shell that obeys commands, and answers each one with a line.
///
/// When its input ends, the script must end what it has started, and remove its files. So nothing is left even if the
/// test process is killed.
package final class CommandShell: Sendable {
    private let program: ChildProgram
    /// The output that no line was made of yet. One thread at a time waits for an answer.
    private let received = Mutex<[UInt8]>([])

    /// All programs stay here, because the end of its object kills a program. A killed script would leave what it has
    /// started. So a script goes on until `end`, or until the test process ends.
    private static let started = Mutex<[ChildProgram]>([])

    /// Runs a script. Nil if the shell cannot be started.
    package init?(_ script: String, _ arguments: [String]) {
        let command = ["sh", "-c", script, "sh"] + arguments
        // The caller says what it needs the shell for.
        guard let program = try? ChildProgram(command, input: .pipe, output: .pipe) else { return nil }
        CommandShell.started.withLock { $0.append(program) }
        self.program = program
    }

    /// Reads the next line of the script; nil if the script has ended.
    package func nextLine() -> String? { received.withLock { readLine(&$0) } }

    /// Sends a line to the script, and reads the line that it answers; nil if the script has ended.
    package func answer(to line: String) -> String? {
        received.withLock { received in
            // A script that has ended takes no line, and answers none.
            guard (try? program.write(line + "\n")) != nil else { return nil }
            return readLine(&received)
        }
    }

    /// Ends the input of the script, and waits until it has ended.
    package func end() {
        program.endInput()
        program.waitForEnd()
    }

    private func readLine(_ received: inout [UInt8]) -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let more = program.nextOutput()
            if more.isEmpty { return nil }
            received += more
        }
    }
}
