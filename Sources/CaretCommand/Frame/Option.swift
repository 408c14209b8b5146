/// The description of an option `--name`, with or without a value.
package struct Option: Sendable {
    package let name: String
    /// The short form, as in `-n`.
    let letter: Character?
    /// The placeholder of the value in help; nil for an option without a value.
    let value: String?
    let summary: String
    let isRepeatable: Bool

    init(
        _ name: String, letter: Character? = nil, value: String? = nil, isRepeatable: Bool = false,
        _ summary: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.summary = summary
        self.isRepeatable = isRepeatable
    }

    var flag: String { "--" + name }

    /// The option as help shows it: `-n, --limit N`.
    package var usage: String {
        let flags = letter.map { "-\($0), \(flag)" } ?? flag
        return value.map { "\(flags) \($0)" } ?? flags
    }

    func matches(_ written: String) -> Bool {
        written == flag || letter.map { written == "-\($0)" } ?? false
    }
}
