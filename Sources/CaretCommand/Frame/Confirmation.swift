import Glibc

/// That somebody means what cannot be taken back: he says so beforehand, or is asked.
struct Confirmation: Sendable {
    static let option = Option("yes", letter: "y", "does it without asking")

    private let isGivenBefore: Bool

    /// A fault where it was not arguments, and nobody is there to be asked.
    init(_ arguments: Arguments) throws(UsageFault) {
        isGivenBefore = arguments.has(Confirmation.option)
        if !isGivenBefore, isatty(STDIN_FILENO) != 1 { throw arguments.fault(.unconfirmed) }
    }

    func isGiven(to question: String, in context: CommandContext) -> Bool {
        if isGivenBefore { return true }
        context.notes.write(question + " [y/N] ")
        // Who cannot be asked has not said yes.
        guard context.notes.flush(), let answer = readLine() else { return false }
        return ["y", "Y", "yes"].contains { $0.utf8.elementsEqual(answer.utf8) }
    }
}
