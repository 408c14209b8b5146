import CaretConfig

/// A command line that asks for nothing that there is.
package struct UsageFault: Error, Equatable {
    enum Problem: Equatable {
        case noCommand
        case unknownCommand(String, closest: String?)
        /// The first word of names of two, and not one of the second ones.
        case unknownMember(family: String, found: String?, expected: [String])
        case unknownOption(String, closest: String?)
        case missingValue(String, value: String)
        case unexpectedValue(String)
        case repeatedOption(String)
        case missingArgument(String)
        case extraArgument(String)
        case badValue(String, found: String, expected: String)
        case conflict(String, String)
        /// Somebody must say yes, and nobody can be asked.
        case unconfirmed
    }

    /// Nil in front of the subcommand.
    let command: String?
    let problem: Problem

    init(command: String? = nil, _ problem: Problem) {
        self.command = command
        self.problem = problem
    }

    /// Where to read on.
    var advice: String { "caret help" + (command.map { " " + $0 } ?? "") + " says what there is" }
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
        case .noCommand: "it wants a subcommand"
        case .unknownCommand(let name, let closest):
            "there is no subcommand \(name.echoed)" + (closest.map { "; is it \($0)?" } ?? "")
        case .unknownMember(let family, let found, let expected):
            "\(family) wants one of \(expected.joined(separator: ", "))"
                + (found.map { ", and found \($0.echoed)" } ?? "")
        case .unknownOption(let name, let closest):
            "there is no option \(name.echoed)" + (closest.map { "; is it \($0)?" } ?? "")
        case .missingValue(let name, let value): "\(name) wants a value: \(name) \(value)"
        case .unexpectedValue(let name): "\(name) takes no value"
        case .repeatedOption(let name): "\(name) stands there twice"
        case .missingArgument(let name): "\(name) is missing"
        case .extraArgument(let text): "\(text.echoed) is one argument too many"
        case .badValue(let name, let found, let expected):
            "\(name): found \(found.echoed), allowed is \(expected)"
        case .conflict(let one, let other): "\(one) and \(other) exclude each other"
        case .unconfirmed: "nobody can be asked here; --yes says that it is meant"
        }
    }
}
