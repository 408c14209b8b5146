import CaretConfig

/// The parsed command line of `caret`.
package struct ParsedCommand: Sendable {
    package enum Action: Sendable {
        /// Prints the help of one subcommand, or of all of them.
        case help(CommandDescription?)
        case version
        case run(any Subcommand.Type)
    }

    package let action: Action
    /// The arguments after the name of the subcommand, and all common options.
    package let arguments: Arguments

    /// Parses the words of the command line, without the name of the program.
    package init(_ words: [String]) throws(UsageFault) {
        var reader = Reader(words)
        try reader.read()
        let arguments = reader.arguments
        self.arguments = arguments
        if arguments.has(CommonOptions.version) {
            action = .version
        } else if arguments.has(CommonOptions.help) {
            action = .help(reader.command?.description)
        } else {
            guard let command = reader.command else { throw reader.faultWithoutCommand }
            try ParsedCommand.check(arguments)
            action = .run(command)
        }
    }

    private static func check(_ arguments: Arguments) throws(UsageFault) {
        let (given, known) = (arguments.positional, arguments.command.arguments)
        let required = known.filter { !$0.isOptional }
        if given.count < required.count {
            throw arguments.fault(.missingArgument(required[given.count].name))
        }
        if given.count > known.count { throw arguments.fault(.extraArgument(given[known.count])) }
    }

    /// Reads the words from left to right. Until it has read the name of the subcommand, it accepts only the
    /// common options.
    private struct Reader {
        private var rest: ArraySlice<String>
        private(set) var command: (any Subcommand.Type)?
        private(set) var arguments = Arguments(CommandDescription("", ""))
        /// The words that were read before a subcommand was found.
        private var nameWords: [String] = []
        private var acceptsOptions = true

        init(_ words: [String]) { rest = words[...] }

        mutating func read() throws(UsageFault) {
            while let word = rest.popFirst() {
                if acceptsOptions, word == "--" {
                    acceptsOptions = false
                } else if acceptsOptions, word.utf8.first == UInt8(ascii: "-"), word != "-" {
                    try read(option: word)
                } else if command == nil {
                    nameWords.append(word)
                    findCommand()
                } else {
                    arguments.add(word)
                }
            }
        }

        /// Checks whether the words that were read so far name a subcommand. If the first word alone
        /// names a subcommand, the second word is not part of the name.
        private mutating func findCommand() {
            guard let (type, _) = CommandList.command(in: nameWords) else { return }
            command = type
            var known = Arguments(type.description)
            for (name, values) in arguments.options {
                for value in values { known.add(Option(name, ""), value) }
            }
            arguments = known
        }

        /// Reads an option, or several letters together: `-il` means `-i -l`.
        private mutating func read(option word: String) throws(UsageFault) {
            if let (first, others) = separated(word) {
                rest = [others] + rest
                return try read(option: first)
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
            let known = CommonOptions.all + arguments.command.options
            guard let option = known.first(where: { $0.matches(name) }) else {
                throw fault(.unknownOption(name, closest: name.closest(in: known.map(\.flag))))
            }
            if arguments.has(option), !option.isRepeatable { throw fault(.repeatedOption(option.flag)) }
            guard let placeholder = option.value else {
                if value != nil { throw fault(.unexpectedValue(option.flag)) }
                return arguments.add(option, "")
            }
            guard let text = value ?? rest.popFirst() else {
                throw fault(.missingValue(option.flag, value: placeholder))
            }
            arguments.add(option, text)
        }

        /// The first letter of several ones, if it is that of an option without a value, and the others.
        private func separated(_ word: String) -> (first: String, others: String)? {
            guard word.utf8.count > 2, !word.hasPrefix("--") else { return nil }
            let first = String(word.prefix(2))
            let options = CommonOptions.all + arguments.command.options
            guard options.contains(where: { $0.matches(first) && $0.value == nil }) else { return nil }
            return (first, "-" + word.dropFirst(2))
        }

        private func fault(_ problem: UsageFault.Problem) -> UsageFault {
            UsageFault(command: command?.description.name, problem)
        }

        var faultWithoutCommand: UsageFault {
            guard let first = nameWords.first else { return UsageFault(.noCommand) }
            if let family = CommandList.families.first(where: { $0.word == first }) {
                return UsageFault(
                    .unknownMember(
                        family: first, found: nameWords.dropFirst().first, expected: family.members))
            }
            let names = CommandList.descriptions.map(\.name)
            return UsageFault(.unknownCommand(first, closest: first.closest(in: names)))
        }
    }
}
