import Glibc

/// Asks for a confirmation before something that cannot be undone, unless `--yes` was given.
struct Confirmation: Sendable {
    static let option = Option("yes", letter: "y", "does not ask for a confirmation")

    private let isConfirmedByOption: Bool

    /// Throws if `--yes` is missing and standard input is not a terminal.
    init(_ arguments: Arguments) throws(UsageFault) {
        isConfirmedByOption = arguments.has(Confirmation.option)
        if !isConfirmedByOption, isatty(STDIN_FILENO) != 1 { throw arguments.fault(.unconfirmed) }
    }

    func isGiven(to question: String, in context: CommandContext) -> Bool {
        if isConfirmedByOption { return true }
        context.notes.write(question + " [y/N] ")
        // No answer means no.
        guard context.notes.flush(), let answer = readLine() else { return false }
        return ["y", "Y", "yes"].contains { $0.utf8.elementsEqual(answer.utf8) }
    }
}
