import CaretConfig

/// What the arguments of `caret` ask for.
package struct Asked: Sendable {
    package enum Order: Sendable {
        /// Of one subcommand, or of all.
        case help(CommandDescription?)
        case version
        case run(any Subcommand.Type)
    }

    package let order: Order
    /// What stands behind the name of the subcommand, and the common options wherever they stand.
    package let given: Given

    /// Arguments without the program's own name.
    package init(_ arguments: [String]) throws(UsageFault) {
        var reader = Reader(arguments)
        try reader.read()
        let given = reader.given
        self.given = given
        if given.has(CommonOptions.version) {
            order = .version
        } else if given.has(CommonOptions.help) {
            order = .help(reader.command?.description)
        } else {
            guard let command = reader.command else { throw reader.faultWithoutCommand }
            try Asked.check(given)
            order = .run(command)
        }
    }

    private static func check(_ given: Given) throws(UsageFault) {
        let needed = given.command.arguments.filter { !$0.isOptional }
        if given.arguments.count < needed.count {
            throw given.fault(.missingArgument(needed[given.arguments.count].name))
        }
        if given.arguments.count > given.command.arguments.count {
            throw given.fault(.strayArgument(given.arguments[given.command.arguments.count]))
        }
    }

    /// Goes through the arguments once. In front of a subcommand's name only the common options are known.
    private struct Reader {
        private var rest: ArraySlice<String>
        private(set) var command: (any Subcommand.Type)?
        private(set) var given = Given(CommandDescription("", ""))
        /// Words in front of which no subcommand was known yet.
        private var words: [String] = []
        private var takesOptions = true

        init(_ arguments: [String]) { rest = arguments[...] }

        mutating func read() throws(UsageFault) {
            while let argument = rest.popFirst() {
                if takesOptions, argument == "--" {
                    takesOptions = false
                } else if takesOptions, argument.utf8.first == UInt8(ascii: "-"), argument != "-" {
                    try take(option: argument)
                } else if command == nil {
                    words.append(argument)
                    findCommand()
                } else {
                    given.add(argument)
                }
            }
        }

        /// Two words make a name only where the first one alone is none.
        private mutating func findCommand() {
            guard let (type, _) = CommandList.command(in: words) else { return }
            command = type
            var known = Given(type.description)
            for (name, values) in given.options {
                for value in values { known.add(Option(name, ""), value) }
            }
            given = known
        }

        private mutating func take(option argument: String) throws(UsageFault) {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
            let known = CommonOptions.all + given.command.options
            guard let option = known.first(where: { $0.isMeant(by: name) }) else {
                throw fault(.unknownOption(name, closest: name.closest(in: known.map(\.flag))))
            }
            if given.has(option), !option.isRepeatable { throw fault(.doubledOption(option.flag)) }
            guard let placeholder = option.value else {
                if value != nil { throw fault(.valueWithoutNeed(option.flag)) }
                return given.add(option, "")
            }
            guard let text = value ?? rest.popFirst() else {
                throw fault(.optionWithoutValue(option.flag, value: placeholder))
            }
            given.add(option, text)
        }

        private func fault(_ problem: UsageFault.Problem) -> UsageFault {
            UsageFault(command: command?.description.name, problem)
        }

        var faultWithoutCommand: UsageFault {
            guard let first = words.first else { return UsageFault(.noCommand) }
            if let family = CommandList.families.first(where: { $0.word == first }) {
                return UsageFault(
                    .unknownMember(
                        family: first, found: words.dropFirst().first, allowed: family.members))
            }
            let names = CommandList.descriptions.map(\.name)
            return UsageFault(.unknownCommand(first, closest: first.closest(in: names)))
        }
    }
}
