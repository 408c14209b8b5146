import FoundationEssentials

/// The arguments after the name of a benchmark: options and words.
struct Options {
    /// The folder for plots, an option of every benchmark.
    static let plots = "--plots"

    private var flags: Set<String> = []
    private var values: [String: String] = [:]
    private(set) var words: [String] = []

    /// Nil if there is an unknown option, an unexpected word, or an option without its value.
    init?(
        _ arguments: [String], flags known: Set<String> = ["--quick"], valued: Set<String> = [],
        takesWords: Bool = false
    ) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if known.contains(argument) {
                flags.insert(argument)
            } else if argument == Options.plots || valued.contains(argument) {
                guard let value = rest.popFirst() else { return nil }
                values[argument] = value
            } else {
                guard takesWords, !argument.hasPrefix("-") else { return nil }
                words.append(argument)
            }
        }
    }

    /// Whether the user wants fewer rounds, for a first look.
    var isQuick: Bool { has("--quick") }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    subscript(_ name: String) -> String? { values[name] }

    /// Whether the user wants this case: one of the words is the beginning of its name. Without words, the
    /// user wants all cases.
    func wants(_ name: String) -> Bool {
        words.isEmpty || words.contains { name.utf8.starts(with: $0.utf8) }
    }

    /// A number above zero; nil if the option has another value.
    func number(_ name: String, otherwise: Double) -> Double? {
        guard let value = values[name] else { return otherwise }
        return Double(value).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The folder for temporary files.
    var folder: String { values["--folder"] ?? FileManager.default.temporaryDirectory.path }

    /// The arguments as the report shows them, without paths of this machine.
    static func shown(_ arguments: [String]) -> String {
        var (shown, rest) = ([String](), arguments[...])
        while let word = rest.popFirst() {
            switch word {
            case plots: rest = rest.dropFirst()
            case "--folder", "--python", "--report", "--against":
                shown.append(word)
                if let path = rest.popFirst() { shown.append(URL(filePath: path).lastPathComponent) }
            default: shown.append(word)
            }
        }
        return shown.joined(separator: " ")
    }
}
