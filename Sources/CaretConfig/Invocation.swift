/// The command line of the server.
package struct Invocation: Sendable {
    package enum Action: String, CaseIterable, Sendable {
        case help, version
        /// Print all keys, as a configuration file.
        case helpConfig = "help-config"
        /// Print the settings that would apply, with the origin of each setting.
        case checkConfig = "check-config"
        case serve

        /// The option for this action. Nil for `serve`, which needs no option.
        var flag: String? {
            switch self {
            case .help, .version, .helpConfig, .checkConfig: "--" + rawValue
            case .serve: nil
            }
        }
    }

    /// The option of a key, with its value.
    struct Flag: Sendable {
        let key: ConfigurationKey
        let text: String
    }

    package static let fileFlag = "--config"
    package static let fileVariable = "CARET_CONFIG"

    /// What the program must do. If several actions are given, the first case of `Action` wins. For example,
    /// help wins over starting a server.
    package private(set) var action = Action.serve
    /// The path of the configuration file, if there is one.
    package private(set) var file: String?
    package private(set) var faults: [ConfigurationFault] = []
    private(set) var flags: [Flag] = []

    /// `arguments` does not include the name of the program.
    package init(arguments: [String], environment: [String: String]) {
        file = environment[Self.fileVariable]
        var hasFileFlag = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let (name, value) = Self.split(argument)
            if !argument.hasPrefix("--"), argument != "-h" {
                fail(.strayArgument, argument.echoed)
            } else if let requested = Action.allCases.first(where: { $0.flag == name })
                ?? (name == "-h" ? .help : nil)
            {
                apply(requested, name, value)
            } else if name == Self.fileFlag {
                if hasFileFlag { fail(.doubledOption, name) }
                hasFileFlag = true
                file = value ?? nextValue(&rest)
                if file == nil { fail(.optionWithoutValue(allowed: "the path of a file"), name) }
            } else {
                apply(name, value, &rest)
            }
        }
    }

    /// Splits an option at its first equals sign. It compares bytes, because an equals sign and a following
    /// combining mark form one Character.
    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (argument, nil) }
        return (String(argument[..<sign]), String(argument[argument.utf8.index(after: sign)...]))
    }

    private mutating func apply(_ requested: Action, _ name: String, _ value: String?) {
        if value != nil { fail(.strayArgument, name + "=") }
        if let first = Action.allCases.first(where: { $0 == action || $0 == requested }) { action = first }
    }

    /// Reads the option of a key.
    private mutating func apply(_ name: String, _ value: String?, _ rest: inout ArraySlice<String>) {
        guard let key = ConfigurationKey.all.first(where: { $0.flag == name }) else {
            let names =
                ConfigurationKey.all.map(\.flag) + Action.allCases.compactMap(\.flag) + [Self.fileFlag]
            return fail(.unknown(name, closest: name.closest(in: names)), name.echoed)
        }
        guard let text = value ?? (key.isYesNo ? yesNo(&rest) : nextValue(&rest)) else {
            return fail(.optionWithoutValue(allowed: key.allowed), name)
        }
        guard let index = flags.firstIndex(where: { $0.key.name == key.name }) else {
            return flags.append(Flag(key: key, text: text))
        }
        if key.isList {
            flags[index] = Flag(key: key, text: flags[index].text + "," + text)
        } else {
            fail(.doubledOption, name)
        }
    }

    /// Removes and returns the argument after an option. Nil if that argument is an option itself.
    private func nextValue(_ rest: inout ArraySlice<String>) -> String? {
        rest.first?.hasPrefix("--") == false ? rest.popFirst() : nil
    }

    /// Removes and returns the argument after a yes/no option if it is a value. Without a value, the option means yes.
    private func yesNo(_ rest: inout ArraySlice<String>) -> String {
        ["true", "false"].contains(rest.first) ? rest.removeFirst() : "true"
    }

    private mutating func fail(_ problem: ConfigurationFault.Problem, _ name: String) {
        faults.append(ConfigurationFault(origin: .flag(name), problem: problem))
    }
}
