import FoundationEssentials

/// What stands behind the name of a benchmark: options of those that it has, and words.
struct Options {
    /// Where pictures are left, whichever benchmark draws them.
    static let plots = "--plots"

    private var flags: Set<String> = []
    private var values: [String: String] = [:]
    private(set) var words: [String] = []

    /// Nil where there is an option or a word too many, or an option without its value.
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

    /// For a first look.
    var isQuick: Bool { has("--quick") }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    subscript(_ name: String) -> String? { values[name] }

    /// Whether a case is named by its beginning; every one is where there are no words.
    func wants(_ name: String) -> Bool {
        words.isEmpty || words.contains { name.utf8.starts(with: $0.utf8) }
    }

    /// A number above zero; nil where something else was said.
    func number(_ name: String, otherwise: Double) -> Double? {
        guard let value = values[name] else { return otherwise }
        return Double(value).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Where files are made and removed again.
    var folder: String { values["--folder"] ?? FileManager.default.temporaryDirectory.path }

    /// What was typed, for whoever reads the figures: without what only one machine has.
    static func shown(_ arguments: [String]) -> String {
        var (shown, rest) = ([String](), arguments[...])
        while let word = rest.popFirst() {
            switch word {
            case plots: rest = rest.dropFirst()
            case "--folder", "--python", "--report":
                shown.append(word)
                if let path = rest.popFirst() { shown.append(URL(filePath: path).lastPathComponent) }
            default: shown.append(word)
            }
        }
        return shown.joined(separator: " ")
    }
}
