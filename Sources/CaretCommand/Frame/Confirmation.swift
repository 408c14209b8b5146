import Glibc

/// That somebody means what cannot be taken back: he says so beforehand, or is asked.
struct Confirmation: Sendable {
    static let option = Option("yes", letter: "y", "does it without asking")

    private let isGivenBefore: Bool

    /// A fault where it was not given, and nobody is there to be asked.
    init(_ given: Given) throws(UsageFault) {
        isGivenBefore = given.has(Confirmation.option)
        if !isGivenBefore, isatty(STDIN_FILENO) != 1 { throw given.fault(.unconfirmed) }
    }

    func isGiven(to question: String, on stage: Stage) -> Bool {
        if isGivenBefore { return true }
        stage.notes.write(question + " [y/N] ")
        // Who cannot be asked has not said yes.
        guard stage.notes.flush(), let answer = readLine() else { return false }
        return ["y", "Y", "yes"].contains { $0.utf8.elementsEqual(answer.utf8) }
    }
}
