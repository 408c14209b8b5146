import CaretConfig

/// A mistake in the command line: wrong usage.
package struct UsageFault: Error, Equatable {
    enum Problem: Equatable {
        case noCommand
        case unknownCommand(String, closest: String?)
        /// The first word of a two-word name, such as `token`, with no second word or an unknown one.
        case unknownMember(family: String, found: String?, expected: [String])
        case unknownOption(String, closest: String?)
        case missingValue(String, value: String)
        case unexpectedValue(String)
        case repeatedOption(String)
        case missingArgument(String)
        case extraArgument(String)
        case badValue(String, found: String, expected: String)
        /// Two options or arguments that cannot be combined.
        case conflict(String, String)
        /// The subcommand needs a confirmation, and there is no terminal to ask at.
        case unconfirmed
    }

    /// The name of the subcommand; nil if it is not known yet.
    let command: String?
    let problem: Problem

    init(command: String? = nil, _ problem: Problem) {
        self.command = command
        self.problem = problem
    }

    /// Names the help page of the subcommand.
    var advice: String { "run: caret help" + (command.map { " " + $0 } ?? "") }
}

extension UsageFault: CustomStringConvertible {
    package var description: String {
        let words = problem.words
        return command.map { "\($0): \(words)" } ?? words
    }
}

extension UsageFault.Problem {
    fileprivate var words: String {
        switch self {
        case .noCommand: "no subcommand given"
        case .unknownCommand(let name, let closest):
            "unknown subcommand \(name.echoed)" + (closest.map { "; did you mean \($0)?" } ?? "")
        case .unknownMember(let family, let found, let expected):
            "\(family) needs one of \(expected.joined(separator: ", "))"
                + (found.map { "; found \($0.echoed)" } ?? "")
        case .unknownOption(let name, let closest):
            "unknown option \(name.echoed)" + (closest.map { "; did you mean \($0)?" } ?? "")
        case .missingValue(let name, let value): "\(name) needs a value: \(name) \(value)"
        case .unexpectedValue(let name): "\(name) takes no value"
        case .repeatedOption(let name): "\(name) is given twice"
        case .missingArgument(let name): "\(name) is missing"
        case .extraArgument(let text): "unexpected argument \(text.echoed)"
        case .badValue(let name, let found, let expected):
            "\(name): found \(found.echoed), expected \(expected)"
        case .conflict(let one, let other): "\(one) and \(other) cannot be combined"
        case .unconfirmed: "not a terminal: pass --yes to confirm"
        }
    }
}
