/// Something that may stand on the command line as `--name`, with a value or without one.
package struct Option: Sendable {
    package let name: String
    /// The one letter that stands for it, too.
    let letter: Character?
    /// What help calls its value; nil for one that has none.
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

    /// As help has it: `-n, --limit N`.
    package var usage: String {
        let flags = letter.map { "-\($0), \(flag)" } ?? flag
        return value.map { "\(flags) \($0)" } ?? flags
    }

    func matches(_ written: String) -> Bool {
        written == flag || letter.map { written == "-\($0)" } ?? false
    }
}
