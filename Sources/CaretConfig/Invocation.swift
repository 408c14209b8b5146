/// What the arguments of the server ask for.
package struct Invocation: Sendable {
    package enum Order: String, CaseIterable, Sendable {
        case help, version
        /// Every key, as a file.
        case helpConfig = "help-config"
        /// The settings that would hold, and where each comes from.
        case checkConfig = "check-config"
        case serve

        /// Nil for what needs no option.
        var flag: String? {
            switch self {
            case .help, .version, .helpConfig, .checkConfig: "--" + rawValue
            case .serve: nil
            }
        }
    }

    /// A key's option, with its value.
    struct Flag: Sendable {
        let key: ConfigurationKey
        let text: String
    }

    package static let fileFlag = "--config"
    package static let fileVariable = "CARET_CONFIG"

    /// Of several the first of `Order`'s cases: who asks for help does not want to start.
    package private(set) var order = Order.serve
    /// The path of the configuration file; nil for none.
    package private(set) var file: String?
    package private(set) var faults: [ConfigurationFault] = []
    private(set) var flags: [Flag] = []

    /// Arguments without the program's own name.
    package init(arguments: [String], environment: [String: String]) {
        file = environment[Self.fileVariable]
        var hasFileFlag = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let (name, value) = Self.split(argument)
            if !argument.hasPrefix("--"), argument != "-h" {
                fail(.strayArgument, argument.echoed)
            } else if let asked = Order.allCases.first(where: { $0.flag == name })
                ?? (name == "-h" ? .help : nil)
            {
                take(asked, name, value)
            } else if name == Self.fileFlag {
                if hasFileFlag { fail(.doubledOption, name) }
                hasFileFlag = true
                file = value ?? nextValue(&rest)
                if file == nil { fail(.optionWithoutValue(allowed: "the path of a file"), name) }
            } else {
                take(name, value, &rest)
            }
        }
    }

    /// An option and what stands behind its equals sign; in bytes, where a combining character makes no other sign.
    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (argument, nil) }
        return (String(argument[..<sign]), String(argument[argument.utf8.index(after: sign)...]))
    }

    private mutating func take(_ asked: Order, _ name: String, _ value: String?) {
        if value != nil { fail(.strayArgument, name + "=") }
        if let first = Order.allCases.first(where: { $0 == asked || $0 == order }) { order = first }
    }

    /// An option of a key.
    private mutating func take(_ name: String, _ value: String?, _ rest: inout ArraySlice<String>) {
        guard let key = ConfigurationKey.all.first(where: { $0.flag == name }) else {
            let names =
                ConfigurationKey.all.map(\.flag) + Order.allCases.compactMap(\.flag) + [Self.fileFlag]
            return fail(.unknown(name, closest: name.closest(in: names)), name.echoed)
        }
        guard let text = value ?? (key.isYesNo ? "true" : nextValue(&rest)) else {
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

    /// The argument behind an option, unless it is an option itself.
    private func nextValue(_ rest: inout ArraySlice<String>) -> String? {
        rest.first?.hasPrefix("--") == false ? rest.popFirst() : nil
    }

    private mutating func fail(_ problem: ConfigurationFault.Problem, _ name: String) {
        faults.append(ConfigurationFault(origin: .flag(name), problem: problem))
    }
}
